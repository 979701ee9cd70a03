import { z } from 'zod';
import {
  accession,
  afterQuery,
  embeddingConfigId,
  limitQuery,
  querySetId,
  timeoutSeconds,
  url,
} from '../fields.js';
import { type EmbeddingConfigId, type ReferenceId, uuidOf } from '../ids.js';
import type { OperationRow } from '../operation.js';

/** The default is small, so that a worker with a language model loses little if it is killed. */
export const defaultSequencesPerBatch = 256;
import { mostAccessions, routesOf } from '../route.js';

/** The backend of configurations whose vectors are only imported, never computed. */
export const importedBackend = 'imported';

export const configParams = z.object({ id: uuidOf<EmbeddingConfigId>() });
export const configListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });

const choicesOfRecipe = z.object({
  layer_indices: z
    .array(z.int().min(0).max(1000))
    .min(1)
    .max(100)
    .default([0])
    .meta({ description: '0 is the last layer' }),
  layer_agg: z.enum(['mean', 'last', 'concat']).default('mean'),
  pooling: z.enum(['mean', 'max', 'cls', 'mean_max']).default('mean'),
  normalize_residues: z.boolean().default(false),
  normalize: z.boolean().default(true),
  max_length: z.int().min(1).max(100_000).default(1022),
  use_chunking: z.boolean().default(false),
  chunk_size: z.int().min(1).max(100_000).default(512),
  chunk_overlap: z.int().min(0).max(100_000).default(0),
});
const recipe = {
  model_name: z.string().trim().min(1).max(300),
  model_backend: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .meta({ description: 'Name of an installed backend, see /backends' }),
  ...choicesOfRecipe.shape,
};
export const configBody = z
  .strictObject({
    ...recipe,
    dimension: z.int().min(1).max(65_536).optional().meta({
      description: 'Only with model_backend "imported": numbers per vector. Other backends have their own',
    }),
    description: z.string().max(10_000).nullish(),
  })
  .refine((body) => (body.model_backend === importedBackend) === (body.dimension !== undefined), {
    message: 'give dimension with model_backend "imported", and with no other',
    path: ['dimension'],
  })
  .refine((body) => body.chunk_overlap < body.chunk_size, {
    message: 'must be smaller than chunk_size',
    path: ['chunk_overlap'],
  });

/** Completes a recipe by the defaults of a configuration. The values that are given are not checked. */
export function completeRecipe({
  model_name,
  model_backend,
  ...given
}: { model_name: string; model_backend: string } & z.input<typeof choicesOfRecipe>) {
  return { model_name, model_backend, ...choicesOfRecipe.parse({}), ...given };
}

export const configReply = z.object({
  id: z.guid(),
  model_name: z.string(),
  model_backend: z.string(),
  layer_indices: z.array(z.int()),
  layer_agg: z.enum(['mean', 'last', 'concat']),
  pooling: z.enum(['mean', 'max', 'cls', 'mean_max']),
  normalize_residues: z.boolean(),
  normalize: z.boolean(),
  max_length: z.int(),
  use_chunking: z.boolean(),
  chunk_size: z.int(),
  chunk_overlap: z.int(),
  dimension: z.int(),
  display_name: z.string().nullable(),
  family: z.string().nullable(),
  param_count: z.int().nullable(),
  description: z.string().nullable(),
  created_at: z.string(),
  embedding_count: z.int(),
});
export const configDeletedReply = z.object({ deleted: z.guid(), embeddings_deleted: z.int() });

export const computeEmbeddingsPayload = z.strictObject({
  embedding_config_id: embeddingConfigId,
  query_set_id: querySetId
    .nullable()
    .default(null)
    .meta({ description: 'Embed the sequences of this query set' }),
  reference_id: uuidOf<ReferenceId>()
    .nullable()
    .default(null)
    .meta({ description: 'Embed the sequences of this reference' }),
  accessions: z
    .array(accession)
    .min(1)
    .max(mostAccessions)
    .nullable()
    .default(null)
    .meta({ description: 'Embed these proteins; without query_set_id, reference_id and accessions: all' }),
  sequences_per_job: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .default(null)
    .meta({
      description: `Sequences per batch message; null: ${defaultSequencesPerBatch}, or what a backend whose models take little time asks for`,
    }),
  skip_existing: z.boolean().default(true).meta({ description: 'Skip sequences that already have a vector' }),
});

export const importEmbeddingsPayload = z.strictObject({
  embedding_config_id: embeddingConfigId,
  vectors_url: url,
  format: z.enum(['auto', 'hdf5', 'npz', 'parquet', 'csv']).default('auto').meta({
    description: 'auto: detected from the first bytes. hdf5: one dataset per protein, as UniProt offers them',
  }),
  match: z.enum(['auto', 'accession', 'md5']).default('auto').meta({
    description:
      'What the keys are; auto: 32 hexadecimal digits are the MD5 of a sequence, all others accessions',
  }),
  replace: z.boolean().default(false).meta({
    description: 'Replace existing vectors; false keeps them',
  }),
  batch_size: z.int().min(1).max(10_000).default(1000).meta({ description: 'Vectors per committed batch' }),
  timeout_seconds: timeoutSeconds(300),
});

export const embeddingConfigOperations = [
  {
    name: 'compute_embeddings',
    queue: 'svc.embeddings',
    light: true,
    payload: computeEmbeddingsPayload,
    description: 'Compute the vectors of sequences with an embedding configuration',
  },
  {
    name: 'import_embeddings',
    queue: 'svc.embeddings',
    light: false,
    payload: importEmbeddingsPayload,
    description: 'Import vectors of proteins from HDF5, npz, Parquet or CSV',
  },
] as const satisfies readonly OperationRow[];

const vectorQuery = z.strictObject({
  format: z.enum(['csv', 'npz', 'parquet', 'hdf5']).default('csv').meta({
    description:
      'npz: arrays ids and vectors (float16). hdf5: one dataset per protein. parquet: accession and vector',
  }),
  key: z
    .enum(['accession', 'md5'])
    .default('accession')
    .meta({ description: 'What the vectors are filed under; md5: each distinct sequence once' }),
});
const vectorsReply = {
  description: 'Streamed; text is gzip where accepted',
  content: {
    'text/csv': { schema: z.string() },
    'application/octet-stream': { schema: z.string() },
  },
};

export const embeddingConfigRoutes = routesOf('embeddings', {
  list: {
    method: 'GET',
    path: '/embeddings/configs',
    floor: 'viewer',
    summary: 'List embedding configurations',
    query: configListQuery,
    reply: { 200: z.array(configReply) },
  },
  create: {
    method: 'POST',
    path: '/embeddings/configs',
    floor: 'operator',
    summary: 'Create an immutable embedding configuration; 200 with the existing one for an equal recipe',
    body: configBody,
    reply: { 200: configReply, 201: configReply },
  },
  show: {
    method: 'GET',
    path: '/embeddings/configs/:id',
    floor: 'viewer',
    summary: 'One embedding configuration',
    params: configParams,
    reply: { 200: configReply },
  },
  remove: {
    method: 'DELETE',
    path: '/embeddings/configs/:id',
    floor: 'operator',
    refuses: [409],
    summary: 'Delete a configuration and its vectors',
    params: configParams,
    reply: { 200: configDeletedReply },
  },
  vectors: {
    method: 'GET',
    path: '/embeddings/configs/:id/vectors',
    floor: 'researcher',
    refuses: [413],
    summary: 'Vectors of a configuration as CSV, npz, Parquet or HDF5',
    params: configParams,
    query: vectorQuery,
    reply: { 200: vectorsReply },
  },
});
