import type { NamespaceEvaluation } from './evaluate.js';
import { metricNames } from './metrics.js';
import { fixedDecimals, shortestDecimals } from './number-format.js';

/** One method and its figures per namespace. */
export interface MethodEvaluation {
  method: string;
  namespaces: NamespaceEvaluation[];
}

/** Figures that have a best row; those with `_w` need information accretion. */
export const bestMetrics = ['f', 'f_w', 's', 's_w', 'f_micro', 'f_micro_w'] as const;
export type BestMetric = (typeof bestMetrics)[number];
/** The published programs write no table of the best s_w. */
export const publishedBestMetrics: readonly BestMetric[] = ['f', 'f_w', 's', 'f_micro', 'f_micro_w'];

/** A number becomes text with so many decimals, or the shortest that give it back. */
export type NumberStyle = { decimals: number } | 'shortest';

/** Thresholds that have a row: those at which some protein is covered. Ascending. */
export function listedThresholds(evaluation: NamespaceEvaluation): number[] {
  return [...evaluation.tau.keys()].filter((k) => evaluation.unweighted.cov[k] > 0);
}

/** A column by its published name, for instance `pr` or `pr_w`; null without weights. */
export function columnOf(evaluation: NamespaceEvaluation, name: string): Float64Array | null {
  const plain = name.endsWith('_w') ? name.slice(0, -2) : name;
  const columns = name.endsWith('_w') ? evaluation.weighted : evaluation.unweighted;
  return columns ? columns[plain as (typeof metricNames)[number]] : null;
}

/**
 * Index of the best threshold among those listed: the largest f or smallest s, compared in full precision; of equal
 * ones the lowest threshold. -1 where nothing is listed or the column needs weights that are not there.
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

/** Largest coverage over the listed thresholds, weighted for f_w, s_w and f_micro_w; NaN where none has any. */
export function largestCoverage(evaluation: NamespaceEvaluation, metric: BestMetric): number {
  const coverage = columnOf(evaluation, metric.endsWith('_w') ? 'cov_w' : 'cov')!;
  const known = listedThresholds(evaluation)
    .map((k) => coverage[k])
    .filter((value) => !Number.isNaN(value));
  return known.length === 0 ? Number.NaN : Math.max(...known);
}

export function tableHeader(weighted: boolean): string[] {
  const columns = ['filename', 'ns', 'tau', ...metricNames];
  return weighted ? [...columns, ...metricNames.map((name) => `${name}_w`)] : columns;
}

/** `evaluation_all.tsv`: header and one line per method, namespace and listed threshold, without line feeds. */
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

/** `evaluation_best_<metric>.tsv`: the best row per method and namespace with `cov_max`, by method, then namespace. */
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
    const coverage = formatNumber(largestCoverage(evaluation, metric), style);
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
