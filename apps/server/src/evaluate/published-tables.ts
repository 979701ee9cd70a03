import { namespaceOf } from '@kindred/contracts';
import {
  allTable,
  bestMetrics,
  bestTable,
  bootstrapFigures,
  type NumberStyle,
  tableDecimals,
} from '@kindred/kernels/evaluation';
import type { AspectEvaluation } from '../predict/compute/tasks/evaluate.js';

/** The tables name a method after its prediction file among the artifacts. */
const method = 'predictions.tsv';

/**
 * Yields the published program's tables by file name, the unrounded one, the intervals and the reliability
 * diagrams; each is rendered on demand.
 */
export function* publishedTables(
  aspects: readonly AspectEvaluation[],
  thresholdStep: number,
): Generator<[name: string, table: string]> {
  const methods = [{ method, namespaces: aspects.map(({ evaluation }) => evaluation) }];
  const weighted = methods[0].namespaces.some((namespace) => namespace.weighted !== null);
  const rounded: NumberStyle = { decimals: tableDecimals(thresholdStep) };
  yield ['evaluation_all.tsv', text(allTable(methods, weighted, rounded))];
  yield ['evaluation_all.full.tsv', text(allTable(methods, weighted, 'shortest'))];
  for (const metric of bestMetrics) {
    if (weighted || !metric.endsWith('_w'))
      yield [`evaluation_best_${metric}.tsv`, text(bestTable(methods, metric, weighted, rounded))];
  }
  if (aspects.some(({ intervals }) => intervals !== null))
    yield ['evaluation_intervals.tsv', text(intervalLines(aspects))];
  if (aspects.some(({ reliability }) => reliability !== null))
    yield ['reliability.tsv', text(reliabilityLines(aspects))];
}

/** Empty bins have neither a mean score nor a share of right predictions. */
function* reliabilityLines(aspects: readonly AspectEvaluation[]): Generator<string> {
  yield ['ns', 'low', 'high', 'predictions', 'proteins', 'mean_score', 'share_right'].join('\t');
  for (const { aspect, reliability } of aspects)
    for (const { low, high, predictions, proteins, mean_score, share_right } of reliability?.bins ?? [])
      yield [namespaceOf[aspect], low, high, predictions, proteins, mean_score, share_right].join('\t');
}

function* intervalLines(aspects: readonly AspectEvaluation[]): Generator<string> {
  yield ['ns', 'figure', 'estimate', 'low', 'high', 'standard_error', 'resamples'].join('\t');
  for (const { aspect, intervals } of aspects) {
    for (const figure of bootstrapFigures) {
      const found = intervals?.[figure];
      if (found === undefined) continue;
      const { estimate, low, high, standardError, samples } = found;
      yield [namespaceOf[aspect], figure, estimate, low, high, standardError, samples].join('\t');
    }
  }
}

function text(lines: Iterable<string>): string {
  let whole = '';
  for (const line of lines) whole += `${line}\n`;
  return whole;
}
