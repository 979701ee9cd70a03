import type { S3Client } from '@aws-sdk/client-s3';
import type { RetryRule } from '../retry-policy.js';

export type RequestRetry = Pick<RetryRule, 'retries' | 'pause'>;

export interface BucketOptions {
  bucket: string;
  /** Prefix of every key; '' for none. */
  prefix: string;
  /** Address of the service; null: AWS. */
  endpoint: string | null;
  /** null: the region of the AWS chain. */
  region: string | null;
  /** A connection without data for this long is closed and retried. */
  idleMs?: number;
  /** Retries of a request. Default: as for a caller who waits for the answer. */
  retry?: RequestRetry;
  /** Size of a part, at least 5 MiB; an object has up to 10,000 parts, three of which are in memory at once. */
  partBytes?: number;
}

export interface Bucket {
  client: S3Client;
  name: string;
  idleMs: number;
  retry: RequestRetry;
  partBytes: number;
}
