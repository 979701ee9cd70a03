import { z } from 'zod';
import { wholeNumber } from '../fields.js';
import { type EvaluationSetId, uuidOf } from '../ids.js';
import { routesOf } from '../route.js';

/** Whether a figure is listed for everyone. */
export const listedFigure = z.boolean().meta({
  description: 'Everyone sees it; false: only the owner of its predictions, operators and administrators do',
});

export const embeddingsReply = z.object({
  embeddings: z.array(
    z.object({
      id: z.guid(),
      model_name: z.string(),
      model_backend: z.string(),
      description: z.string().nullable(),
      pooling: z.string(),
      layer_agg: z.string(),
      display_name: z.string().nullable(),
      family: z.string().nullable(),
      param_count: z.int().nullable(),
    }),
  ),
  total: z.int(),
});

export const matrixQuery = z.strictObject({
  evaluation_set_id: uuidOf<EvaluationSetId>().optional(),
  stage: z.string().min(1).max(255).optional().meta({ description: 'Rows of this stage alone' }),
  k: wholeNumber(z.int().min(1).max(500)).optional().meta({
    description: 'Only rows of predictions with this many neighbours',
  }),
});

export const cellReply = z.object({
  embedding_config_id: z.guid().nullable().meta({ description: 'null: a method without embeddings' }),
  more_embedding_config_ids: z
    .array(z.guid())
    .meta({ description: 'Configurations whose neighbours were merged with those of the first' }),
  embedding_name: z.string().nullable().meta({ description: 'Of all of them' }),
  evaluation_set_id: z.guid(),
  stage: z.string(),
  k: z.int().meta({ description: 'Neighbours per query; 0 for methods without neighbours' }),
  category: z.string(),
  aspect: z.string(),
  fmax: z.number(),
  precision: z.number().nullable(),
  recall: z.number().nullable(),
  coverage: z.number().nullable(),
  fmax_w: z.number().nullable().meta({ description: 'Weighted by information accretion' }),
  n_proteins: z.int().nullable(),
  evaluation_result_id: z.guid(),
  prop: z.string(),
  norm: z.string(),
  no_orphans: z.boolean(),
  th_step: z.number(),
  listed: listedFigure,
});
const bestReply = z.record(z.string(), z.record(z.string(), cellReply));

export const matrixReply = z.object({
  rows: z.array(cellReply).meta({
    description: 'The newest result of each embedding, evaluation set, stage and k, per category and aspect',
  }),
  total: z.int(),
  evaluation_sets: z.array(
    z.object({
      id: z.guid(),
      label: z.string(),
      old_source: z.string(),
      old_source_version: z.string(),
      new_source: z.string(),
      new_source_version: z.string(),
      obo_version: z.string(),
      stats: z.record(z.string(), z.unknown()),
    }),
  ),
  embedding_config_ids: z.array(z.guid()),
  stages: z.array(
    z.object({
      name: z.string(),
      label: z.string(),
      kind: z
        .enum(['scoring_config', 'reranker', 'method'])
        .meta({ description: 'method: predictions with the scores of the method that made them' }),
      is_baseline: z.boolean(),
    }),
  ),
  categories: z.array(z.string()),
  aspects: z.array(z.string()),
  ks: z.array(z.int()),
  best_per_cell: bestReply.meta({ description: 'Of the rows shown: category, aspect, row' }),
  best_per_cell_global: bestReply.meta({ description: 'Of all rows, before the filters' }),
  filters: z.object({
    evaluation_set_id: z.guid().nullable(),
    stage: z.string().nullable(),
    k: z.int().nullable(),
  }),
});

export const benchmarkRoutes = routesOf('benchmark', {
  embeddings: {
    method: 'GET',
    path: '/benchmark/embeddings',
    floor: 'viewer',
    summary: 'Embedding configurations with their figures',
    reply: { 200: embeddingsReply },
  },
  matrix: {
    method: 'GET',
    path: '/benchmark/matrix',
    floor: 'viewer',
    summary: 'Fmax of every embedding and stage, per category and aspect',
    query: matrixQuery,
    reply: { 200: matrixReply },
  },
});
