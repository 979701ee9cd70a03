import { type EmbeddingConfigId, importedBackend, uuidOf } from '@kindred/contracts';
import { z } from 'zod';
import { afterQuery } from '../../cursor.js';
import { limitQuery } from '../../validation.js';

export const configParams = z.object({ id: uuidOf<EmbeddingConfigId>() });
export const configListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });

const recipe = {
  model_name: z.string().trim().min(1).max(300),
  model_backend: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .meta({ description: 'Name of an installed backend, see /backends' }),
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
};
export const configBody = z
  .strictObject({
    ...recipe,
    dimension: z.int().min(1).max(65_536).optional().meta({
      description: 'With model_backend "imported" alone: numbers per vector. A backend tells its own',
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
