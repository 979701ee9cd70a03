import {
  allTable,
  bestMetrics,
  bestTable,
  type BootstrapSeries,
  bootstrapFigures,
  intervalOf,
  type NamespaceEvaluation,
  tableDecimals,
} from '@kindred/kernels/evaluation';

/** Name of the method in the tables: the file of its predictions among the artifacts. */
const method = 'predictions.tsv';

/** The published program's tables by file name, the unrounded one, and the intervals. */
export function publishedTables(
  namespaces: NamespaceEvaluation[],
  series: readonly BootstrapSeries[],
  options: { weighted: boolean; step: number },
): Record<string, string> {
  const { weighted } = options;
  const methods = [{ method, namespaces }];
  const rounded = { decimals: tableDecimals(options.step) };
  const tables: Record<string, string> = {
    'evaluation_all.tsv': text(allTable(methods, weighted, rounded)),
    'evaluation_all.full.tsv': text(allTable(methods, weighted, 'shortest')),
  };
  for (const metric of bestMetrics) {
    if (weighted || !metric.endsWith('_w'))
      tables[`evaluation_best_${metric}.tsv`] = text(bestTable(methods, metric, weighted, rounded));
  }
  if (series.length > 0) tables['evaluation_intervals.tsv'] = text(intervalLines(namespaces, series));
  return tables;
}

function* intervalLines(
  namespaces: readonly NamespaceEvaluation[],
  series: readonly BootstrapSeries[],
): Generator<string> {
  yield ['ns', 'figure', 'estimate', 'low', 'high', 'standard_error', 'resamples'].join('\t');
  for (const [i, { namespace }] of namespaces.entries()) {
    for (const figure of bootstrapFigures) {
      const found = intervalOf(series[i], figure);
      if (found === null) continue;
      const { estimate, low, high, standardError, samples } = found;
      yield [namespace, figure, estimate, low, high, standardError, samples].join('\t');
    }
  }
}

function text(lines: Iterable<string>): string {
  let whole = '';
  for (const line of lines) whole += `${line}\n`;
  return whole;
}
