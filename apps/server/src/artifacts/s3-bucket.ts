import type { S3Client } from '@aws-sdk/client-s3';

export interface BucketOptions {
  bucket: string;
  /** Before every key; '' for none. */
  prefix: string;
  /** null: AWS. */
  endpoint: string | null;
  /** null: what the AWS chain says. */
  region: string | null;
  /** A connection that is silent for so long is given up and tried again. */
  idleMs?: number;
  /** Tries of one request. */
  attempts?: number;
  /** At least 5 MiB; an object has up to 10,000 parts, three of which are in memory at once. */
  partBytes?: number;
}

export interface Bucket {
  client: S3Client;
  name: string;
  idleMs: number;
  attempts: number;
  partBytes: number;
}
