/**
 * The store keeps files that outlive a job and that machines share: boosters, datasets, reference banks,
 * evaluation tables. A key is a relative path such as `rerankers/<run id>/model.txt`. Database rows store its
 * URI, `artifact:<key>`, so that a store can be moved and copied. Rows of 0.3.0 and earlier versions hold
 * whole addresses (`file:///` or `s3://<bucket>/<key>`), which the store reads, too.
 */
export interface ArtifactStore {
  readonly backend: 'local' | 's3';
  /**
   * Gives the URI under which `put` stores this key.
   * @throws ProblemError invalid_artifact_key for a key that points outside the store
   */
  uriOf(key: string): string;
  /**
   * Gives the key of a URI or address. An address in another folder gets the key of this store's object whose
   * path has the same end.
   * @throws ProblemError artifact_uri_refused
   */
  keyOf(uri: string): string;
  /**
   * Says where an object is (`file:///` or `s3://<bucket>/<key>`). The address of another store is returned
   * unchanged.
   */
  addressOf(uri: string): string;
  /**
   * Stores all bytes under the key or none, so a reader never sees a part. An existing object of that key is
   * replaced.
   * @throws ProblemError invalid_artifact_key; the error of the source or the signal
   */
  put(key: string, bytes: ArtifactBytes, options?: { signal?: AbortSignal }): Promise<StoredArtifact>;
  /** Streams the object, or a part of it. @throws ProblemError artifact_not_found, artifact_uri_refused */
  get(
    uri: string,
    options?: { start?: number; endExclusive?: number; signal?: AbortSignal },
  ): AsyncIterable<Uint8Array>;
  /**
   * Gives the size of an object; null when it does not exist.
   * @throws ProblemError artifact_uri_refused for a URI of another store
   */
  size(uri: string): Promise<number | null>;
  /**
   * Lists every object, in no particular order. Objects that are stored or deleted meanwhile may be included
   * or missing.
   */
  list(): AsyncIterable<ListedArtifact>;
  /** Deletes an object; it does not matter if the object is missing. */
  delete(uri: string): Promise<void>;
  /**
   * Gives an address that a browser can read for `ttlSeconds`; null if the store has no such addresses (the
   * local folder).
   */
  url(uri: string, ttlSeconds: number): Promise<string | null>;
}

export type ArtifactBytes = Uint8Array | AsyncIterable<Uint8Array>;

export interface ListedArtifact {
  key: string;
  uri: string;
  sizeBytes: number;
  /** The clock of the store gives the time of the last `put`. */
  modifiedAt: Date;
}

export interface StoredArtifact {
  uri: string;
  sizeBytes: number;
  /** The digest is written in hexadecimal digits. */
  sha256: string;
}
