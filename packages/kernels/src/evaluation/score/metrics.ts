import type { ThresholdTotals } from './accumulate.js';
import type { Normalisation } from '../options.js';

/** The names of the columns, in the order of the published tables. */
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

/** A float64 column for each metric, with one entry for each threshold. */
export type MetricColumns = Record<MetricName, Float64Array>;

/**
 * Turns sums over proteins into the published columns. Divisors:
 * | column | cafa | pred | gt | |------------|------|------|----| | pr | n | n | N | | rc | N | n | N | | tp, fp, fn | N | n | N |
 * A quotient with divisor 0 is 0, except cov = n / N, which is then infinite if n > 0 and `noCoverage` if n = 0 (only the partial-knowledge
 * compatibility gets there; the published program leaves that cell empty). f is the harmonic mean of pr and rc, mi = fp, ru = fn, s =
 * sqrt(mi^2 + ru^2); the micro columns come from tp, fp and fn.
 * @cite Jiang2016CAFA2
 */
export function metricColumns(
  totals: ThresholdTotals,
  normalisation: Normalisation,
  noCoverage = 0,
): MetricColumns {
  const size = totals.n.length;
  const columns = Object.fromEntries(
    metricNames.map((name) => [name, new Float64Array(size)]),
  ) as MetricColumns;
  const { n, pr, rc, tp, fp, fn, cov, f, s, pr_micro: prMicro, rc_micro: rcMicro, f_micro: fMicro } = columns;
  const all = totals.divisor;
  n.set(totals.n);
  for (let k = 0; k < size; k++) {
    const amount = normalisation === 'pred' ? n[k] : all;
    pr[k] = quotient(totals.precision[k], normalisation === 'gt' ? all : n[k]);
    rc[k] = quotient(totals.recall[k], amount);
    tp[k] = quotient(totals.tp[k], amount);
    fp[k] = quotient(totals.fp[k], amount);
    fn[k] = quotient(totals.fn[k], amount);
    cov[k] = n[k] === 0 && all === 0 ? noCoverage : n[k] / all;
    f[k] = harmonicMean(pr[k], rc[k]);
    s[k] = Math.sqrt(fn[k] * fn[k] + fp[k] * fp[k]);
    prMicro[k] = quotient(tp[k], tp[k] + fp[k]);
    rcMicro[k] = quotient(tp[k], tp[k] + fn[k]);
    fMicro[k] = harmonicMean(prMicro[k], rcMicro[k]);
  }
  columns.mi.set(fp);
  columns.ru.set(fn);
  return columns;
}

function quotient(value: number, divisor: number): number {
  return divisor === 0 ? 0 : value / divisor;
}

function harmonicMean(a: number, b: number): number {
  return quotient(2 * a * b, a + b);
}
