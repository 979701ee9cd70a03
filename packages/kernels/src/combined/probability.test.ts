import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { calibrationRule } from '../calibration/index.js';
import { type AskedCurve, curveOf, probabilitiesOf, type ProbabilityCurve } from './index.js';

/** Returns the probability that one score stands for. */
function probabilityOf(
  curves: readonly ProbabilityCurve[],
  { score, ...wanted }: AskedCurve & { score: number },
) {
  return probabilitiesOf(curves, wanted)(score);
}

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
/** The probabilities that curves gave for an organism that neither they nor the model had seen. */
const tested: {
  method: string;
  kingdom: string;
  aspect: string;
  error: number;
  error_from_10: number;
  claimed: number;
  right: number;
}[] = JSON.parse(
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
    expect(curveOf([{ ...own, kingdoms: ['Bacteria'] }, curve], asked)).toBe(curve);
    expect(curveOf([own, curve], { ...asked, aspect: 'F' })).toBeUndefined();
    expect(curveOf([own, curve], { ...asked, kingdom: null })).toBeUndefined();
  });

  it('is not said without a curve for the method, the aspect and what is known', () => {
    expect(probabilityOf([curve], { ...asked, method: 'untrained' })).toBeNull();
    expect(probabilityOf([curve], { ...asked, aspect: 'F' })).toBeNull();
    expect(probabilityOf([curve], { ...asked, known: 'same aspect' })).toBeNull();
  });
});

describe('the shipped curves', () => {
  it('are one for each method, kingdom, aspect and knowledge, rise, and lie within their intervals', () => {
    const keys = shipped.flatMap(({ method, aspect, known, kingdoms }) =>
      kingdoms.map((kingdom) => `${method} ${kingdom} ${aspect} ${known}`),
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toContain('combined Eukaryota P same aspect');
    expect(keys).toContain('untrained Eukaryota P nothing');
    expect(keys).toContain('untrained Bacteria F nothing');
    for (const { bins } of shipped) {
      bins.forEach(({ score_from, score_to, probability, low, high, proteins }, i) => {
        expect(score_from).toBeLessThanOrEqual(score_to);
        if (i > 0) expect(score_from).toBeGreaterThan(bins[i - 1].score_to);
        if (probability === null) {
          // Only the bins of the highest probabilities are left out.
          expect([low, high]).toEqual([null, null]);
          expect(bins.slice(i).every((bin) => bin.probability === null)).toBe(true);
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

  it('are shown only for kingdoms and aspects whose test left an error of at most 0.05', () => {
    const { largestError, minRight, sure } = calibrationRule;
    expect(tested).toHaveLength(12);
    for (const { method, kingdom, aspect, error, error_from_10, claimed, right } of tested) {
      const curves = shipped.filter(
        (one) => one.method === method && one.aspect === aspect && one.kingdoms.includes(kingdom),
      );
      expect([method, kingdom, aspect, curves.length > 0]).toEqual([
        method,
        kingdom,
        aspect,
        Math.max(error, error_from_10) <= largestError,
      ]);
      // Probabilities of 80 % and more are given only where at least 75 % of such predictions were right.
      const highest = Math.max(
        0,
        ...curves.flatMap(({ bins }) => bins.map(({ probability }) => probability ?? 0)),
      );
      if (claimed === 0 || right < minRight * claimed) expect(highest).toBeLessThan(sure);
    }
  });

  it('say how sure a bare sequence is, or "not calibrated"', () => {
    const at = (method: string, kingdom: string, aspect: string, score: number) =>
      probabilityOf(shipped, { method, aspect, known: 'nothing', kingdom, score })?.probability ?? null;
    expect(at('untrained', 'Eukaryota', 'P', 0.7)).toBeGreaterThan(0.5);
    expect(at('untrained', 'Eukaryota', 'P', 0.02)).toBeLessThan(0.1);
    expect(at('untrained', 'Bacteria', 'F', 0.6)).toBeGreaterThan(0.5);
    // The test found fewer than 75 % of the surest process terms right. For components, and for processes of bacteria, the curves did not
    // hold.
    expect(at('untrained', 'Eukaryota', 'P', 0.95)).toBeNull();
    expect(at('untrained', 'Eukaryota', 'C', 0.6)).toBeNull();
    expect(at('untrained', 'Bacteria', 'P', 0.7)).toBeNull();
    expect(at('combined', 'Bacteria', 'P', 0.5)).toBeNull();
    expect(at('combined', 'Eukaryota', 'P', 0.5)).toBeGreaterThan(0.2);
  });
});
