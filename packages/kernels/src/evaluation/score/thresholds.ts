import { EvaluationInputError } from '../options.js';

/**
 * Returns the decision thresholds: tau_k = step + k * step in double precision (product rounded, then sum rounded), k = 0 .. ceil((1 -
 * step) / step) - 1. Neither 0 nor 1 is a threshold. Many are slightly larger than the decimal number that is printed for them, so a
 * score of 0.7 does not count at threshold 0.7 with step 0.1; the published tables depend on that.
 *
 * @param step 0 < step < 1, with at most ten million thresholds
 * @returns ascending float64
 * @throws EvaluationInputError for a step outside these limits
 */
export function thresholdGrid(step: number): Float64Array {
  if (!(step > 0 && step < 1))
    throw new EvaluationInputError(`threshold step ${step}: expected a number between 0 and 1`);
  const count = Math.ceil((1 - step) / step);
  if (count > 1e7)
    throw new EvaluationInputError(
      `threshold step ${step} gives ${count} thresholds; at most 10,000,000 are possible`,
    );
  const taus = new Float64Array(count);
  for (let k = 0; k < count; k++) taus[k] = step + k * step;
  return taus;
}

/** Rounds a threshold to twelve significant digits for display, for instance 0.5700000000000001 to 0.57. */
export function printedThreshold(tau: number): number {
  return Number(tau.toPrecision(12));
}

/** The level of a score that does not count: zero, negative, or NaN. */
export const noLevel = 0;
/** The level of a score that reaches only the lowest threshold. */
export const firstPredictedLevel = 2;

/**
 * Returns the level of a score: 0 if the score is 0, negative or NaN, otherwise 1 + the number of thresholds that it reaches (compared as
 * doubles). A cell is predicted at taus[k] if its level is at least k + 2. Levels grow with the score, so propagation may work on levels.
 * Cost: O(1).
 */
export function levelOf(score: number, taus: Float64Array, step: number): number {
  if (!(score > 0)) return noLevel;
  let reached = Math.min(taus.length, Math.trunc(score / step));
  while (reached < taus.length && taus[reached] <= score) reached++;
  while (reached > 0 && taus[reached - 1] > score) reached--;
  return reached + 1;
}
