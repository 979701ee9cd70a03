import {
  type BootstrapSeries,
  bootstrapFigures,
  differenceOf,
  intervalOf,
} from '@kindred/kernels/evaluation';
import type { EvaluatedMethod } from './evaluate-methods.js';

/** The file `evaluation_intervals.tsv` has 95 % bounds of every figure. */
export function* intervalTable(methods: readonly EvaluatedMethod[]): Generator<string> {
  yield ['filename', 'ns', 'figure', 'estimate', 'low', 'high', 'standard_error', 'resamples'].join('\t');
  for (const { method, namespaces, series } of methods) {
    for (const [i, { namespace }] of namespaces.entries()) {
      for (const figure of bootstrapFigures) {
        const found = intervalOf(series[i], figure);
        if (!found) continue;
        const { estimate, low, high, standardError, samples } = found;
        yield [method, namespace, figure, estimate, low, high, standardError, samples].join('\t');
      }
    }
  }
}

/**
 * The file `evaluation_differences.tsv` has the bounds for the difference of each pair of methods, on the
 * same resampled proteins.
 */
export function* differenceTable(methods: readonly EvaluatedMethod[]): Generator<string> {
  yield ['filename', 'minus', 'ns', 'figure', 'difference', 'low', 'high', 'standard_error', 'p_value'].join(
    '\t',
  );
  for (const [at, a] of methods.entries()) {
    for (const b of methods.slice(at + 1)) {
      for (const [i, { namespace }] of a.namespaces.entries()) {
        yield* differences(`${a.method}\t${b.method}\t${namespace}`, a.series[i], b.series[i]);
      }
    }
  }
}

function* differences(start: string, a: BootstrapSeries, b: BootstrapSeries): Generator<string> {
  for (const figure of bootstrapFigures) {
    const found = differenceOf(a, b, figure);
    if (found)
      yield [start, figure, found.estimate, found.low, found.high, found.standardError, found.pValue].join(
        '\t',
      );
  }
}
