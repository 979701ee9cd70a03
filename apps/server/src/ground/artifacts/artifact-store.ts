/**
 * Files that outlive a job and are shared by machines: boosters, datasets, reference banks, evaluation tables. A key is
 * a relative path such as `rerankers/<run id>/model.txt`; database rows store its URI, `artifact:<key>`, so that a store
 * can be moved and copied. Rows of 0.3.0 and before hold whole addresses (`file:///` or `s3://<bucket>/<key>`), which are
 * read, too.
 */
export interface ArtifactStore {
  readonly backend: 'local' | 's3';
  /**
   * URI under which `put` stores this key. @throws ProblemError invalid_artifact_key for a key that points outside the
   * store
   */
  uriOf(key: string): string;
  /**
   * Key of a URI or address. A file below another folder has the key of the object of this store whose path ends alike.
   * @throws ProblemError artifact_uri_refused
   */
  keyOf(uri: string): string;
  /** Where an object is (`file:///` or `s3://<bucket>/<key>`); an address of another store as it was given. */
  addressOf(uri: string): string;
  /**
   * Stores the bytes under the key, all or nothing: a reader never sees a part. Replaces an existing object of that
   * key.
   * @throws ProblemError invalid_artifact_key; the error of the source or the signal
   */
  put(key: string, bytes: ArtifactBytes, options?: { signal?: AbortSignal }): Promise<StoredArtifact>;
  /** Streams the object, or a part of it. @throws ProblemError artifact_not_found, artifact_uri_refused */
  get(
    uri: string,
    options?: { start?: number; endExclusive?: number; signal?: AbortSignal },
  ): AsyncIterable<Uint8Array>;
  /** Size of an object; null when it does not exist. @throws ProblemError artifact_uri_refused for a URI of another store */
  size(uri: string): Promise<number | null>;
  /** Every object, in no particular order; objects that are stored or deleted meanwhile may be included or missing. */
  list(): AsyncIterable<ListedArtifact>;
  /** Deletes an object; does nothing when it does not exist. */
  delete(uri: string): Promise<void>;
  /** An address that a browser can fetch from for a while; null where the store has none (the local folder). */
  url(uri: string, ttlSeconds: number): Promise<string | null>;
}

export type ArtifactBytes = Uint8Array | AsyncIterable<Uint8Array>;

export interface ListedArtifact {
  key: string;
  uri: string;
  sizeBytes: number;
  /** When it was stored last, by the clock of the store. */
  modifiedAt: Date;
}

export interface StoredArtifact {
  uri: string;
  sizeBytes: number;
  /** Hexadecimal digest. */
  sha256: string;
}
