import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { AbortMultipartUploadCommand, DeleteObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ArtifactBytes } from './artifact-store.js';
import { artifactProblem } from './s3-errors.js';
import type { Bucket } from './s3-bucket.js';

const partsAtOnce = 2;
const markName = 'kindred-put';

/**
 * Uploads the bytes in parts, retries each part on its own, and joins them at the end. A mark in the object's
 * metadata shows afterwards whether this upload wrote the object. So a lost response does not count as a
 * failure, and an object that was stored with a wrong length is deleted.
 */
export async function writeObject(
  bucket: Bucket,
  target: { uri: string; key: string },
  bytes: ArtifactBytes,
  signal: AbortSignal | undefined,
): Promise<{ sizeBytes: number; sha256: string }> {
  signal?.throwIfAborted();
  const source = new HashedSource(bytes, signal);
  const mark = randomUUID();
  const upload = new Upload({
    client: bucket.client,
    params: {
      Bucket: bucket.name,
      Key: target.key,
      Body: source.stream,
      Metadata: { [markName]: mark },
    },
    partSize: bucket.partBytes,
    queueSize: partsAtOnce,
    // The parts are deleted below, where a failure to delete them does not hide this error.
    leavePartsOnError: true,
  });
  const stop = () => void upload.abort();
  signal?.addEventListener('abort', stop);
  try {
    await upload.done();
    await refuseOtherLength(bucket, target, mark, source.sizeBytes);
  } catch (error) {
    await forgetParts(bucket, target.key, upload.uploadId);
    signal?.throwIfAborted();
    if (source.failure !== undefined) throw source.failure.error;
    // The last request may have succeeded although its response was lost.
    const stored = await storedLength(bucket, target.key, mark).catch(() => null);
    if (stored === null || stored !== source.sizeBytes) throw artifactProblem(error, target.uri, 'written');
  } finally {
    signal?.removeEventListener('abort', stop);
    source.stream.destroy();
  }
  return { sizeBytes: source.sizeBytes, sha256: source.digest() };
}

/** The bucket's lifecycle rule for incomplete uploads must remove the parts that cannot be deleted now. */
async function forgetParts(bucket: Bucket, key: string, uploadId: string | undefined): Promise<void> {
  if (uploadId === undefined) return;
  const parts = { Bucket: bucket.name, Key: key, UploadId: uploadId };
  await bucket.client.send(new AbortMultipartUploadCommand(parts)).catch(() => {});
}

/**
 * Gives the length of the object if it carries this mark; null means that another writer's object is there,
 * or none.
 */
async function storedLength(bucket: Bucket, key: string, mark: string): Promise<number | null> {
  const head = await bucket.client.send(new HeadObjectCommand({ Bucket: bucket.name, Key: key }));
  return head.Metadata?.[markName] === mark ? (head.ContentLength ?? null) : null;
}

async function refuseOtherLength(
  bucket: Bucket,
  { uri, key }: { uri: string; key: string },
  mark: string,
  sizeBytes: number,
): Promise<void> {
  const stored = await storedLength(bucket, key, mark);
  if (stored === null || stored === sizeBytes) return;
  await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: key }));
  throw artifactProblem(new Error(`the service stored ${stored} bytes of ${sizeBytes}`), uri, 'written');
}

/** Counts and hashes the bytes that pass, and remembers whether the source failed. */
class HashedSource {
  sizeBytes = 0;
  failure: { error: unknown } | undefined;
  readonly stream: Readable;
  readonly #hash = createHash('sha256');

  constructor(bytes: ArtifactBytes, signal: AbortSignal | undefined) {
    this.stream = Readable.from(this.#pass(bytes instanceof Uint8Array ? [bytes] : bytes, signal), {
      objectMode: false,
      highWaterMark: 1 << 20,
    });
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  async *#pass(
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of bytes) {
        signal?.throwIfAborted();
        this.#hash.update(chunk);
        this.sizeBytes += chunk.byteLength;
        if (chunk.byteLength > 0) yield chunk;
      }
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}
