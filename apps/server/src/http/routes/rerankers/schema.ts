import { type RerankerModelId, uuidOf } from '@kindred/contracts';
import { z } from 'zod';
import { runRecord } from '../../../rerankers/run-record.js';
import { afterQuery } from '../../cursor.js';
import { limitQuery } from '../../validation.js';

export const rerankerParams = z.object({ id: uuidOf<RerankerModelId>() });
export const rerankerListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });

/** spec.yaml, in characters. */
export const longestSpec = 1 << 20;
const specYaml = z.string().max(longestSpec);

/** Text fields of the multipart form, and what the JSON route takes beside the files. */
const choices = {
  name: z.string().trim().min(1).max(255).nullish().meta({ description: 'Default: the run_id of run.json' }),
  dataset_id: z.guid().nullish().meta({ description: 'Left null when there is no such dataset here' }),
  external_source: z.string().trim().min(1).max(500).nullish(),
};
const truth = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
  .default(false)
  .meta({ description: 'Take the place of a re-ranker of this name' });
export const formFields = z.strictObject({ ...choices, force: truth });
export const referenceBody = z.strictObject({
  artifact_uri: z
    .string()
    .max(512)
    .regex(/^(file:\/\/\/|s3:\/\/[^/]+\/)\S+$/, 'expected file:///path or s3://bucket/key'),
  run_json: runRecord,
  spec_yaml: specYaml,
  ...choices,
  force: z.boolean().default(false).meta({ description: 'Take the place of a re-ranker of this name' }),
});
export const formParts = z.object({ run_json: runRecord, spec_yaml: specYaml });

export const rerankerReply = z.object({
  id: z.guid(),
  name: z.string(),
  run_id: z.string(),
  artifact_uri: z.string().nullable(),
  storage_backend: z.enum(['local', 's3', 'inline']),
  model_sha256: z.string(),
  model_bytes: z.int(),
  objective: z.string(),
  tree_count: z.int(),
  feature_names: z.array(z.string()),
  feature_schema_sha: z.string(),
  schema_sha_v2: z.string().nullable(),
  applicable: z
    .boolean()
    .meta({ description: 'The service computes exactly the features that the model was trained on' }),
  category: z.enum(['nk', 'lk', 'pk']).nullable(),
  aspect: z.enum(['P', 'F', 'C']).nullable(),
  embedding_config_id: z.guid().nullable(),
  ontology_snapshot_id: z.guid().nullable(),
  dataset_id: z.guid().nullable(),
  producer_version: z.string().nullable(),
  producer_git_sha: z.string().nullable(),
  external_source: z.string().nullable(),
  metrics: z.record(z.string(), z.unknown()),
  feature_importance: z.record(z.string(), z.number()),
  created_at: z.string(),
});
export const rerankerDetailReply = rerankerReply.extend({
  spec_yaml: z.string(),
  run_json: z.record(z.string(), z.unknown()),
});
