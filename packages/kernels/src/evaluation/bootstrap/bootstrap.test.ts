import { describe, expect, it } from 'vitest';
import { Random } from '../../arrays/index.js';
import { bootstrapCurve, bootstrapFigures, bootstrapSeries } from './bootstrap.js';
import { differenceOf, intervalOf } from './intervals.js';
import { summarise } from '../score/summary.js';
import { runCase, type TestCase, utf8 } from '../testing/cases.js';
import type { NamespaceEvaluation } from '../score/evaluate.js';

const obo = utf8(
  Array.from(
    { length: 30 },
    (_, t) => `[Term]\nid: T:${t}\nnamespace: toy\n${t > 0 ? `is_a: T:${(t - 1) >> 1}\n` : ''}\n`,
  ).join(''),
);
const ia = utf8(Array.from({ length: 30 }, (_, t) => `T:${t}\t${t / 10}\n`).join(''));

/**
 * Makes a case of proteins with one true term each. Method `good` finds it with the given probability, and otherwise predicts a random
 * term.
 */
function madeUp(proteins: number, seed: number): TestCase {
  const random = new Random(seed);
  const truth = Array.from({ length: proteins }, () => 1 + random.integer(29));
  const method = (hits: number): Uint8Array =>
    utf8(
      truth
        .map(
          (term, p) =>
            `P${p}\tT:${random.float() < hits ? term : random.integer(30)}\t${(0.1 + 0.9 * random.float()).toFixed(2)}\n`,
        )
        .join(''),
    );
  const lines = utf8(truth.map((term, p) => `P${p}\tT:${term}\n`).join(''));
  return {
    obo,
    ia,
    truth: lines,
    predictions: { good: method(0.8), bad: method(0.3), same: method(0.3) },
    contributions: true,
  };
}
const evaluations = (test: TestCase): NamespaceEvaluation[] =>
  runCase(test).map(({ namespaces }) => namespaces[0]);

describe('bootstrap over proteins', () => {
  it('equals evaluating the drawn proteins as files, figure by figure', () => {
    const test = { ...madeUp(12, 3), noOrphans: true, known: utf8('P1\tT:1\nP2\tT:2\nP3\tT:29\n') };
    const [evaluation] = evaluations(test);
    const series = bootstrapSeries(evaluation, { resamples: 5, seed: 9 });
    const random = new Random(9);
    const text = (bytes: Uint8Array): string[][] =>
      new TextDecoder()
        .decode(bytes)
        .trim()
        .split('\n')
        .map((line) => line.split('\t'));
    for (let i = 0; i < 5; i++) {
      const drawn = Array.from({ length: series.proteins }, () => `P${random.integer(series.proteins)}`);
      const copies = (bytes: Uint8Array): Uint8Array =>
        utf8(
          drawn
            .flatMap((protein, d) =>
              text(bytes)
                .filter(([p]) => p === protein)
                .map(([, ...rest]) => [`D${d}`, ...rest].join('\t')),
            )
            .join('\n'),
        );
      const files = {
        ...test,
        truth: copies(test.truth),
        known: copies(test.known),
        predictions: { good: copies(test.predictions.good) },
      };
      const expected = summarise(evaluations(files)[0]);
      for (const figure of bootstrapFigures)
        expect(series.samples[figure][i], figure).toBeCloseTo(expected[figure]!, 12);
    }
    expect(series.estimates.fmax).toBe(summarise(evaluation).fmax);
  });

  it('is repeatable by its seed, and another seed gives other resamples', () => {
    const [good] = evaluations(madeUp(40, 1));
    const fmax = (seed: number): Float64Array => bootstrapSeries(good, { resamples: 50, seed }).samples.fmax;
    expect(fmax(5)).toEqual(fmax(5));
    expect(fmax(5)).not.toEqual(fmax(6));
  });

  it('gives intervals around the estimate that narrow with more proteins', () => {
    const width = (proteins: number): number => {
      const [good] = evaluations(madeUp(proteins, 2));
      const interval = intervalOf(bootstrapSeries(good), 'fmax')!;
      expect(interval.low).toBeLessThanOrEqual(interval.estimate);
      expect(interval.high).toBeGreaterThanOrEqual(interval.estimate);
      expect(interval.samples).toBe(1000);
      return interval.high - interval.low;
    };
    const [few, many] = [width(40), width(640)];
    expect(few / many).toBeGreaterThan(2.5);
    expect(few / many).toBeLessThan(6.5);
  });

  it('tells methods apart in pairs, and a method from itself not at all', () => {
    const [good, bad, same] = evaluations(madeUp(150, 4)).map((evaluation) => bootstrapSeries(evaluation));
    const better = differenceOf(good, bad, 'fmax')!;
    expect(better.low).toBeGreaterThan(0);
    expect(better.pValue).toBeLessThan(0.01);
    expect(better.estimate).toBe(good.estimates.fmax - bad.estimates.fmax);
    const alike = differenceOf(bad, same, 'fmax')!;
    expect(alike.low).toBeLessThan(0);
    expect(alike.high).toBeGreaterThan(0);
    const self = differenceOf(good, good, 'smin')!;
    expect([self.low, self.high, self.standardError, self.pValue]).toEqual([0, 0, 0, 1]);
  });

  it('refuses what is not paired, lacks contributions, or draws nothing', () => {
    const [good] = evaluations(madeUp(20, 1));
    const [other] = evaluations(madeUp(20, 2));
    const series = bootstrapSeries(good, { resamples: 10 });
    expect(() => differenceOf(series, bootstrapSeries(other, { resamples: 10 }), 'fmax')).toThrow(
      /not paired/,
    );
    expect(() => differenceOf(series, bootstrapSeries(good, { resamples: 10, seed: 2 }), 'fmax')).toThrow(
      /not paired/,
    );
    expect(() => bootstrapSeries({ ...good, contributions: null })).toThrow(
      /needs an evaluation with contributions/,
    );
    expect(() => bootstrapSeries(good, { resamples: 0 })).toThrow(/whole number from 1/);
    expect(() => bootstrapSeries(good, { signal: AbortSignal.abort(new Error('stopped')) })).toThrow(
      'stopped',
    );
  });

  it('has no interval where the method has no figure', () => {
    const test = madeUp(10, 1);
    const [empty] = evaluations({ ...test, predictions: { empty: utf8('') } });
    const series = bootstrapSeries(empty, { resamples: 10 });
    expect(intervalOf(series, 'fmax')).toBeNull();
    expect(differenceOf(series, series, 'fmax')).toBeNull();
  });
});

describe('the precision-recall curve', () => {
  it('has the figures of the evaluation, its best point, and intervals that hold them', () => {
    const [evaluation] = evaluations(madeUp(60, 5));
    const curve = bootstrapCurve(evaluation, { resamples: 300, seed: 2 });
    const summary = summarise(evaluation);
    const best = curve.find(({ tau }) => tau === summary.tau);
    expect(best).toMatchObject({ precision: summary.precision, recall: summary.recall });
    for (const point of curve) {
      expect(point.precisionLow).toBeLessThanOrEqual(point.precision);
      expect(point.precisionHigh).toBeGreaterThanOrEqual(point.precision);
      expect(point.recallLow).toBeLessThanOrEqual(point.recall);
      expect(point.recallHigh).toBeGreaterThanOrEqual(point.recall);
    }
    const taus = curve.map(({ tau }) => tau);
    expect(taus).toEqual(taus.toSorted((a, b) => a - b));
  });

  it('draws the same proteins as the figures do', () => {
    const [evaluation] = evaluations(madeUp(20, 7));
    const [fmax] = bootstrapSeries(evaluation, { resamples: 1, seed: 4 }).samples.fmax;
    // With a single resample, both bounds are the precision and recall of that resample.
    const f = bootstrapCurve(evaluation, { resamples: 1, seed: 4 }).map(
      ({ precisionLow: p, recallLow: r }) => (p + r === 0 || Number.isNaN(p) ? 0 : (2 * p * r) / (p + r)),
    );
    expect(Math.max(...f)).toBeCloseTo(fmax, 12);
  });
});
