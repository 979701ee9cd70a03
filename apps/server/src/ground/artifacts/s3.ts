import type { ArtifactStore } from './artifact-store.js';
import { checkRange, isKey, namesWith, refusedUri } from './keys.js';
import { presignedGet } from './presign.js';
import type { BucketOptions } from './s3-bucket.js';

/**
 * Keeps artifacts in a bucket of S3, or of a service that speaks its protocol. Credentials come from the
 * standard AWS chain. An object becomes visible when it is complete: a small one is sent in one request, a
 * larger one in parts that are joined at the end.
 */
export function createS3Artifacts(options: BucketOptions): ArtifactStore {
  const prefix = options.prefix === '' ? '' : `${options.prefix.replaceAll(/^\/+|\/+$/g, '')}/`;
  const start = `s3://${options.bucket}/${prefix}`;
  const names = namesWith({
    addressOfKey: (key) => start + key,
    partBelowStore: (address) => partAfter(start, address),
  });
  const open = lazily(async () => {
    // The client is large, so a process without S3 artifacts never loads it.
    const s3 = await import('./s3-client.js');
    return { s3, bucket: s3.openBucket(options) };
  });
  const named = (uri: string) => ({ uri: names.addressOf(uri), key: prefix + names.keyOf(uri) });
  return {
    backend: 's3',
    ...names,
    async put(key, bytes, { signal } = {}) {
      const uri = names.uriOf(key);
      const { s3, bucket } = await open();
      return { uri, ...(await s3.writeObject(bucket, named(uri), bytes, signal)) };
    },
    async *get(uri, range = {}) {
      const wanted = { ...named(uri), ...checkRange(range), signal: range.signal };
      const { s3, bucket } = await open();
      yield* s3.readObject(bucket, wanted);
    },
    async size(uri) {
      const object = named(uri);
      const { s3, bucket } = await open();
      return s3.objectSize(bucket, object);
    },
    async *list() {
      const { s3, bucket } = await open();
      for await (const { key, ...facts } of s3.listObjects(bucket, prefix)) {
        const own = key.slice(prefix.length);
        // Other programs may keep their own files in the bucket.
        if (isKey(own)) yield { key: own, uri: names.uriOf(own), ...facts };
      }
    },
    async delete(uri) {
      const object = named(uri);
      const { s3, bucket } = await open();
      await s3.deleteObject(bucket, object);
    },
    async url(uri, ttlSeconds) {
      const { key } = named(uri);
      const { s3, bucket } = await open();
      const signingKey = await s3.signingKeyOf(bucket, uri);
      const address = addressOf(options, signingKey.region, key);
      return presignedGet(address, signingKey, { now: new Date(), ttlSeconds });
    },
  };
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function addressOf({ endpoint, bucket }: BucketOptions, region: string, key: string): URL {
  const path = key.split('/').map(encodeURIComponent).join('/');
  if (endpoint !== null) return new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/${path}`);
  return new URL(`https://${bucket}.s3.${region}.amazonaws.com/${path}`);
}

function partAfter(start: string, address: string): string {
  if (address.startsWith(start)) return address.slice(start.length);
  throw refusedUri(address, `its artifacts have addresses that begin with ${start}`);
}
