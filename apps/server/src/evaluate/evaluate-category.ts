import type { PayloadOf } from '@kindred/contracts';
import type { HoldoutCategory } from '@kindred/kernels/holdout';
import {
  type EvaluateInput,
  type EvaluateOutput,
  evaluateTask,
  type EvaluationOptions,
} from '../predict/compute/tasks/evaluate.js';
import type { ComputePool, RunOptions } from '../ground/pool/pool.js';

/**
 * The evaluation of one category reads this material. `known` has the terms that the targets had before, in
 * every category.
 */
export type CategoryMaterial = Omit<EvaluateInput, 'options'>;

/** Gives the payload fields that the evaluator reads. Their defaults are those of run_cafa_evaluation. */
export function evaluatorOptions(
  payload: Pick<PayloadOf<'run_cafa_evaluation'>, keyof EvaluationOptions>,
): EvaluationOptions {
  const { prop, norm, no_orphans, th_step, max_terms, resamples, seed } = payload;
  return { prop, norm, no_orphans, th_step, max_terms, resamples, seed };
}

/**
 * Only partial knowledge (PK) has terms that were known before. The evaluation ignores them, so they neither
 * raise nor lower a score.
 */
export function needsKnownTerms(category: HoldoutCategory): boolean {
  return category === 'PK';
}

/** Scores a submission against one category in a pool thread. @throws ProblemError bad_file, validation_failed */
export function evaluateCategory(
  compute: ComputePool,
  category: HoldoutCategory,
  { material, options }: { material: CategoryMaterial; options: EvaluationOptions },
  run: RunOptions,
): Promise<EvaluateOutput> {
  const known = needsKnownTerms(category) ? material.known : null;
  return compute.run(evaluateTask, { ...material, known, options }, run);
}
