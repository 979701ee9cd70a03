import type { TreeEnsemble } from './model.js';

/** The objectives that rank rows without a probability. A logistic curve maps them to (0, 1) and keeps the order. */
const orders = new Set(['lambdarank', 'rank_xendcg', 'custom']);

/**
 * Turns predictions of `predictWith` into scores in [0, 1], in place. The conversion depends only on the objective, not on the other
 * rows: probabilities stay as they are; ranking and custom objectives go through 1 / (1 + exp(-x)); the intensity of cross_entropy_lambda
 * becomes 1 - exp(-x); regressions are clipped to [0, 1].
 */
export function toProbabilities({ objective }: TreeEnsemble, predictions: Float64Array): Float64Array {
  if (objective.probabilities) return predictions;
  const convert = orders.has(objective.name)
    ? (x: number) => 1 / (1 + Math.exp(-x))
    : objective.name === 'cross_entropy_lambda'
      ? (x: number) => -Math.expm1(-x)
      : (x: number) => Math.min(1, Math.max(0, x));
  for (let i = 0; i < predictions.length; i++) predictions[i] = convert(predictions[i]);
  return predictions;
}
