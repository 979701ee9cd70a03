import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedDecimals, shortestDecimals, tableDecimals } from './number-format.js';

describe('numbers in tables', () => {
  it.each([
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
    [2.5, 0, '2'],
    [3.5, 0, '4'],
    [0.0005, 3, '0.001'],
    [1.0005, 3, '1.000'],
    [8.0625, 3, '8.062'],
    [-0.125, 2, '-0.12'],
    [13, 3, '13.000'],
    [Infinity, 3, 'inf'],
    [Number.NaN, 3, ''],
  ])('%d with %d decimals as C prints it: %s', (value, decimals, text) => {
    expect(fixedDecimals(value, decimals)).toBe(text);
  });

  it('unrounded give back the double', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        expect(Number(shortestDecimals(value))).toBe(value);
      }),
    );
  });

  it.each([
    [13, '13.0'],
    [0.1, '0.1'],
    [0.00001, '1e-05'],
    [1.5e-7, '1.5e-07'],
    [1e16, '1e+16'],
    [0, '0.0'],
  ])('unrounded %d is written %s', (value, text) => {
    expect(shortestDecimals(value)).toBe(text);
  });

  it.each([
    [0.1, 2],
    [0.05, 3],
    [0.01, 3],
    [0.001, 4],
  ])('step %d has %d decimals', (step, decimals) => expect(tableDecimals(step)).toBe(decimals));
});
