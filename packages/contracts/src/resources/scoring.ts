import { z } from 'zod';
import { minWeight, scoringSignals, signalNames, weightedEvidenceCodes } from '@kindred/kernels/scoring';
import { afterQuery, aspectQuery, limitQuery, tsvReply, decimalNumber } from '../fields.js';
import { type EvaluationSetId, type PredictionSetId, type ScoringConfigId, uuidOf } from '../ids.js';
import { routesOf } from '../route.js';
import { aspects, categories } from '../vocabulary.js';
import { reliability } from './evaluation-sets.js';

export const metricCategory = z
  .string()
  .toUpperCase()
  .pipe(z.enum(categories, 'expected NK, LK or PK'))
  .default('NK')
  .meta({ description: 'NK, LK or PK; any case' });

const figure = z.number().nullable();
const aspectMetrics = z.object({
  fmax: figure,
  precision: figure,
  recall: figure,
  threshold_at_fmax: figure,
  coverage: figure,
  f_micro: figure,
  smin_terms: figure.meta({ description: 'Smallest S counting terms, without information accretion' }),
  auc_pr: figure,
  n_proteins: z.int(),
  reliability: reliability
    .nullable()
    .meta({ description: 'The scores read as probabilities; null where one is above 1' }),
  curve: z.array(
    z.object({ threshold: z.number(), precision: z.number(), recall: z.number(), f: z.number() }),
  ),
});
/** The fields that the metrics routes of scored predictions share. */
export const scoreMetricsReply = z.object({
  prediction_set_id: z.guid(),
  evaluation_set_id: z.guid(),
  category: z.enum(categories),
  n_ground_truth_proteins: z.int(),
  n_predicted_proteins: z.int(),
  n_predictions: z.int(),
  fmax: figure.meta({ description: 'Mean of the aspects with truth' }),
  auc_pr: figure.meta({ description: 'Mean of the aspects with truth' }),
  aspects: z.object({
    BPO: aspectMetrics.optional(),
    MFO: aspectMetrics.optional(),
    CCO: aspectMetrics.optional(),
  }),
});

const weight = z
  .number()
  .min(0)
  .max(1000)
  .refine((value) => value === 0 || value >= minWeight, `is 0, or ${minWeight} and more`);
const weights = z.strictObject(
  Object.fromEntries(
    signalNames.map((name) => [name, weight.default(0).meta({ description: scoringSignals[name].meaning })]),
  ) as Record<(typeof signalNames)[number], z.ZodDefault<z.ZodNumber>>,
);
const params = z.strictObject({
  ia_prior: z
    .strictObject({
      enabled: z.boolean(),
      gamma: z.number().min(0).max(10).default(1),
      source: z.literal('frequency').default('frequency'),
    })
    .optional()
    .meta({ description: 'Multiplies scores by (1 / (1 + ln(1 + proteins that carry the term))) ^ gamma' }),
});
const evidenceWeights = z
  .partialRecord(z.enum(weightedEvidenceCodes as [string, ...string[]]), z.number().min(0).max(1))
  .meta({ description: 'GO evidence codes, 0 to 1; codes that are left out have the default' });

/** A recipe that makes a score. A configuration is a recipe with a name. */
const recipe = {
  formula: z.enum(['linear', 'evidence_weighted']).default('linear'),
  weights: weights
    .refine(
      (given) => Object.values(given).some((value) => value > 0),
      'at least one signal must weigh something',
    )
    .prefault({ embedding_similarity: 1 }),
  evidence_weights: evidenceWeights.nullable().default(null),
  params: params.default({}),
};
export const configBody = z.strictObject({
  name: z.string().trim().min(1).max(255),
  ...recipe,
  description: z.string().max(10_000).nullable().default(null),
});

/** The limit is low, because a preview is computed within its request. */
export const mostPreviewedProteins = 25;
export const previewBody = z.strictObject({
  ...recipe,
  proteins: z
    .int()
    .min(1)
    .max(mostPreviewedProteins)
    .default(5)
    .meta({ description: 'The first ones of the set, by accession' }),
  terms: z.int().min(1).max(50).default(10).meta({ description: 'Of each protein, before and after' }),
});
const place = z.int().min(1);
const previewedTerm = z.object({
  go_id: z.string(),
  go_name: z.string(),
  aspect: z.enum(aspects),
  score_before: z.number().meta({ description: 'That of the prediction set' }),
  place_before: place.meta({ description: 'Among the terms of the protein, by the score before' }),
  score_after: z.number().meta({ description: 'By the recipe' }),
  place_after: place.meta({ description: 'Among the terms of the protein, by the score after' }),
});
export const previewReply = z.object({
  prediction_set_id: z.guid(),
  query_count: z.int().meta({ description: 'Queries of the set; the preview has the first ones' }),
  proteins: z.array(
    z.object({
      accession: z.string(),
      term_count: z.int(),
      terms: z
        .array(previewedTerm)
        .meta({ description: 'The best terms before and the best terms after, by their place after' }),
    }),
  ),
});

export const configReply = z.object({
  id: z.guid(),
  name: z.string(),
  formula: z.enum(['linear', 'evidence_weighted']),
  weights: z.record(z.string(), z.number()),
  evidence_weights: z.record(z.string(), z.number()).nullable(),
  params: z.record(z.string(), z.unknown()),
  description: z.string().nullable(),
  created_at: z.string(),
});
export const presetsReply = z.object({ created: z.array(z.string()) });

export const configParams = z.object({ id: uuidOf<ScoringConfigId>() });
export const configListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });

export const setParams = z.object({ id: uuidOf<PredictionSetId>() });
const scoringConfigId = uuidOf<ScoringConfigId>();
const evaluationSetId = uuidOf<EvaluationSetId>();
export const scoreQuery = z.strictObject({
  scoring_config_id: scoringConfigId,
  min_score: decimalNumber(z.number().min(0).max(1).default(0)),
  accession: z.string().min(1).max(255).optional(),
  aspect: aspectQuery,
});
export const metricsQuery = z.strictObject({
  scoring_config_id: scoringConfigId,
  evaluation_set_id: evaluationSetId,
  category: metricCategory,
});
export const trainingQuery = z.strictObject({ evaluation_set_id: evaluationSetId, category: metricCategory });

export const metricsReply = scoreMetricsReply.extend({
  scoring_config_id: z.guid(),
  scoring_config_name: z.string(),
});

export const scoringRoutes = routesOf('scoring', {
  list: {
    method: 'GET',
    path: '/scoring/configs',
    floor: 'viewer',
    summary: 'List scoring configurations, newest first',
    query: configListQuery,
    reply: { 200: z.array(configReply) },
  },
  create: {
    method: 'POST',
    path: '/scoring/configs',
    floor: 'operator',
    refuses: [409],
    summary: 'Create an immutable recipe of a composite score',
    body: configBody,
    reply: { 201: configReply },
  },
  createPresets: {
    method: 'POST',
    path: '/scoring/configs/presets',
    floor: 'operator',
    summary: 'Create the preset recipes that are not there yet',
    reply: { 200: presetsReply, 201: presetsReply },
  },
  show: {
    method: 'GET',
    path: '/scoring/configs/:id',
    floor: 'viewer',
    summary: 'One scoring configuration',
    params: configParams,
    reply: { 200: configReply },
  },
  remove: {
    method: 'DELETE',
    path: '/scoring/configs/:id',
    floor: 'operator',
    summary: 'Delete a scoring configuration',
    params: configParams,
    reply: { 204: z.null().meta({ description: 'Deleted' }) },
  },
  preview: {
    method: 'POST',
    path: '/scoring/prediction-sets/:id/preview',
    floor: 'viewer',
    rate: 'previews',
    refuses: [409],
    summary: 'The best terms of a few proteins before and after a recipe: nothing is stored',
    params: setParams,
    body: previewBody,
    reply: { 200: previewReply },
  },
  score: {
    method: 'GET',
    path: '/scoring/prediction-sets/:id/score.tsv',
    floor: 'viewer',
    refuses: [409],
    summary: 'Predictions with composite scores, as TSV',
    params: setParams,
    query: scoreQuery,
    reply: { 200: tsvReply },
  },
  metrics: {
    method: 'GET',
    path: '/scoring/prediction-sets/:id/metrics',
    floor: 'viewer',
    refuses: [409],
    summary: 'Fmax and area under the precision-recall curve of composite scores, per aspect',
    params: setParams,
    query: metricsQuery,
    reply: { 200: metricsReply },
  },
  trainingData: {
    method: 'GET',
    path: '/scoring/prediction-sets/:id/training-data.tsv',
    floor: 'viewer',
    refuses: [409],
    summary: 'Predictions with binary labels from a temporal holdout, as TSV of 31 columns',
    params: setParams,
    query: trainingQuery,
    reply: { 200: tsvReply },
  },
});
