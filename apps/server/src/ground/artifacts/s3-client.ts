import { DeleteObjectCommand, HeadObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { retryPolicy } from '../retry-policy.js';
import type { SigningKey } from './presign.js';
import type { Bucket, BucketOptions } from './s3-bucket.js';
import { artifactProblem, isAbsent } from './s3-errors.js';

export { readObject } from './s3-read.js';
export { writeObject } from './s3-write.js';

/** Opening a bucket makes no request; the first operation does. */
export function openBucket(options: BucketOptions): Bucket {
  const { bucket: name, idleMs = 30_000, partBytes = 16 << 20 } = options;
  const retry = options.retry ?? retryPolicy.answeredArtifactRequest;
  const client = new S3Client({
    ...(options.endpoint === null ? {} : { endpoint: options.endpoint, forcePathStyle: true }),
    ...regionOf(options),
    // Some servers store the trailing checksums of newer clients as part of the object.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 1 + retry.retries,
    requestHandler: { connectionTimeout: idleMs, requestTimeout: idleMs, throwOnRequestTimeout: true },
  });
  return { client, name, idleMs, retry, partBytes };
}

function regionOf({ endpoint, region }: BucketOptions): { region?: string } {
  if (region !== null) return { region };
  return endpoint === null ? {} : { region: 'us-east-1' };
}

export interface ObjectName {
  uri: string;
  key: string;
}

/** Reads the size of an object; null means that it does not exist. */
export async function objectSize({ client, name }: Bucket, { uri, key }: ObjectName): Promise<number | null> {
  try {
    const head = await client.send(new HeadObjectCommand({ Bucket: name, Key: key }));
    return head.ContentLength ?? null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw artifactProblem(error, uri, 'read');
  }
}

export async function* listObjects(
  { client, name }: Bucket,
  prefix: string,
): AsyncGenerator<{ key: string; sizeBytes: number; modifiedAt: Date }> {
  try {
    for await (const page of paginateListObjectsV2({ client }, { Bucket: name, Prefix: prefix }))
      for (const { Key: key, Size: sizeBytes, LastModified: modifiedAt } of page.Contents ?? [])
        if (key !== undefined)
          // An object without a time counts as new, so that nobody deletes it for its age.
          yield { key, sizeBytes: sizeBytes ?? 0, modifiedAt: modifiedAt ?? new Date() };
  } catch (error) {
    throw artifactProblem(error, `s3://${name}/${prefix}`, 'read');
  }
}

export async function deleteObject({ client, name }: Bucket, { uri, key }: ObjectName): Promise<void> {
  try {
    await client.send(new DeleteObjectCommand({ Bucket: name, Key: key }));
  } catch (error) {
    if (!isAbsent(error)) throw artifactProblem(error, uri, 'written');
  }
}

export async function signingKeyOf({ client }: Bucket, uri: string): Promise<SigningKey> {
  try {
    return { ...(await client.config.credentials()), region: await client.config.region() };
  } catch (error) {
    throw artifactProblem(error, uri, 'read');
  }
}
