import type { NamespaceEvaluation } from './evaluate.js';
import { printedThreshold } from './thresholds.js';
import { bestThreshold, listedThresholds } from './best-threshold.js';

/** The metrics that a result stores for each namespace, in the order of the tables. */
export const summaryMetrics = [
  'fmax',
  'precision',
  'recall',
  'tau',
  // The coverage at the threshold of fmax.
  'coverage',
  // The number of proteins in the divisor, N.
  'n_proteins',
  'fmax_w',
  'precision_w',
  'recall_w',
  'tau_w',
  'f_micro',
  'f_micro_w',
  // The smallest s_w, in bits.
  'smin',
  // The smallest s, which counts terms.
  'smin_terms',
  'auc_pr',
] as const;
export type SummaryMetric = (typeof summaryMetrics)[number];
/** The metrics of a namespace; null where no threshold is listed, or where a metric needs weights and there are none. */
export type EvaluationSummary = Record<Exclude<SummaryMetric, 'n_proteins'>, number | null> & {
  n_proteins: number;
};

export function summarise(evaluation: NamespaceEvaluation): EvaluationSummary {
  const { tau, unweighted, weighted } = evaluation;
  const f = bestThreshold(evaluation, 'f');
  const fw = bestThreshold(evaluation, 'f_w');
  const at = (column: Float64Array | undefined, k: number): number | null =>
    column && k >= 0 ? column[k] : null;
  return {
    fmax: at(unweighted.f, f),
    precision: at(unweighted.pr, f),
    recall: at(unweighted.rc, f),
    tau: thresholdAt(tau, f),
    coverage: at(unweighted.cov, f),
    n_proteins: evaluation.proteins,
    fmax_w: at(weighted?.f, fw),
    precision_w: at(weighted?.pr, fw),
    recall_w: at(weighted?.rc, fw),
    tau_w: thresholdAt(tau, fw),
    f_micro: at(unweighted.f_micro, bestThreshold(evaluation, 'f_micro')),
    f_micro_w: at(weighted?.f_micro, bestThreshold(evaluation, 'f_micro_w')),
    smin: at(weighted?.s, bestThreshold(evaluation, 's_w')),
    smin_terms: at(unweighted.s, bestThreshold(evaluation, 's')),
    auc_pr: areaUnderCurve(unweighted.pr, unweighted.rc, listedThresholds(evaluation)),
  };
}

function thresholdAt(tau: Float64Array, k: number): number | null {
  return k < 0 ? null : printedThreshold(tau[k]);
}

/**
 * Computes the area under the precision-recall curve, by trapezoids through the listed thresholds, from recall 0: the precision of the
 * highest threshold extends down to recall 0. With `norm pred` recall may fall as the threshold falls, so the points are sorted by
 * recall; of equal recalls the higher threshold comes first. The area is 0 to 1; null if there are no points.
 */
export function areaUnderCurve(
  precision: Float64Array,
  recall: Float64Array,
  listed: readonly number[],
): number | null {
  if (listed.length === 0) return null;
  const points = [...listed].sort((a, b) => recall[a] - recall[b] || b - a);
  let area = 0;
  let lastRecall = 0;
  let lastPrecision = precision[points[0]];
  for (const k of points) {
    area += ((recall[k] - lastRecall) * (precision[k] + lastPrecision)) / 2;
    lastRecall = recall[k];
    lastPrecision = precision[k];
  }
  return area;
}
