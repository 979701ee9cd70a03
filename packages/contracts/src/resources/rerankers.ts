import { z } from 'zod';
import { afterQuery, aspectQuery, limitQuery, tsvReply, wholeNumber, decimalNumber } from '../fields.js';
import { type RerankerModelId, uuidOf, type PredictionSetId, type EvaluationSetId } from '../ids.js';
import { routesOf } from '../route.js';
import { scoreMetricsReply, metricCategory } from './scoring.js';
import { aspects, categories } from '../vocabulary.js';

const recordedId = z.guid().nullish();
const text = (length: number) => z.string().min(1).max(length).nullish();
const sha = z.string().regex(/^[0-9a-f]{12,16}$/, 'expected 12 to 16 hex digits');
const categoryValues = z.array(z.union([z.string().max(200), z.number(), z.boolean()])).max(10_000);

/**
 * The fields of a training run's run.json that the service reads. Everything else is kept as it is. The fingerprint of the training
 * features is `features.feature_schema_sha`, else `dataset.schema_sha`, else that of the features that the model names.
 */
export const runRecord = z.looseObject({
  run_id: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/,
      'expected letters, digits, dots, hyphens and underscores, at most 200',
    ),
  dataset: z
    .looseObject({
      schema_sha: sha.nullish(),
      embedding_config_id: recordedId,
      ontology_snapshot_id: recordedId,
      producer_version: text(64),
      producer_git_sha: text(40),
    })
    .nullish(),
  features: z
    .looseObject({
      feature_schema_sha: sha.nullish(),
      /** The values of category features in the order of their codes, for models without the pandas_categorical line. */
      categories: z.record(z.string().max(255), categoryValues).nullish(),
    })
    .nullish(),
  producer_version: text(64),
  producer_git_sha: text(40),
  metrics: z.record(z.string(), z.unknown()).nullish(),
  feature_importance: z.record(z.string(), z.number()).nullish(),
});
export type RunRecord = z.infer<typeof runRecord>;

export const rerankerParams = z.object({ id: uuidOf<RerankerModelId>() });
export const rerankerListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });

/** The maximum length of spec.yaml, in characters. */
export const longestSpec = 1 << 20;
const specYaml = z.string().max(longestSpec);

/** The text fields of the multipart form, which the JSON route takes besides the files. */
const choices = {
  name: z.string().trim().min(1).max(255).nullish().meta({ description: 'Default: the run_id of run.json' }),
  dataset_id: z.guid().nullish().meta({ description: 'Null if this service does not have the dataset' }),
  external_source: z.string().trim().min(1).max(500).nullish(),
};
const truth = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
  .default(false)
  .meta({ description: 'Replace a re-ranker of this name' });
export const formFields = z.strictObject({ ...choices, force: truth });
export const referenceBody = z.strictObject({
  artifact_uri: z
    .string()
    .max(512)
    .regex(/^(file:\/\/\/|s3:\/\/[^/]+\/)\S+$/, 'expected file:///path or s3://bucket/key'),
  run_json: runRecord,
  spec_yaml: specYaml,
  ...choices,
  force: z.boolean().default(false).meta({ description: 'Replace a re-ranker of this name' }),
});
const part = (description: string) => z.file().meta({ description });
/** The form as the description shows it. */
export const importForm = z.strictObject({
  'model.txt': part('The booster as LightGBM saves it as text'),
  'spec.yaml': part('What it was trained on and how'),
  'run.json': part('The run record, as run_json of import-by-reference'),
  ...choices,
  force: truth,
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
  category: z.enum(categories).nullable(),
  aspect: z.enum(aspects).nullable(),
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

const rerankParams = z.object({ id: uuidOf<PredictionSetId>() });
const rerankerId = uuidOf<RerankerModelId>();
const iterationLimit = wholeNumber(z.int().min(1).max(1_000_000))
  .optional()
  .meta({ description: 'Use only this many iterations of the booster, from the first on' });
const rerankQuery = z.strictObject({
  reranker_id: rerankerId,
  min_score: decimalNumber(z.number().min(0).max(1)).optional(),
  accession: z.string().min(1).max(255).optional(),
  aspect: aspectQuery,
  num_iteration: iterationLimit,
});

const rerankerMetricsQuery = z.strictObject({
  reranker_id: rerankerId,
  evaluation_set_id: uuidOf<EvaluationSetId>(),
  category: metricCategory,
  num_iteration: iterationLimit,
});
const rerankerMetricsReply = scoreMetricsReply.extend({ reranker_id: z.guid(), reranker_name: z.string() });

export const rerankerRoutes = routesOf('re-rankers', {
  import: {
    method: 'POST',
    path: '/reranker-models/import',
    floor: 'operator',
    refuses: [409],
    summary: 'Upload and register a LightGBM re-ranker: model.txt, spec.yaml, run.json',
    rate: 'imports',
    upload: { form: importForm },
    reply: { 201: rerankerDetailReply },
  },
  importByReference: {
    method: 'POST',
    path: '/reranker-models/import-by-reference',
    floor: 'operator',
    refuses: [409],
    summary: 'Register a re-ranker whose booster is in the artifact store already',
    rate: 'imports',
    body: referenceBody,
    reply: { 201: rerankerDetailReply },
  },
  list: {
    method: 'GET',
    path: '/scoring/rerankers',
    floor: 'viewer',
    summary: 'List re-rankers, newest first',
    query: rerankerListQuery,
    reply: { 200: z.array(rerankerReply) },
  },
  show: {
    method: 'GET',
    path: '/scoring/rerankers/:id',
    floor: 'viewer',
    summary: 'One re-ranker with metrics and feature importance',
    params: rerankerParams,
    reply: { 200: rerankerDetailReply },
  },
  remove: {
    method: 'DELETE',
    path: '/scoring/rerankers/:id',
    floor: 'operator',
    summary: 'Delete a re-ranker and the booster that came with it',
    params: rerankerParams,
    reply: { 204: z.null().meta({ description: 'Deleted' }) },
  },
  rerank: {
    method: 'GET',
    path: '/scoring/prediction-sets/:id/rerank.tsv',
    floor: 'viewer',
    refuses: [409],
    summary: 'Predictions re-scored by a re-ranker, as TSV',
    params: rerankParams,
    query: rerankQuery,
    reply: {
      200: tsvReply,
    },
  },
  metrics: {
    method: 'GET',
    path: '/scoring/prediction-sets/:id/reranker-metrics',
    floor: 'viewer',
    refuses: [409],
    summary: 'Fmax and AUC-PR of re-ranker scores per aspect',
    params: rerankParams,
    query: rerankerMetricsQuery,
    reply: { 200: rerankerMetricsReply },
  },
});
