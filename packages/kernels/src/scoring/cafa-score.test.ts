import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cafaScore } from './cafa-score.js';

it('is in (0, 1], has three digits, and keeps the order', () => {
  expect([1.2, 0.5, 0.0012345, 0, -1, 0.9996].map(cafaScore)).toEqual([1, 0.5, 0.00123, 0.001, 0.001, 1]);
  const score = fc.double({ min: -0.5, max: 1.5, noNaN: true });
  fc.assert(
    fc.property(score, score, (a, b) => {
      expect(String(cafaScore(a))).toMatch(/^(1|0\.0{0,2}[1-9]\d{0,2})$/);
      expect(Math.sign(cafaScore(a) - cafaScore(b)) * Math.sign(a - b)).toBeGreaterThanOrEqual(0);
      expect(cafaScore(cafaScore(a))).toBe(cafaScore(a));
    }),
  );
});
