import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitIsotonic, isotonicAt } from './isotonic.js';

// The golden file was made by golden/make.py with scikit-learn's IsotonicRegression(out_of_bounds='clip').
const golden = JSON.parse(readFileSync(new URL('golden/isotonic.json', import.meta.url), 'utf8')) as {
  x: number[];
  y: number[];
  at: number[];
  cases: { weights: number[] | null; fitted: number[]; curve: number[] }[];
};

/**
 * Computes the fit at a score by the minimax formula: the maximum over starts of the minimum over ends of the weighted mean between them.
 */
function slowFit(scores: number[], targets: number[], weights: number[]): number[] {
  const xs = [...new Set(scores)].sort((a, b) => a - b);
  const mean = (from: number, to: number): number => {
    const within = scores.map((_, i) => i).filter((i) => scores[i] >= xs[from] && scores[i] <= xs[to]);
    const weight = within.reduce((sum, i) => sum + weights[i], 0);
    return within.reduce((sum, i) => sum + weights[i] * targets[i], 0) / weight;
  };
  return scores.map((score) => {
    const k = xs.indexOf(score);
    const starts = Array.from({ length: k + 1 }, (_, from) =>
      Math.min(...Array.from({ length: xs.length - k }, (_, j) => mean(from, k + j))),
    );
    return Math.max(...starts);
  });
}

const points = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 1 }), fc.integer({ min: 1, max: 4 })),
  { minLength: 1, maxLength: 25 },
);
const fitOf = (rows: [number, number, number][]) =>
  fitIsotonic(
    Float64Array.from(rows, ([score]) => score / 8),
    rows.map(([, target]) => target),
    rows.map(([, , weight]) => weight),
  );

describe('isotonic fit', () => {
  it('is that of scikit-learn, with and without weights, on and between the points', () => {
    const scores = Float64Array.from(golden.x);
    for (const { weights, fitted, curve } of golden.cases) {
      const found = fitIsotonic(scores, golden.y, weights ?? undefined);
      golden.x.forEach((x, i) => expect(isotonicAt(found, x)).toBeCloseTo(fitted[i], 12));
      golden.at.forEach((x, i) => expect(isotonicAt(found, x)).toBeCloseTo(curve[i], 12));
    }
  });

  it('pools the violators of a worked example', () => {
    // The targets 1, 3, 2, 4, 3.5 become 1, 2.5, 2.5, 3.75, 3.75.
    const { low, high, value, weight } = fitIsotonic(Float64Array.of(5, 1, 3, 2, 4), [3.5, 1, 2, 3, 4]);
    expect([[...low], [...high], [...value], [...weight]]).toEqual([
      [1, 2, 4],
      [1, 3, 5],
      [1, 2.5, 3.75],
      [1, 2, 2],
    ]);
  });

  it('equals the minimax formula', () => {
    fc.assert(
      fc.property(points, (rows) => {
        const curve = fitOf(rows);
        const slow = slowFit(
          rows.map(([score]) => score / 8),
          rows.map(([, target]) => target),
          rows.map(([, , weight]) => weight),
        );
        rows.forEach(([score], i) => expect(isotonicAt(curve, score / 8)).toBeCloseTo(slow[i], 10));
      }),
    );
  });

  it('ascends, keeps the weighted mean, and does not depend on the order of points', () => {
    fc.assert(
      fc.property(points, (rows) => {
        const curve = fitOf(rows);
        for (let b = 1; b < curve.value.length; b++) {
          expect(curve.value[b]).toBeGreaterThan(curve.value[b - 1]);
          expect(curve.low[b]).toBeGreaterThan(curve.high[b - 1]);
        }
        const total = rows.reduce((sum, [, target, weight]) => sum + target * weight, 0);
        expect(curve.value.reduce((sum, value, b) => sum + value * curve.weight[b], 0)).toBeCloseTo(total, 9);
        expect(fitOf(rows.toReversed())).toEqual(curve);
      }),
    );
  });

  it('refuses columns that do not fit, scores that are not numbers, and points without weight', () => {
    expect(() => fitIsotonic(Float64Array.of(1, 2), [1])).toThrow(/2 scores, but 1 targets/);
    expect(() => fitIsotonic(Float64Array.of(Number.NaN), [1])).toThrow(/not a finite number/);
    expect(() => fitIsotonic(Float64Array.of(1), [1], [0])).toThrow(/no point/);
  });
});
