import { z } from 'zod';
import {
  type EvaluationSetId,
  goIdPattern,
  type PredictionSetId,
  type RerankerModelId,
  type ScoringConfigId,
  uuidOf,
} from '../ids.js';
import type { OperationRow } from '../operations.js';
import { annotationSetId, timeoutSeconds, url } from './fields.js';

export const generateEvaluationSetPayload = z
  .strictObject({
    old_annotation_set_id: annotationSetId.meta({ description: 'What was known beforehand' }),
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

/** What a run may choose, beside the evaluation set: the body of the run route. */
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
    description: 'Take the best so many terms of each protein and aspect',
  }),
  max_distance: z.number().min(0).nullable().default(null).meta({
    description: 'Leave out predictions whose nearest donor is farther than this',
  }),
  toi: goIds
    .min(1)
    .max(100_000)
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
  message: 'an ia_file goes with ia "auto" alone: leave one of the two out',
  path: ['ia_file'],
};

export const runEvaluationBody = z
  .strictObject(evaluationChoices)
  .refine(oneToi, toiFault)
  .refine(oneAccretion, accretionFault)
  .refine(oneScore, scoreFault);
export const runCafaEvaluationPayload = z
  .strictObject({ evaluation_set_id: uuidOf<EvaluationSetId>(), ...evaluationChoices })
  .refine(oneToi, toiFault)
  .refine(oneAccretion, accretionFault)
  .refine(oneScore, scoreFault);

export const evaluationOperationRows = [
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
] as const satisfies readonly OperationRow[];
