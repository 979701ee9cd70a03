import type { S3Client } from '@aws-sdk/client-s3';
import type { RetryRule } from '../retry-policy.js';

export type RequestRetry = Pick<RetryRule, 'retries' | 'pause'>;

export interface BucketOptions {
  bucket: string;
  /** The prefix begins every key; an empty text means none. */
  prefix: string;
  /** The service has this address; null means AWS. */
  endpoint: string | null;
  /** The bucket is in this region; null means the region that the AWS chain finds. */
  region: string | null;
  /** A connection that brings no data for this long is closed and retried. */
  idleMs?: number;
  /** A request is retried in this way. The default suits a caller who waits for the answer. */
  retry?: RequestRetry;
  /**
   * The size of a part is at least 5 MiB. An object has up to 10,000 parts, and three of them are in memory
   * at once.
   */
  partBytes?: number;
}

export interface Bucket {
  client: S3Client;
  name: string;
  idleMs: number;
  retry: RequestRetry;
  partBytes: number;
}
