import { quantileOfSorted } from '../../arrays/index.js';
import type { BootstrapFigure, BootstrapSeries } from './bootstrap.js';
import { EvaluationInputError } from '../options.js';

export interface Interval {
  /** The value of the metric on all proteins. */
  estimate: number;
  /** The lower and the upper percentile bound. */
  low: number;
  high: number;
  standardError: number;
  /** The number of resamples that have the metric. */
  samples: number;
}

export interface Difference extends Interval {
  /** The two-sided p value: twice the smaller share of resamples on either side of 0, at least 2 / (samples + 1), at most 1. */
  pValue: number;
}

/**
 * Returns the percentile interval of a metric; null if no resample has the metric, or the whole population does not.
 * @param level for instance 0.95
 */
export function intervalOf(series: BootstrapSeries, figure: BootstrapFigure, level = 0.95): Interval | null {
  return interval(series.estimates[figure], series.samples[figure], level);
}

/**
 * Returns the interval of figure(a) - figure(b), resample by resample on the same proteins, which is much narrower than the two separate
 * intervals suggest. The result is null if either has no value.
 * @throws EvaluationInputError if the series are not paired (another frame, seed or number of resamples)
 */
export function differenceOf(
  a: BootstrapSeries,
  b: BootstrapSeries,
  figure: BootstrapFigure,
  level = 0.95,
): Difference | null {
  if (a.populationKey !== b.populationKey || a.seed !== b.seed || a.resamples !== b.resamples) {
    throw new EvaluationInputError(
      'the two results are not paired: another ground truth, evaluated terms, seed or number of resamples',
    );
  }
  const differences = a.samples[figure].map((value, i) => value - b.samples[figure][i]);
  const found = interval(a.estimates[figure] - b.estimates[figure], differences, level);
  if (!found) return null;
  const notAbove = differences.reduce((sum, value) => sum + Number(value <= 0), 0);
  const notBelow = differences.reduce((sum, value) => sum + Number(value >= 0), 0);
  const pValue = Math.min(1, (2 * (Math.min(notAbove, notBelow) + 1)) / (found.samples + 1));
  return { ...found, pValue };
}

function interval(estimate: number, samples: Float64Array, level: number): Interval | null {
  const sorted = samples.filter((value) => Number.isFinite(value)).sort();
  if (sorted.length === 0 || !Number.isFinite(estimate)) return null;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const squares = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    estimate,
    low: quantileOfSorted(sorted, (1 - level) / 2),
    high: quantileOfSorted(sorted, (1 + level) / 2),
    standardError: Math.sqrt(squares / Math.max(1, sorted.length - 1)),
    samples: sorted.length,
  };
}
