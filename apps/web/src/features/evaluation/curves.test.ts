import { describe, expect, it } from 'vitest';
import curves from '../../../../../models/combined/curves.json';
import measured from './measured.generated.json';

describe('the shipped precision-recall curves', () => {
  it('are of the tests, cells and proteins of the tables', () => {
    expect(curves.tests.map(({ title }) => title)).toEqual(measured.tests.map(({ title }) => title));
    curves.tests.forEach(({ cells }, at) => {
      const own = cells.map(({ category, aspect, proteins }) => ({ category, aspect, proteins }));
      expect(own).toEqual(measured.tests[at]?.columns);
    });
  });

  it('have the Fmax of the tables at the marked threshold, within their bands', () => {
    curves.tests.forEach(({ cells }, at) => {
      cells.forEach(({ curves: drawn }, cell) => {
        for (const { method, fmax, tau, points } of drawn) {
          const figures = measured.tests[at]?.methods.find(({ name }) => name === method)?.figures;
          expect(fmax).toBe(figures?.[cell]?.value);
          const [, recall = 0, precision = 0] = points.find(([threshold]) => threshold === tau) ?? [];
          // The figures have three decimals of precision and recall.
          expect(Math.abs((2 * recall * precision) / (recall + precision) - fmax)).toBeLessThan(0.002);
          for (const [, , value = 0, low = value, high = value] of points) {
            expect(low).toBeLessThanOrEqual(value);
            expect(high).toBeGreaterThanOrEqual(value);
          }
        }
      });
    });
  });
});
