import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  backgroundComposition,
  componentCount,
  letters,
  standardLetters,
  substitutionComponents,
} from './substitution.js';
import { symmetricEigen } from './symmetric-eigen.js';

const { strength, values } = substitutionComponents();
const background = backgroundComposition();
const value = (component: number, letter: string) =>
  values[component * letters.length + letters.indexOf(letter)];

describe('substitution components', () => {
  it('have mean 0, variance 1 and no correlation under the Swiss-Prot composition', () => {
    for (let c = 0; c < componentCount; c++) {
      for (let d = 0; d <= c; d++) {
        let mean = 0;
        let product = 0;
        for (let a = 0; a < standardLetters; a++) {
          mean += background[a] * values[c * letters.length + a];
          product += background[a] * values[c * letters.length + a] * values[d * letters.length + a];
        }
        expect(mean).toBeCloseTo(0, 9);
        expect(product).toBeCloseTo(c === d ? 1 : 0, 9);
      }
    }
  });

  it('keep between 0 and 1 of the signal, in descending order', () => {
    expect([...strength]).toEqual([...strength].sort((a, b) => b - a));
    expect(strength[0]).toBeLessThan(1);
    expect(strength[componentCount - 1]).toBeGreaterThan(0);
  });

  it('rebuild the published scores to within their rounding', () => {
    const score = (a: string, b: string) => {
      let odds = 1;
      for (let c = 0; c < componentCount; c++) odds += strength[c] * value(c, a) * value(c, b);
      return 2 * Math.log2(odds);
    };
    const published = [
      ['W', 'W', 11],
      ['I', 'V', 3],
      ['D', 'E', 2],
      ['F', 'Y', 3],
      ['C', 'E', -4],
      ['G', 'G', 6],
    ] as const;
    for (const [a, b, expected] of published) expect(Math.abs(score(a, b) - expected)).toBeLessThan(1);
  });

  it('put B between D and N, J between I and L, X at nothing', () => {
    for (let c = 0; c < componentCount; c++) {
      const [low, high] = [value(c, 'D'), value(c, 'N')].sort((a, b) => a - b);
      expect(value(c, 'B')).toBeGreaterThanOrEqual(low);
      expect(value(c, 'B')).toBeLessThanOrEqual(high);
      expect(value(c, 'X')).toBe(0);
    }
  });
});

describe('symmetricEigen', () => {
  it('rebuilds the matrix from its eigenvectors', () => {
    const matrix = fc.integer({ min: 1, max: 8 }).chain((n) =>
      fc.array(fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: n, maxLength: n }), {
        minLength: n,
        maxLength: n,
      }),
    );
    fc.assert(
      fc.property(matrix, (rows) => {
        const symmetric = rows.map((row, i) => Float64Array.from(row, (x, j) => (x + rows[j][i]) / 2));
        const { values: eigenvalues, vectors } = symmetricEigen(symmetric);
        symmetric.forEach((row, i) => {
          row.forEach((x, j) => {
            const rebuilt = vectors.reduce((sum, v, k) => sum + eigenvalues[k] * v[i] * v[j], 0);
            expect(Math.abs(rebuilt - x)).toBeLessThan(1e-9);
          });
        });
      }),
    );
  });
});
