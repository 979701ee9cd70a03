import type { ThresholdTotals } from './accumulate.js';
import type { Normalisation } from './options.js';

/** Column order of the published tables. */
export const metricNames = [
  'n',
  'tp',
  'fp',
  'fn',
  'pr',
  'rc',
  'cov',
  'mi',
  'ru',
  'f',
  's',
  'pr_micro',
  'rc_micro',
  'f_micro',
] as const;
export type MetricName = (typeof metricNames)[number];

/** One float64 column per metric, one entry per threshold. */
export type MetricColumns = Record<MetricName, Float64Array>;

/**
 * Turns sums over proteins into the published columns. Divisors:
 *
 * | column     | cafa | pred | gt |
 * |------------|------|------|----|
 * | pr         | n    | n    | N  |
 * | rc         | N    | n    | N  |
 * | tp, fp, fn | N    | n    | N  |
 *
 * A quotient with divisor 0 is 0, except cov = n / N, which is then infinite if n > 0 (only the partial-knowledge
 * compatibility gets there). f is the harmonic mean of pr and rc, mi = fp, ru = fn, s = sqrt(mi^2 + ru^2); the micro
 * columns come from tp, fp and fn. @cite Jiang2016CAFA2
 */
export function metricColumns(totals: ThresholdTotals, normalisation: Normalisation): MetricColumns {
  const columns = Object.fromEntries(
    metricNames.map((name) => [name, new Float64Array(totals.n.length)]),
  ) as MetricColumns;
  for (let k = 0; k < totals.n.length; k++) {
    const n = totals.n[k];
    const all = totals.divisor;
    const amount = normalisation === 'pred' ? n : all;
    const pr = quotient(totals.precision[k], normalisation === 'gt' ? all : n);
    const rc = quotient(totals.recall[k], amount);
    const tp = quotient(totals.tp[k], amount);
    const fp = quotient(totals.fp[k], amount);
    const fn = quotient(totals.fn[k], amount);
    const prMicro = quotient(tp, tp + fp);
    const rcMicro = quotient(tp, tp + fn);
    const row: Record<MetricName, number> = {
      n,
      tp,
      fp,
      fn,
      pr,
      rc,
      cov: n === 0 ? 0 : n / all,
      mi: fp,
      ru: fn,
      f: harmonicMean(pr, rc),
      s: Math.sqrt(fn * fn + fp * fp),
      pr_micro: prMicro,
      rc_micro: rcMicro,
      f_micro: harmonicMean(prMicro, rcMicro),
    };
    for (const name of metricNames) columns[name][k] = row[name];
  }
  return columns;
}

function quotient(value: number, divisor: number): number {
  return divisor === 0 ? 0 : value / divisor;
}

export function harmonicMean(a: number, b: number): number {
  return quotient(2 * a * b, a + b);
}
