import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ProbabilityCurve, probabilityOf } from './index.js';

const curve: ProbabilityCurve = {
  method: 'combined',
  reference: null,
  aspect: 'P',
  known: 'nothing',
  bins: [
    { score_from: 0, score_to: 0.2, probability: 0.1, low: 0.05, high: 0.2, proteins: 300 },
    { score_from: 0.3, score_to: 0.5, probability: 0.4, low: 0.3, high: 0.5, proteins: 99 },
    { score_from: 0.6, score_to: 0.9, probability: 0.8, low: 0.7, high: 0.9, proteins: 150 },
  ],
  windows: ['yeast-2018'],
  kingdoms: ['Eukaryota'],
};
const asked = {
  method: 'combined',
  aspect: 'P',
  known: 'nothing',
  kingdom: 'Eukaryota',
  score: 0.7,
} as const;
const shipped: ProbabilityCurve[] = JSON.parse(
  readFileSync(new URL('../../../../models/combined/calibration.json', import.meta.url), 'utf8'),
);
/** Predictions said to be at least 80 % right with their organism left out of model and curve, and how many were. */
const tested: Record<string, { claimed: number; right: number }> = JSON.parse(
  readFileSync(new URL('../../../../models/combined/calibration-test.json', import.meta.url), 'utf8'),
);

describe('what a score means', () => {
  it('is said by the bin that covers it, between two by the lower, beyond the ends by the last', () => {
    const probability = (score: number) => probabilityOf([curve], { ...asked, score })?.probability ?? null;
    expect([0.1, 0.25, 0.7, 1, -1].map(probability)).toEqual([0.1, 0.1, 0.8, 0.8, 0.1]);
  });

  it('is not said where fewer than 100 proteins stand behind the bin', () => {
    expect(probabilityOf([curve], { ...asked, score: 0.4 })).toBeNull();
  });

  it('is not said where no window of the kingdom is in the curve, or the kingdom is unknown', () => {
    expect(probabilityOf([curve], { ...asked, kingdom: 'Bacteria' })).toBeNull();
    expect(probabilityOf([curve], { ...asked, kingdom: null })).toBeNull();
    for (const kingdom of ['Archaea', 'Viruses', null])
      for (const { method, aspect, known } of shipped)
        expect(probabilityOf(shipped, { method, aspect, known, kingdom, score: 0.9 })).toBeNull();
  });

  it('is that of the first curve for the query', () => {
    const own = { ...curve, bins: [{ ...curve.bins[0], probability: 0.3 }] };
    const found = (curves: ProbabilityCurve[]) => {
      const bin = probabilityOf(curves, asked);
      return bin && [bin.curve, bin.probability];
    };
    expect(found([own, curve])).toEqual([0, 0.3]);
    expect(found([{ ...own, kingdoms: ['Bacteria'] }, curve])).toEqual([1, 0.8]);
  });

  it('is not said without a curve for the method, the aspect and what is known', () => {
    expect(probabilityOf([curve], { ...asked, method: 'untrained' })).toBeNull();
    expect(probabilityOf([curve], { ...asked, aspect: 'F' })).toBeNull();
    expect(probabilityOf([curve], { ...asked, known: 'same aspect' })).toBeNull();
  });
});

describe('the shipped curves', () => {
  it('are one for each aspect and knowledge, rise, and lie within their intervals', () => {
    expect(new Set(shipped.map(({ aspect, known }) => `${aspect} ${known}`)).size).toBe(9);
    for (const { bins } of shipped) {
      bins.forEach(({ score_from, score_to, probability, low, high, proteins }, i) => {
        expect(score_from).toBeLessThanOrEqual(score_to);
        if (i > 0) expect(score_from).toBeGreaterThan(bins[i - 1].score_to);
        if (probability === null) {
          expect([low, high, i]).toEqual([null, null, bins.length - 1]);
          return;
        }
        if (i > 0) expect(probability!).toBeGreaterThanOrEqual(bins[i - 1].probability!);
        expect([low! <= probability! + 1e-9, probability! <= high! + 1e-9, proteins >= 100]).toEqual([
          true,
          true,
          true,
        ]);
      });
    }
  });

  it('say 80 % only for aspects in whose test at least 75 % of such predictions were right', () => {
    const isSupported = ({ claimed, right }: { claimed: number; right: number }) => right >= 0.75 * claimed;
    expect(Object.keys(tested).filter((aspect) => isSupported(tested[aspect]))).toEqual(['C']);
    const highest = (aspect: string) =>
      Math.max(
        ...shipped
          .filter((one) => one.aspect === aspect)
          .flatMap(({ bins }) => bins.map(({ probability }) => probability ?? 0)),
      );
    expect([highest('P') < 0.8, highest('F') < 0.8, highest('C') > 0.8]).toEqual([true, true, true]);
  });

  it('say "not calibrated" for the surest process terms, and a number for components', () => {
    const at = (aspect: string, known: ProbabilityCurve['known'], score: number) =>
      probabilityOf(shipped, { method: 'combined', aspect, known, kingdom: 'Eukaryota', score })
        ?.probability ?? null;
    expect(at('P', 'other aspects', 0.95)).toBeNull();
    expect(at('P', 'other aspects', 0.8)).toBeGreaterThan(0.6);
    expect(at('C', 'nothing', 0.95)).toBeGreaterThan(0.8);
  });
});
