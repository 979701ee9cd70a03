import { quantileOfSorted, Random } from '../../arrays/index.js';
import type { ThresholdTotals } from '../score/accumulate.js';
import type { PassContributions } from '../score/contributions.js';
import type { NamespaceEvaluation } from '../score/evaluate.js';
import { type MetricColumns, metricColumns } from '../score/metrics.js';
import { EvaluationInputError, type Normalisation } from '../options.js';
import { listedThresholds } from '../score/best-threshold.js';
import { summarise, summaryMetrics } from '../score/summary.js';
import { printedThreshold } from '../score/thresholds.js';

/** The metrics of the summary that depend on the sample of proteins, and so have an uncertainty. */
export const bootstrapFigures = summaryMetrics.filter((metric) => metric !== 'n_proteins');
export type BootstrapFigure = (typeof bootstrapFigures)[number];

/**
 * The metrics of resamples of the proteins. Two series with the same frame, seed and size are paired: sample i of both has the same
 * proteins.
 */
export interface BootstrapSeries {
  seed: number;
  resamples: number;
  /** The number of proteins in the population. */
  proteins: number;
  /** A key of the population; two series are paired only if their keys are equal. */
  populationKey: number;
  /** The metrics on all proteins; NaN where a metric has no value. */
  estimates: Record<BootstrapFigure, number>;
  /** The metrics of each resample as float64; NaN where a resample has no value. */
  samples: Record<BootstrapFigure, Float64Array>;
}

export interface BootstrapOptions {
  /** The number of resamples; default 1,000. */
  resamples?: number;
  /** The seed of the resampling; default 1. */
  seed?: number;
  normalisation?: Normalisation;
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
}

/**
 * Resamples the proteins by a nonparametric bootstrap: each resample draws as many proteins as the namespace has, with replacement, adds
 * up their recorded contributions and recomputes every figure, its best threshold included. Nothing is propagated or sorted again: a
 * resample costs the recorded steps plus the thresholds.
 *
 * @param evaluation made with `contributions: true`
 * @param options.normalisation as in the evaluation (default cafa)
 * @throws EvaluationInputError without contributions, or for a number of resamples below 1; the signal's reason on abort
 * @cite EfronTibshirani1993
 */
export function bootstrapSeries(
  evaluation: NamespaceEvaluation,
  options: BootstrapOptions = {},
): BootstrapSeries {
  const { resamples = 1000, seed = 1, normalisation = 'cafa' } = options;
  const { contributions } = evaluation;
  if (!contributions) throw new EvaluationInputError('a bootstrap needs an evaluation with contributions');
  if (!(Number.isInteger(resamples) && resamples >= 1))
    throw new EvaluationInputError(`${resamples} resamples: expected a whole number from 1`);
  const population = populationOf(evaluation);
  const samples = figuresBy(() => new Float64Array(resamples));
  const figuresWith = (
    columnsOf: (pass: PassContributions) => ResampledPass,
  ): Record<BootstrapFigure, number> => {
    const unweighted = columnsOf(contributions.unweighted);
    const weighted = contributions.weighted && columnsOf(contributions.weighted);
    const { namespace, tau } = evaluation;
    const summary = summarise({
      namespace,
      tau,
      proteins: unweighted.divisor,
      proteinsWeighted: weighted?.divisor ?? null,
      unweighted: unweighted.columns,
      weighted: weighted?.columns ?? null,
      contributions: null,
    });
    return figuresBy((figure) => summary[figure] ?? Number.NaN);
  };
  forEachResample(contributions, population, { resamples, seed }, (times, i) => {
    if (i % 32 === 0) options.signal?.throwIfAborted();
    const figures = figuresWith((pass) => resampledPass(pass, times, evaluation.tau.length, normalisation));
    for (const figure of bootstrapFigures) samples[figure][i] = figures[figure];
    options.onProgress?.(i + 1, resamples);
  });
  const summary = summarise(evaluation);
  return {
    seed,
    resamples,
    proteins: population.length,
    populationKey: keyOf(evaluation),
    estimates: figuresBy((figure) => summary[figure] ?? Number.NaN),
    samples,
  };
}

/** One listed threshold of a precision-recall curve. The bounds of precision and recall are the percentiles 2.5 and 97.5. */
export interface CurvePoint {
  tau: number;
  precision: number;
  precisionLow: number;
  precisionHigh: number;
  recall: number;
  recallLow: number;
  recallHigh: number;
}

/**
 * Gives precision and recall at every listed threshold, ascending, each with an interval from the bootstrap over proteins of
 * `bootstrapSeries`: for one seed the resamples are the same. A resample without a prediction at a threshold has no precision there and
 * is left out of that interval.
 *
 * @param evaluation made with `contributions: true`
 * @throws EvaluationInputError without contributions, or for a number of resamples below 1
 * @cite EfronTibshirani1993
 */
export function bootstrapCurve(
  evaluation: NamespaceEvaluation,
  {
    resamples = 1000,
    seed = 1,
    normalisation = 'cafa',
  }: Omit<BootstrapOptions, 'signal' | 'onProgress'> = {},
): CurvePoint[] {
  const { contributions, unweighted, tau } = evaluation;
  if (!contributions) throw new EvaluationInputError('a bootstrap needs an evaluation with contributions');
  if (!(Number.isInteger(resamples) && resamples >= 1))
    throw new EvaluationInputError(`${resamples} resamples: expected a whole number from 1`);
  const listed = listedThresholds(evaluation);
  const precision = listed.map((): number[] => []);
  const recall = listed.map((): number[] => []);
  forEachResample(contributions, populationOf(evaluation), { resamples, seed }, (times) => {
    const { columns } = resampledPass(contributions.unweighted, times, tau.length, normalisation);
    listed.forEach((k, at) => {
      if (columns.cov[k] > 0) precision[at].push(columns.pr[k]);
      if (Number.isFinite(columns.rc[k])) recall[at].push(columns.rc[k]);
    });
  });
  const bounds = (values: number[]): [number, number] => {
    const sorted = Float64Array.from(values).sort();
    return [quantileOfSorted(sorted, 0.025), quantileOfSorted(sorted, 0.975)];
  };
  return listed.map((k, at) => {
    const [precisionLow, precisionHigh] = bounds(precision[at]);
    const [recallLow, recallHigh] = bounds(recall[at]);
    return {
      tau: printedThreshold(tau[k]),
      precision: unweighted.pr[k],
      precisionLow,
      precisionHigh,
      recall: unweighted.rc[k],
      recallLow,
      recallHigh,
    };
  });
}

/** Calls back for one resample after the other with the number of times that each row is drawn. The array is the same one every time. */
function forEachResample(
  { unweighted }: NonNullable<NamespaceEvaluation['contributions']>,
  population: Int32Array,
  { resamples, seed }: { resamples: number; seed: number },
  visit: (times: Int32Array, i: number) => void,
): void {
  const times = new Int32Array(unweighted.counted.length);
  const random = new Random(seed);
  for (let i = 0; i < resamples; i++) {
    times.fill(0);
    for (let k = 0; k < population.length; k++) times[population[random.integer(population.length)]]++;
    visit(times, i);
  }
}

type ResampledPass = { columns: MetricColumns; divisor: number };

/** Returns the columns of a multiset of proteins in which row r occurs times[r] times. */
function resampledPass(
  pass: PassContributions,
  times: Int32Array,
  thresholds: number,
  normalisation: Normalisation,
): ResampledPass {
  const { stepStart, at, changes, truthWeight, counted, covers, divides } = pass;
  const n = new Float64Array(thresholds);
  const sums = new Float64Array(thresholds * 4);
  let divisor = 0;
  let truth = 0;
  for (let row = 0; row < times.length; row++) {
    const count = times[row];
    if (count === 0) continue;
    if (divides[row]) divisor += count;
    if (counted[row]) truth += count * truthWeight[row];
    const from = stepStart[row];
    const to = stepStart[row + 1];
    if (from < to && covers[row]) n[at[from]] += count;
    for (let e = from; e < to; e++) {
      const k = at[e] * 4;
      sums[k] += count * changes[e * 4];
      sums[k + 1] += count * changes[e * 4 + 1];
      sums[k + 2] += count * changes[e * 4 + 2];
      sums[k + 3] += count * changes[e * 4 + 3];
    }
  }
  for (let k = thresholds - 2; k >= 0; k--) n[k] += n[k + 1];
  for (let i = sums.length - 5; i >= 0; i--) sums[i] += sums[i + 4];
  const column = (c: number): Float64Array => Float64Array.from(n, (_, k) => sums[k * 4 + c]);
  const tp = column(0);
  const totals: ThresholdTotals = {
    n,
    tp,
    fp: column(1),
    fn: tp.map((found) => Math.max(0, truth - found)),
    precision: column(2),
    recall: column(3),
    divisor,
  };
  return { columns: metricColumns(totals, normalisation), divisor };
}

/** Returns the rows that count in at least one metric. */
function populationOf({ contributions }: NamespaceEvaluation): Int32Array {
  const passes = [contributions!.unweighted, contributions!.weighted].filter((pass) => pass !== null);
  const rows = Int32Array.from(passes[0].counted.keys());
  return rows.filter((row) => passes.some((pass) => pass.counted[row] || pass.divides[row]));
}

/** Returns the key of a population: FNV-1a over truth weights and populations. Two evaluations against one frame have the same key. */
function keyOf({ namespace, contributions }: NamespaceEvaluation): number {
  let hash = 0x811c9dc5 | 0;
  const take = (bytes: Uint8Array): void => {
    for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  };
  take(new TextEncoder().encode(namespace));
  for (const pass of [contributions!.unweighted, contributions!.weighted]) {
    if (!pass) continue;
    take(new Uint8Array(pass.truthWeight.buffer, pass.truthWeight.byteOffset, pass.truthWeight.byteLength));
    for (const flags of [pass.counted, pass.covers, pass.divides]) take(flags);
  }
  return hash >>> 0;
}

function figuresBy<T>(make: (figure: BootstrapFigure) => T): Record<BootstrapFigure, T> {
  return Object.fromEntries(bootstrapFigures.map((figure) => [figure, make(figure)])) as Record<
    BootstrapFigure,
    T
  >;
}
