import { type BestMetric, bestThreshold, maxCoverage, listedThresholds } from '../score/best-threshold.js';
import type { NamespaceEvaluation } from '../score/evaluate.js';
import { metricNames } from '../score/metrics.js';
import { fixedDecimals, shortestDecimals } from './number-format.js';

/** One method and its metrics for each namespace. */
export interface MethodEvaluation {
  method: string;
  namespaces: NamespaceEvaluation[];
}

/** The metrics with a table of best rows. The published programs write none for s_w. */
export const publishedBestMetrics: readonly BestMetric[] = ['f', 'f_w', 's', 'f_micro', 'f_micro_w'];

/** How numbers are printed: with a fixed number of decimals, or with the fewest that read back as the same double. */
export type NumberStyle = { decimals: number } | 'shortest';

export function tableHeader(weighted: boolean): string[] {
  const columns = ['filename', 'ns', 'tau', ...metricNames];
  return weighted ? [...columns, ...metricNames.map((name) => `${name}_w`)] : columns;
}

/**
 * Writes the lines of `evaluation_all.tsv` without line feeds: a header, and one line for each method, namespace and listed threshold.
 */
export function* allTable(
  methods: readonly MethodEvaluation[],
  weighted: boolean,
  style: NumberStyle,
): Generator<string> {
  yield tableHeader(weighted).join('\t');
  for (const { method, namespaces } of methods) {
    for (const evaluation of namespaces) {
      for (const k of listedThresholds(evaluation)) yield rowOf(method, evaluation, k, style).join('\t');
    }
  }
}

/**
 * Writes the lines of `evaluation_best_<metric>.tsv`: the best row for each method and namespace with `cov_max`, by method, then
 * namespace.
 */
export function* bestTable(
  methods: readonly MethodEvaluation[],
  metric: BestMetric,
  weighted: boolean,
  style: NumberStyle,
): Generator<string> {
  yield [...tableHeader(weighted), 'cov_max'].join('\t');
  const rows = methods
    .flatMap(({ method, namespaces }) => namespaces.map((evaluation) => ({ method, evaluation })))
    .sort(
      (a, b) =>
        compareText(a.method, b.method) || compareText(a.evaluation.namespace, b.evaluation.namespace),
    );
  for (const { method, evaluation } of rows) {
    const best = bestThreshold(evaluation, metric);
    if (best < 0) continue;
    const coverage = formatNumber(maxCoverage(evaluation, metric), style);
    yield [...rowOf(method, evaluation, best, style), coverage].join('\t');
  }
}

function rowOf(method: string, evaluation: NamespaceEvaluation, k: number, style: NumberStyle): string[] {
  const { tau, namespace, unweighted, weighted } = evaluation;
  const cells = [method, namespace, formatNumber(tau[k], style)];
  for (const columns of [unweighted, weighted]) {
    if (columns) for (const name of metricNames) cells.push(formatNumber(columns[name][k], style));
  }
  return cells;
}

function formatNumber(value: number, style: NumberStyle): string {
  return style === 'shortest' ? shortestDecimals(value) : fixedDecimals(value, style.decimals);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
