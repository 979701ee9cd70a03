import {
  type EvaluationResultId,
  type EvaluationSetId,
  type PredictionSetId,
  uuidOf,
} from '@kindred/contracts';
import { z } from 'zod';
import { afterQuery } from '../../cursor.js';
import { limitQuery } from '../../validation.js';

export const setParams = z.object({ id: uuidOf<EvaluationSetId>() });
export const resultParams = setParams.extend({ rid: uuidOf<EvaluationResultId>() });
export const setListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });
export const resultListQuery = z.strictObject({
  limit: limitQuery(500),
  after: afterQuery,
  prediction_set_id: uuidOf<PredictionSetId>().optional(),
});
export const fastaQuery = z.strictObject({
  category: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['nk', 'lk', 'pk', 'all'], 'expected nk, lk, pk or all'))
    .default('all')
    .meta({ description: 'nk, lk, pk or all' }),
});
export const compareQuery = z.strictObject({
  with: uuidOf<EvaluationResultId>().meta({ description: 'The result that is subtracted' }),
});

const count = z.object({ proteins: z.int(), annotations: z.int() });
const perAspect = z.object({ P: count, F: count, C: count });
const perCategory = z.object({ NK: z.int(), LK: z.int(), PK: z.int() });
export const statisticsReply = z.object({
  delta_proteins: z.int().meta({ description: 'Proteins with truth in some category' }),
  nk_proteins: z.int(),
  lk_proteins: z.int(),
  pk_proteins: z.int(),
  nk_annotations: z.int().meta({ description: '(protein, term) pairs, propagated, roots left out' }),
  lk_annotations: z.int(),
  pk_annotations: z.int(),
  known_terms_count: z.int(),
  by_aspect: z.object({ NK: perAspect, LK: perAspect, PK: perAspect, known: perAspect }),
  read: z
    .object({ old: z.record(z.string(), z.int()), new: z.record(z.string(), z.int()) })
    .meta({ description: 'What was read of either annotation set, and what was left out on the way' }),
  protein_binding_only: perCategory.meta({
    description: '(protein, aspect) pairs left out because protein binding is all that was gained',
  }),
});
export const setReply = z.object({
  id: z.guid(),
  old_annotation_set_id: z.guid(),
  old_annotation_set_label: z.string(),
  new_annotation_set_id: z.guid(),
  new_annotation_set_label: z.string(),
  ontology_snapshot_id: z.guid(),
  obo_version: z.string(),
  job_id: z.guid().nullable(),
  stats: statisticsReply,
  created_at: z.string(),
});
export const setDetailReply = setReply.extend({
  rules: z.record(z.string(), z.unknown()).meta({ description: 'How the gain was taken' }),
});
export const setDeletedReply = z.object({
  deleted: z.guid(),
  truth_deleted: z.int(),
  results_deleted: z.int(),
});

const perCell = <T extends z.ZodType>(cell: T) =>
  z.partialRecord(z.enum(['NK', 'LK', 'PK']), z.partialRecord(z.enum(['BPO', 'MFO', 'CCO']), cell));
const figures = perCell(z.record(z.string(), z.number().nullable()));
export const resultReply = z.object({
  id: z.guid(),
  evaluation_set_id: z.guid(),
  prediction_set_id: z.guid(),
  job_id: z.guid().nullable(),
  options: z
    .record(z.string(), z.unknown())
    .meta({ description: 'Everything that the figures depend on beside the two sets' }),
  results: figures.meta({ description: 'category -> aspect -> figures' }),
  created_at: z.string(),
});
const interval = { low: z.number(), high: z.number(), standard_error: z.number(), samples: z.int() };
export const resultDetailReply = resultReply.extend({
  frame: z.record(z.string(), z.unknown()).meta({ description: 'Populations and what was read' }),
  intervals: perCell(z.record(z.string(), z.object(interval)))
    .nullable()
    .meta({ description: '95 % intervals of the bootstrap over proteins' }),
  artifacts: z.array(z.object({ name: z.string(), size_bytes: z.int(), sha256: z.string() })),
});
export const comparisonReply = z.object({
  result_id: z.guid(),
  with_result_id: z.guid(),
  level: z.number(),
  seed: z.int(),
  resamples: z.int(),
  differences: perCell(
    z.record(z.string(), z.object({ difference: z.number(), ...interval, p_value: z.number() })),
  ).meta({ description: 'Figures of the result minus those of the other, on the same resampled proteins' }),
  not_paired: z
    .array(z.object({ category: z.string(), aspect: z.string(), reason: z.string() }))
    .meta({ description: 'Cells of which only one result has figures, or that hold in another frame' }),
});
export const tsvReply = {
  description: 'Streamed, gzip where accepted',
  content: { 'text/tab-separated-values': { schema: z.string() } },
};
export const fastaReply = {
  description: 'Streamed, gzip where accepted',
  content: { 'text/x-fasta': { schema: z.string() } },
};
export const zipReply = {
  description: 'Streamed',
  content: { 'application/zip': { schema: z.string().meta({ format: 'binary' }) } },
};
