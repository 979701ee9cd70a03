import { expect } from 'vitest';

/** Expects every number within 1e-9 of the expected one, relative to that number where it is larger than 1. */
export function expectNear(actual: number[][], expected: number[][], tolerance = 1e-9): void {
  expect(actual.map((row) => row.length)).toEqual(expected.map((row) => row.length));
  let worst = 0;
  actual.forEach((row, r) => {
    row.forEach((value, c) => {
      const wanted = expected[r][c];
      const difference = Math.abs(value - wanted) / Math.max(1, Math.abs(wanted));
      // This comparison fails for NaN, as it must.
      worst = difference <= worst ? worst : difference;
    });
  });
  expect(worst).toBeLessThan(tolerance);
}
