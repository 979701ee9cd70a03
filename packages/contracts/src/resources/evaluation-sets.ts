import { z } from 'zod';
import { afterQuery, annotationSetId, limitQuery, timeoutSeconds, url, tsvReply } from '../fields.js';
import {
  type EvaluationResultId,
  type EvaluationSetId,
  goIdPattern,
  type PredictionSetId,
  type RerankerModelId,
  type ScoringConfigId,
  uuidOf,
} from '../ids.js';
import type { OperationRow } from '../operation.js';
import { mostTermIds, routesOf } from '../route.js';
import { queuedReply } from './jobs.js';
import { referenceMark } from './references.js';
import { cafaAspects, categories, categoryKeys } from '../vocabulary.js';

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
    .pipe(z.enum([...categoryKeys, 'all'], 'expected NK, LK, PK or all'))
    .default('all')
    .meta({ description: 'NK, LK, PK or all; any case' }),
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
  old_reference: referenceMark
    .nullable()
    .meta({ description: 'The reference of the older annotations; null: none' }),
  new_reference: referenceMark
    .nullable()
    .meta({ description: 'The reference of the newer annotations; null: none' }),
  stats: statisticsReply,
  created_at: z.string(),
});
export const setDetailReply = setReply.extend({
  rules: z.record(z.string(), z.unknown()).meta({ description: 'How the gain was taken' }),
});
export const setDeletedReply = z.object({
  deleted: z.guid(),
  truth_deleted: z.int(),
});

const perCell = <T extends z.ZodType>(cell: T) =>
  z.partialRecord(z.enum(categories), z.partialRecord(z.enum(cafaAspects), cell));
const figures = perCell(z.record(z.string(), z.number().nullable()));
export const resultReply = z.object({
  id: z.guid(),
  evaluation_set_id: z.guid(),
  prediction_set_id: z.guid(),
  reference: referenceMark
    .nullable()
    .meta({ description: 'The reference that the predictions were made with; null: none' }),
  job_id: z.guid().nullable(),
  options: z
    .record(z.string(), z.unknown())
    .meta({ description: 'Everything that the figures depend on besides the two sets' }),
  results: figures.meta({ description: 'category -> aspect -> figures' }),
  created_at: z.string(),
});
/** A reliability diagram, which compares scores, read as probabilities, with the share that is right. */
export const reliability = z.object({
  predictions: z.int(),
  ece: z
    .number()
    .nullable()
    .meta({ description: 'Expected calibration error: |mean score - share right|, mean over predictions' }),
  bins: z.array(
    z.object({
      low: z.number(),
      high: z.number(),
      predictions: z.int(),
      proteins: z.int().meta({ description: 'Distinct proteins with a prediction in the bin' }),
      mean_score: z.number().nullable(),
      share_right: z.number().nullable(),
    }),
  ),
});
const interval = { low: z.number(), high: z.number(), standard_error: z.number(), samples: z.int() };
export const resultDetailReply = resultReply.extend({
  frame: z.record(z.string(), z.unknown()).meta({ description: 'Populations and what was read' }),
  intervals: perCell(z.record(z.string(), z.object(interval)))
    .nullable()
    .meta({ description: '95 % intervals of the bootstrap over proteins' }),
  reliability: perCell(reliability.nullable()).meta({
    description:
      'category -> aspect -> diagram; null where a score is above 1, and nothing for results of before it was kept',
  }),
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
    .meta({ description: 'Cells that only one result has, or that were computed with other options' }),
});
export const fastaReply = {
  description: 'Streamed, gzip where accepted',
  content: { 'text/x-fasta': { schema: z.string() } },
};
export const zipReply = {
  description: 'Streamed',
  content: { 'application/zip': { schema: z.string().meta({ format: 'binary' }) } },
};

export const generateEvaluationSetPayload = z
  .strictObject({
    old_annotation_set_id: annotationSetId.meta({ description: 'What was known before' }),
    new_annotation_set_id: annotationSetId.meta({
      description: 'What is known later; its ontology snapshot is the graph for both sides',
    }),
    protein_binding_only: z.enum(['exclude', 'include']).default('exclude').meta({
      description:
        'A protein whose only gains of molecular function are GO:0005515 or GO:0005488 has no truth there (exclude, as the assessments do), or has it (include)',
    }),
  })
  .refine((payload) => payload.old_annotation_set_id !== payload.new_annotation_set_id, {
    message: 'old and new annotation set are the same; nothing can have been gained',
    path: ['new_annotation_set_id'],
  });

const goIds = z.array(z.string().regex(goIdPattern, 'expected GO: and seven digits'));

/** The choices of a run besides the evaluation set, which are the body of the run route. */
export const evaluationChoices = {
  prediction_set_id: uuidOf<PredictionSetId>(),
  scoring_config_id: uuidOf<ScoringConfigId>().nullable().default(null).meta({
    description: 'Evaluate the composite scores of this scoring configuration instead',
  }),
  reranker_model_id: uuidOf<RerankerModelId>().nullable().default(null).meta({
    description: 'Evaluate the scores of this re-ranker instead of those of the prediction',
  }),
  prop: z.enum(['fill', 'max']).default('fill').meta({
    description: 'Scores of ancestors: fill where none was predicted, or the largest score below',
  }),
  norm: z.enum(['cafa', 'pred', 'gt']).default('cafa').meta({
    description: 'Proteins that sums are divided by: see the evaluation guide',
  }),
  no_orphans: z.boolean().default(true).meta({ description: 'Leave roots out of the unweighted figures' }),
  th_step: z.number().min(0.0005).max(0.5).default(0.01).meta({ description: 'Distance of the thresholds' }),
  max_terms: z.int().min(1).max(100_000).nullable().default(null).meta({
    description: 'Take this many terms of each protein and aspect, the best ones',
  }),
  max_distance: z.number().min(0).nullable().default(null).meta({
    description: 'Leave out predictions whose nearest source is farther than this',
  }),
  toi: goIds
    .min(1)
    .max(mostTermIds)
    .nullable()
    .default(null)
    .meta({ description: 'Terms of interest: only these are evaluated' }),
  toi_file: url.nullable().default(null).meta({ description: 'The same as a file, one id per line' }),
  ia: z.enum(['auto', 'computed', 'snapshot', 'none']).default('auto').meta({
    description:
      "Information accretion: computed from the old annotation set, the file of the snapshot's ia_url, or none (no weighted figures). auto: ia_file, else ia_url, else computed",
  }),
  ia_file: url
    .nullable()
    .default(null)
    .meta({ description: 'Information accretion: term and bits per line' }),
  resamples: z.int().min(0).max(10_000).default(1000).meta({
    description: 'Resamples of the proteins for intervals and comparisons; 0 for none',
  }),
  seed: z.int().min(0).max(2_147_483_647).default(1).meta({ description: 'Seed of the resamples' }),
  timeout_seconds: timeoutSeconds(120),
};
type Choices = {
  toi: unknown;
  toi_file: unknown;
  ia: string;
  ia_file: unknown;
  scoring_config_id: unknown;
  reranker_model_id: unknown;
};
const oneToi = (choices: Choices): boolean => choices.toi === null || choices.toi_file === null;
const oneAccretion = (choices: Choices): boolean => choices.ia_file === null || choices.ia === 'auto';
const oneScore = (choices: Choices): boolean =>
  choices.scoring_config_id === null || choices.reranker_model_id === null;
const scoreFault = {
  message: 'give scoring_config_id or reranker_model_id, not both',
  path: ['reranker_model_id'],
};
const toiFault = { message: 'give toi or toi_file, not both', path: ['toi_file'] };
const accretionFault = {
  message: 'an ia_file goes only with ia "auto": leave one of the two out',
  path: ['ia_file'],
};

export const runEvaluationBody = z
  .strictObject(evaluationChoices)
  .refine(oneToi, toiFault)
  .refine(oneAccretion, accretionFault)
  .refine(oneScore, scoreFault);
export const runReply = queuedReply.extend({
  listed: z
    .boolean()
    .meta({ description: 'Everyone will see its figures in the benchmark and the showcase' }),
  note: z.string().nullable().meta({ description: 'Who sees them otherwise, and how to change it' }),
});
export const runCafaEvaluationPayload = z
  .strictObject({ evaluation_set_id: uuidOf<EvaluationSetId>(), ...evaluationChoices })
  .refine(oneToi, toiFault)
  .refine(oneAccretion, accretionFault)
  .refine(oneScore, scoreFault);

export const calibratePayload = z.strictObject({
  evaluation_set_id: uuidOf<EvaluationSetId>(),
  prediction_set_id: uuidOf<PredictionSetId>().meta({
    description: 'Predictions by combined for its proteins, with sources of its old annotation set',
  }),
  annotation_set_id: annotationSetId.nullable().default(null).meta({
    description:
      'Reference whose predictions use the curves, with the embedding and the choices of the prediction set. Default: the old annotation set',
  }),
});

export const evaluationSetOperations = [
  {
    name: 'generate_evaluation_set',
    queue: 'svc.jobs',
    light: false,
    payload: generateEvaluationSetPayload,
    description: 'Take what proteins gained between two annotation sets: NK, LK and PK ground truth',
  },
  {
    name: 'run_cafa_evaluation',
    queue: 'svc.jobs',
    light: false,
    payload: runCafaEvaluationPayload,
    description: 'Score a prediction set against the ground truth of an evaluation set',
  },
  {
    name: 'calibrate',
    queue: 'svc.jobs',
    light: false,
    payload: calibratePayload,
    description: 'Fit what the scores of combined mean for a reference, from an evaluation set',
  },
] as const satisfies readonly OperationRow[];

export const evaluationSetRoutes = routesOf('evaluation', {
  generate: {
    method: 'POST',
    path: '/annotations/evaluation-sets/generate',
    floor: 'operator',
    refuses: [429],
    summary: 'Queue generate_evaluation_set',
    body: generateEvaluationSetPayload,
    reply: { 202: queuedReply },
  },
  list: {
    method: 'GET',
    path: '/annotations/evaluation-sets',
    floor: 'viewer',
    summary: 'Evaluation sets with statistics, newest first',
    query: setListQuery,
    reply: { 200: z.array(setReply) },
  },
  show: {
    method: 'GET',
    path: '/annotations/evaluation-sets/:id',
    floor: 'viewer',
    summary: 'One evaluation set with the rules that it was made by',
    params: setParams,
    reply: { 200: setDetailReply },
  },
  remove: {
    method: 'DELETE',
    path: '/annotations/evaluation-sets/:id',
    floor: 'operator',
    refuses: [409],
    summary: 'Delete an evaluation set with its ground truth; refused while it has results',
    params: setParams,
    reply: { 200: setDeletedReply },
  },
  groundTruthNK: {
    method: 'GET',
    path: '/annotations/evaluation-sets/:id/ground-truth-NK.tsv',
    floor: 'viewer',
    summary: 'Ground truth of proteins without prior knowledge',
    params: setParams,
    reply: { 200: tsvReply },
  },
  groundTruthLK: {
    method: 'GET',
    path: '/annotations/evaluation-sets/:id/ground-truth-LK.tsv',
    floor: 'viewer',
    summary: 'Ground truth in aspects without prior knowledge',
    params: setParams,
    reply: { 200: tsvReply },
  },
  groundTruthPK: {
    method: 'GET',
    path: '/annotations/evaluation-sets/:id/ground-truth-PK.tsv',
    floor: 'viewer',
    summary: 'Ground truth in aspects with prior knowledge',
    params: setParams,
    reply: { 200: tsvReply },
  },
  knownTerms: {
    method: 'GET',
    path: '/annotations/evaluation-sets/:id/known-terms.tsv',
    floor: 'viewer',
    summary: 'What the delta proteins had before',
    params: setParams,
    reply: { 200: tsvReply },
  },
  deltaProteins: {
    method: 'GET',
    path: '/annotations/evaluation-sets/:id/delta-proteins.fasta',
    floor: 'viewer',
    summary: 'Sequences of the proteins with ground truth',
    params: setParams,
    query: fastaQuery,
    reply: { 200: fastaReply },
  },
  run: {
    method: 'POST',
    path: '/annotations/evaluation-sets/:id/run',
    floor: 'operator',
    refuses: [409, 429],
    summary: 'Queue run_cafa_evaluation',
    params: setParams,
    body: runEvaluationBody,
    reply: { 202: runReply },
  },
  results: {
    method: 'GET',
    path: '/annotations/evaluation-sets/:id/results',
    floor: 'viewer',
    summary: 'Results of an evaluation set, newest first',
    params: setParams,
    query: resultListQuery,
    reply: { 200: z.array(resultReply) },
  },
  result: {
    method: 'GET',
    path: '/annotations/evaluation-sets/:id/results/:rid',
    floor: 'viewer',
    summary: 'One result with intervals and the options that it was computed with',
    params: resultParams,
    reply: { 200: resultDetailReply },
  },
  resultMetrics: {
    method: 'GET',
    path: '/annotations/evaluation-sets/:id/results/:rid/metrics.tsv',
    floor: 'viewer',
    summary: 'Figures of a result as TSV',
    params: resultParams,
    reply: { 200: tsvReply },
  },
  resultArtifacts: {
    method: 'GET',
    path: '/annotations/evaluation-sets/:id/results/:rid/artifacts.zip',
    floor: 'viewer',
    summary: 'Inputs and tables of a result',
    params: resultParams,
    reply: { 200: zipReply },
  },
  compareResults: {
    method: 'GET',
    path: '/annotations/evaluation-sets/:id/results/:rid/compare',
    floor: 'viewer',
    refuses: [409],
    summary: 'Difference of two results, with paired intervals',
    params: resultParams,
    query: compareQuery,
    reply: { 200: comparisonReply },
  },
  removeResult: {
    method: 'DELETE',
    path: '/annotations/evaluation-sets/:id/results/:rid',
    floor: 'operator',
    summary: 'Delete a result with its files',
    params: resultParams,
    reply: { 204: z.null() },
  },
});
