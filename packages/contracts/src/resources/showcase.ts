import { z } from 'zod';
import { routesOf } from '../route.js';
import { listedFigure } from './benchmark.js';

const count = z.int();
const methodFigure = z.object({
  fmax: z.number(),
  evaluation_result_id: z.guid(),
  listed: listedFigure,
});

export const showcaseReply = z.object({
  protein_stats: z.object({ total: count, canonical: count }),
  counts: z.object({
    proteins: count,
    sequences: count,
    embeddings: count,
    prediction_sets: count,
    predictions: count,
    reranker_models: count,
    evaluations: count,
  }),
  best_fmax: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          fmax: z.number(),
          method: z.string(),
          method_label: z.string(),
          embedding_name: z.string().nullable(),
          evaluation_result_id: z.guid(),
          listed: listedFigure,
        }),
      ),
    )
    .meta({ description: 'Category, aspect, best figure' }),
  method_comparison: z
    .record(
      z.string(),
      z.array(
        z.object({
          method: z.string(),
          label: z.string(),
          is_baseline: z.boolean(),
          figures: z
            .record(z.string(), methodFigure.nullable())
            .meta({ description: 'Aspect, best Fmax of the method; null where it was not evaluated' }),
        }),
      ),
    )
    .meta({ description: 'Category, methods by falling mean Fmax' }),
  evaluation_set_id: z
    .guid()
    .nullable()
    .meta({ description: 'The newest evaluated set: figures of different sets are not mixed' }),
  sample: z.object({ prediction_set_id: z.guid(), accession: z.string() }).nullable().meta({
    description:
      'A protein of the first complete run by combined that is listed for everyone, to show what an answer looks like; null: there is none',
  }),
  pipeline_stages: z.array(z.object({ name: z.string(), count, href: z.string() })),
});

export const showcaseRoutes = routesOf('benchmark', {
  show: {
    method: 'GET',
    path: '/showcase',
    floor: 'viewer',
    summary: 'What the service holds, and how good its predictions are',
    reply: { 200: showcaseReply },
  },
});
