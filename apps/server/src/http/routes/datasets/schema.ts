import { datasetName, type EmbeddingConfigId, type OntologySnapshotId, uuidOf } from '@kindred/contracts';
import { z } from 'zod';
import { afterQuery } from '../../cursor.js';
import { limitQuery } from '../../validation.js';

/** The database takes no NUL in a text. */
const plain = /^\P{Cc}*$/u;

export const datasetParams = z.object({
  id_or_name: z
    .string()
    .min(1)
    .max(255)
    .regex(plain, 'control characters')
    .meta({ description: 'UUID or name' }),
});
export const datasetListQuery = z.strictObject({
  limit: limitQuery(500),
  after: afterQuery,
  name_like: z
    .string()
    .min(1)
    .max(255)
    .regex(plain, 'control characters')
    .optional()
    .meta({ description: 'Part of the name, in any case' }),
  embedding_config_id: uuidOf<EmbeddingConfigId>().optional(),
});
export const downloadQuery = z.strictObject({ artifact: z.enum(['train', 'eval', 'manifest']) });

const uri = z
  .string()
  .max(1024)
  .regex(/^(file:\/\/\/|s3:\/\/[^/]+\/)\S+$/, 'expected file:///path or s3://bucket/key');
const hex = (length: number) =>
  z.string().regex(new RegExp(`^[0-9a-f]{${length}}$`), `expected ${length} hex digits`);
const rows = z.int().min(0).default(0);

/** Dump parameters are those of the manifest; where it can be read, they must agree with it. */
export const importBody = z.strictObject({
  name: datasetName,
  storage_backend: z.enum(['local', 's3', 'minio']).default('local'),
  key_prefix: z.string().trim().min(1).max(512),
  train_uri: uri.nullable().default(null),
  eval_uri: uri.nullable().default(null),
  manifest_uri: uri,
  schema_sha: z.string().regex(/^[0-9a-f]{12,16}$/, 'expected 12 to 16 hex digits'),
  manifest_sha: hex(64).nullable().default(null),
  k: z.int().min(1).max(10_000),
  annotation_source: z.string().trim().min(1).max(32).default('goa'),
  n_train_rows: rows,
  n_eval_rows: rows,
  embedding_config_id: uuidOf<EmbeddingConfigId>().nullable().default(null),
  ontology_snapshot_id: uuidOf<OntologySnapshotId>().nullable().default(null),
  train_snapshot_pairs: z.array(z.string().min(1).max(200)).max(500).default([]),
  eval_snapshot_pair: z.string().min(1).max(200).nullable().default(null),
  producer_version: z.string().min(1).max(64).nullable().default(null),
  producer_git_sha: z.string().min(1).max(40).nullable().default(null),
  external_source: z.string().min(1).max(500).nullable().default(null),
  meta: z.record(z.string().max(200), z.json()).default({}),
  force: z.boolean().default(false).meta({ description: 'Take the place of a dataset of this name' }),
});
export type ImportBody = z.infer<typeof importBody>;

export const datasetReply = z.object({
  id: z.guid(),
  name: z.string(),
  job_id: z.guid().nullable(),
  storage_backend: z.string(),
  key_prefix: z.string(),
  train_uri: z.string().nullable(),
  eval_uri: z.string().nullable(),
  manifest_uri: z.string(),
  schema_sha: z.string(),
  manifest_sha: z.string().nullable(),
  n_train_rows: z.int(),
  n_eval_rows: z.int(),
  k: z.int(),
  annotation_source: z.string(),
  embedding_config_id: z.guid().nullable(),
  ontology_snapshot_id: z.guid().nullable(),
  train_snapshot_pairs: z.array(z.string()),
  eval_snapshot_pair: z.string().nullable(),
  producer_version: z.string().nullable(),
  producer_git_sha: z.string().nullable(),
  meta: z.record(z.string(), z.unknown()),
  created_at: z.string(),
});
