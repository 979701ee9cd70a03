import { z } from 'zod';
import { afterQuery, embeddingConfigId, limitQuery } from '../fields.js';
import { type EmbeddingConfigId, type EvaluationSetId, type OntologySnapshotId, uuidOf } from '../ids.js';
import type { OperationRow } from '../operation.js';
import { routesOf } from '../route.js';
import { queuedReply } from './jobs.js';
import { metrics } from '../vocabulary.js';

const evaluationSetId = uuidOf<EvaluationSetId>();

/** The name of a dataset. It appears in addresses as an id does, so it has no slash and no white space at its ends. */
export const datasetName = z
  .string()
  .min(1)
  .max(255)
  // oxlint-disable-next-line eslint/no-control-regex -- a class by name (\p{Cc}) is unknown to many readers of the description
  .regex(/^[^\s/\\](?:[^/\\\x00-\x1f\x7f-\x9f]*[^\s/\\])?$/, 'no / or \\ and no space at the ends')
  .refine((name) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name), 'a name must not be a UUID')
  .meta({ description: 'Unique; GET /datasets/{name} finds it' });

/** The pattern excludes NUL, because the database takes none in a text. */
// oxlint-disable-next-line eslint/no-control-regex -- as above
const plain = /^[^\x00-\x1f\x7f-\x9f]*$/;

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
/** Makes the schema for the address of a file of the triple, whose name is fixed. */
const fileUri = (name: string) =>
  uri.refine((text) => text.endsWith(`/${name}`), `expected the address of a ${name}`);
const count = z.int().min(0);

/** The body of an import. Fields that the manifest or its address also says may be left out; given ones must agree with them. */
export const importBody = z.strictObject({
  name: datasetName,
  storage_backend: z
    .enum(['local', 's3', 'minio'])
    .optional()
    .meta({ description: 'Default: as the address of the manifest says' }),
  key_prefix: z
    .string()
    .trim()
    .min(1)
    .max(512)
    .optional()
    .meta({ description: 'Key of the folder of the three files. Default: that of the manifest' }),
  train_uri: fileUri('train.parquet').optional().meta({ description: 'Default: beside the manifest' }),
  eval_uri: fileUri('eval.parquet').optional().meta({ description: 'Default: beside the manifest' }),
  manifest_uri: fileUri('manifest.json'),
  schema_sha: hex(16).optional(),
  manifest_sha: hex(64).nullish(),
  k: z.int().min(1).max(10_000).optional(),
  annotation_source: z.string().trim().min(1).max(32).optional(),
  n_train_rows: count.optional(),
  n_eval_rows: count.optional(),
  embedding_config_id: uuidOf<EmbeddingConfigId>().nullish(),
  ontology_snapshot_id: uuidOf<OntologySnapshotId>().nullish(),
  train_snapshot_pairs: z.array(z.string().min(1).max(200)).max(500).optional(),
  eval_snapshot_pair: z.string().min(1).max(200).nullish(),
  producer_version: z.string().min(1).max(64).nullish(),
  producer_git_sha: z.string().min(1).max(40).nullish(),
  external_source: z.string().min(1).max(500).nullable().default(null),
  meta: z.record(z.string().max(200), z.unknown()).default({}),
  force: z.boolean().default(false).meta({ description: 'Replace a dataset of this name' }),
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

export const exportDatasetPayload = z
  .strictObject({
    name: datasetName,
    embedding_config_id: embeddingConfigId,
    train_evaluation_set_ids: z
      .array(evaluationSetId)
      .min(1)
      .max(50)
      .meta({ description: 'Temporal holdouts whose rows go into train.parquet, in this order' }),
    eval_evaluation_set_id: evaluationSetId.meta({
      description: 'The holdout whose rows go into eval.parquet; none of the training ones',
    }),
    k: z
      .int()
      .min(1)
      .max(500)
      .default(5)
      .meta({ description: 'Neighbours per search, in distinct sequences' }),
    metric: z.enum(metrics).default('cosine'),
    distance_threshold: z.number().min(0).nullable().default(null),
    aspect_separated_knn: z.boolean().default(true),
    include_self: z.boolean().default(false).meta({
      description: 'Let a query find its own sequence, as the prediction that will be re-ranked does',
    }),
    compute_alignments: z.boolean().default(false).meta({ description: 'Fill the alignment columns' }),
    compute_taxonomy: z
      .boolean()
      .default(false)
      .meta({ description: 'Fill the taxonomic columns (after load_taxonomy)' }),
    compute_reranker_features: z
      .boolean()
      .default(true)
      .meta({ description: 'Fill the columns of votes, frequencies, term vectors, projection and lineage' }),
    batch_size: z.int().min(1).max(4096).default(256).meta({ description: 'Proteins in work at once' }),
  })
  .refine((payload) => !payload.train_evaluation_set_ids.includes(payload.eval_evaluation_set_id), {
    message: 'is one of train_evaluation_set_ids: a model would be judged by what it was trained on',
    path: ['eval_evaluation_set_id'],
  })
  .refine(
    (payload) => new Set(payload.train_evaluation_set_ids).size === payload.train_evaluation_set_ids.length,
    {
      message: 'an evaluation set is given twice',
      path: ['train_evaluation_set_ids'],
    },
  );

export const datasetOperations = [
  {
    name: 'export_research_dataset',
    queue: 'svc.training',
    light: false,
    payload: exportDatasetPayload,
    description:
      'Publish a frozen training dataset: features of transferred terms, labelled by temporal holdouts',
  },
] as const satisfies readonly OperationRow[];

export const manifestVersion = 2;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const file = z.looseObject({ name: z.string(), sha256, size_bytes: z.int().min(0), rows: z.int().min(0) });

/** The fields that are read of a manifest, whoever produced it. Other fields are kept unchanged. */
export const datasetManifest = z.looseObject({
  schema_version: z
    .union([z.literal(manifestVersion), z.literal('2'), z.literal('v2')])
    .transform((): typeof manifestVersion => manifestVersion),
  name: z.string(),
  k: z.int().min(1),
  schema_sha: hex(16),
  n_train_rows: z.int().min(0),
  n_eval_rows: z.int().min(0),
  annotation_source: z.string().max(32).optional(),
  embedding_config_id: uuidOf<EmbeddingConfigId>().nullish(),
  ontology_snapshot_id: uuidOf<OntologySnapshotId>().nullish(),
  train_snapshot_pairs: z.array(z.string()).optional(),
  eval_snapshot_pair: z.string().nullish(),
  producer_version: z.string().max(64).nullish(),
  producer_git_sha: z.string().max(40).nullish(),
  axis_tuple: z.record(z.string(), z.json()).optional(),
  axis_id: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .optional(),
  files: z.object({ train: file, eval: file }).optional(),
});
export type DatasetManifest = z.infer<typeof datasetManifest>;

export const datasetRoutes = routesOf('datasets', {
  export: {
    method: 'POST',
    path: '/datasets',
    floor: 'operator',
    refuses: [409],
    summary: 'Queue export_research_dataset',
    rate: 'datasets',
    body: exportDatasetPayload,
    reply: { 202: queuedReply },
  },
  importByReference: {
    method: 'POST',
    path: '/datasets/import-by-reference',
    floor: 'operator',
    refuses: [409],
    summary: 'Register a dataset whose files are in the store already',
    rate: 'datasets',
    body: importBody,
    reply: { 201: datasetReply },
  },
  list: {
    method: 'GET',
    path: '/datasets',
    floor: 'viewer',
    summary: 'List datasets, newest first',
    query: datasetListQuery,
    reply: { 200: z.array(datasetReply) },
  },
  show: {
    method: 'GET',
    path: '/datasets/:id_or_name',
    floor: 'viewer',
    summary: 'One dataset, by id or by name',
    params: datasetParams,
    reply: { 200: datasetReply },
  },
  remove: {
    method: 'DELETE',
    path: '/datasets/:id_or_name',
    floor: 'operator',
    summary: 'Delete a dataset, and the files that its export made',
    params: datasetParams,
    reply: { 204: z.null() },
  },
  download: {
    method: 'GET',
    path: '/datasets/:id_or_name/download',
    floor: 'viewer',
    summary: 'One of the three files of a dataset',
    params: datasetParams,
    query: downloadQuery,
    reply: {
      200: {
        description: 'The file',
        content: { 'application/octet-stream': { schema: z.string() } },
      },
    },
  },
});
