import fc from 'fast-check';
import { expect, it } from 'vitest';
import { consensusScore, leastSharedProteins, OwnCorrelation, propagatedScores } from './consensus.js';

const chance = fc.double({ min: 0, max: 1, noNaN: true });
const byHand = (own: number[], other: number[]): OwnCorrelation => {
  const correlation = new OwnCorrelation(() => 0);
  own.forEach((score, i) => correlation.add(new Map([[7, score]]), new Map([[7, other[i]]])));
  return correlation;
};

it('joins one half and one half to three quarters, and leaves a score without votes as it is', () => {
  expect(consensusScore(0.5, [0.5])).toBe(0.75);
  expect(consensusScore(0, [0.8])).toBe(0.8);
  expect(consensusScore(0.3, [])).toBe(0.3);
});

it('does not depend on the order of the programs, and no further program lowers it', () => {
  fc.assert(
    fc.property(chance, fc.array(chance, { maxLength: 6 }), chance, (own, chances, more) => {
      const score = consensusScore(own, chances);
      expect(consensusScore(own, chances.toReversed())).toBe(score);
      expect(score).toBeGreaterThanOrEqual(Math.max(own, ...chances));
      expect(score).toBeLessThanOrEqual(1);
      expect(consensusScore(own, [...chances, more])).toBeGreaterThanOrEqual(score - 1e-12);
      const slow = chances.reduce((joined, one) => joined + one - joined * one, own);
      expect(score).toBeCloseTo(slow, 10);
    }),
  );
});

it('raises each term above to the highest score below it', () => {
  const closure = { start: Int32Array.of(0, 1, 3, 5), terms: Int32Array.of(0, 1, 0, 2, 0) };
  const stated: [number, number][] = [
    [1, 0.4],
    [2, 0.9],
    [1, 0.2],
  ];
  expect(propagatedScores(closure, stated)).toEqual(
    new Map([
      [1, 0.4],
      [0, 0.9],
      [2, 0.9],
    ]),
  );
});

it('finds the correlation of Pearson where there is one term', () => {
  const scores = fc.array(fc.tuple(chance, chance), { minLength: leastSharedProteins, maxLength: 40 });
  fc.assert(
    fc.property(scores, (pairs) => {
      const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
      const [own, other] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
      const [a, b] = [own.map((value) => value - mean(own)), other.map((value) => value - mean(other))];
      const dot = (x: number[], y: number[]) => x.reduce((sum, value, i) => sum + value * y[i], 0);
      fc.pre(dot(a, a) > 0.01 && dot(b, b) > 0.01);
      expect(byHand(own, other).in(0)).toBeCloseTo(dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)), 6);
    }),
  );
});

it('lets a program vote that goes with the own scores, and none that says the same of all or has few proteins', () => {
  const own = Array.from({ length: leastSharedProteins }, (_, i) => ((i * 7) % 10) / 10 + 0.05);
  expect(byHand(own, own).in(0)).toBeCloseTo(1, 9);
  expect(byHand(own, own).votesOn(0)).toBe(true);
  expect(byHand(own, own).votesOn(1)).toBe(false);
  const same = own.map(() => 0.3);
  expect([byHand(own, same).in(0), byHand(own, same).votesOn(0)]).toEqual([null, false]);
  const against = own.map((score) => 1 - score);
  expect(byHand(own, against).votesOn(0)).toBe(false);
  expect(byHand(own.slice(1), own.slice(1)).in(0)).toBeNull();
});
