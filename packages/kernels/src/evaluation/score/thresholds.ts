import { EvaluationInputError } from '../options.js';

/**
 * The decision thresholds: tau_k = step + k * step in double precision (product rounded, then sum rounded),
 * k = 0 .. ceil((1 - step) / step) - 1. Neither 0 nor 1 is one. Many lie a hair above the decimal number that they
 * print as, so a score of 0.7 is not counted at tau 0.7 of step 0.1; the published tables depend on it.
 *
 * @param step 0 < step < 1 and at most ten million thresholds
 * @returns ascending float64
 * @throws EvaluationInputError for another step
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

/** A threshold as the number that a reader expects, 0.57 for 0.5700000000000001: to twelve significant digits. */
export function printedThreshold(tau: number): number {
  return Number(tau.toPrecision(12));
}

/** Level of a score that says nothing: zero, negative, or not a number. */
export const noLevel = 0;
/** The level of a score that reaches the lowest threshold and no other. */
export const firstPredictedLevel = 2;

/**
 * The level of a score: 0 for none (score not above 0), otherwise 1 + the number of thresholds that it reaches
 * (compared as doubles). A cell is predicted at taus[k] if its level is at least k + 2. Levels grow with the score, so
 * propagation may work on them. O(1).
 */
export function levelOf(score: number, taus: Float64Array, step: number): number {
  if (!(score > 0)) return noLevel;
  let reached = Math.min(taus.length, Math.trunc(score / step));
  while (reached < taus.length && taus[reached] <= score) reached++;
  while (reached > 0 && taus[reached - 1] > score) reached--;
  return reached + 1;
}
