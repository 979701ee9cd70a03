import type { NamespaceEvaluation } from './evaluate.js';
import type { metricNames } from './metrics.js';

/** The metrics that have a best row; those with `_w` need information accretion. */
export const bestMetrics = ['f', 'f_w', 's', 's_w', 'f_micro', 'f_micro_w'] as const;
export type BestMetric = (typeof bestMetrics)[number];
/** Returns the indices of the thresholds that have a row, ascending: those at which at least one protein is covered. */
export function listedThresholds(evaluation: NamespaceEvaluation): number[] {
  return [...evaluation.tau.keys()].filter((k) => evaluation.unweighted.cov[k] > 0);
}

/** Returns a column by its published name, for instance `pr` or `pr_w`; null if the column needs weights and there are none. */
export function columnOf(evaluation: NamespaceEvaluation, name: string): Float64Array | null {
  const plain = name.endsWith('_w') ? name.slice(0, -2) : name;
  const columns = name.endsWith('_w') ? evaluation.weighted : evaluation.unweighted;
  return columns ? columns[plain as (typeof metricNames)[number]] : null;
}

/**
 * Returns the index of the best threshold among those listed: that of the maximum f or the minimum s, compared in full precision; of
 * equal ones the lowest threshold. The result is -1 if no threshold is listed or the column needs missing weights.
 */
export function bestThreshold(evaluation: NamespaceEvaluation, metric: BestMetric): number {
  const column = columnOf(evaluation, metric);
  if (!column) return -1;
  const sign = metric.startsWith('s') ? -1 : 1;
  let best = -1;
  for (const k of listedThresholds(evaluation)) {
    if (best < 0 || sign * column[k] > sign * column[best]) best = k;
  }
  return best;
}

/** Returns the maximum coverage over the listed thresholds, weighted for f_w, s_w and f_micro_w; NaN if no threshold is listed. */
export function maxCoverage(evaluation: NamespaceEvaluation, metric: BestMetric): number {
  const coverage = columnOf(evaluation, metric.endsWith('_w') ? 'cov_w' : 'cov')!;
  const known = listedThresholds(evaluation)
    .map((k) => coverage[k])
    .filter((value) => !Number.isNaN(value));
  return known.length === 0 ? Number.NaN : Math.max(...known);
}
