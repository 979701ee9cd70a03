import { z } from 'zod';
import { optionalText } from './schemas.js';
import type { SettingRow } from './setting-row.js';

export const artifactsSettingRows = {
  artifactBackend: {
    env: 'SVC_ARTIFACT_BACKEND',
    yaml: 'artifacts.backend',
    schema: z.enum(['local', 's3'], 'must be local or s3').default('local'),
    example: 's3',
    description: 'Storage of datasets, boosters and tables: a local folder, or an S3 bucket',
  },
  artifactDir: {
    env: 'SVC_ARTIFACT_DIR',
    yaml: 'artifacts.dir',
    schema: optionalText,
    whenUnset: '<SVC_DATA_DIR>/artifacts',
    example: '/srv/kindred/artifacts',
    description: 'Folder of the artifacts; all processes must see the same one',
  },
  artifactBucket: {
    env: 'SVC_ARTIFACT_BUCKET',
    yaml: 'artifacts.bucket',
    schema: optionalText,
    example: 'lab-kindred',
    description: 'Bucket of the artifacts; credentials come from the standard AWS chain',
  },
  artifactPrefix: {
    env: 'SVC_ARTIFACT_PREFIX',
    yaml: 'artifacts.prefix',
    schema: optionalText,
    example: 'production',
    description: 'Prefix of every key in the bucket',
  },
  artifactEndpoint: {
    env: 'SVC_ARTIFACT_ENDPOINT',
    yaml: 'artifacts.endpoint',
    schema: optionalText,
    whenUnset: 'that of AWS',
    example: 'https://minio.lab.example:9000',
    description: 'Address of an S3 service that is not AWS; buckets are then part of the path',
  },
  artifactRegion: {
    env: 'SVC_ARTIFACT_REGION',
    yaml: 'artifacts.region',
    schema: optionalText,
    whenUnset: 'that of the AWS chain, or us-east-1 with an endpoint',
    example: 'eu-central-1',
    description: 'Region of the bucket',
  },
} as const satisfies Record<string, SettingRow>;

export type ArtifactSettings = { backend: 'local'; folder: string } | ({ backend: 's3' } & BucketSettings);

export interface BucketSettings {
  bucket: string;
  /** The prefix begins every key; an empty text means none. */
  prefix: string;
  /** The service has this address; null means AWS. */
  endpoint: string | null;
  /** The bucket is in this region; null means the region that the AWS chain finds. */
  region: string | null;
}
