import { expect, it } from 'vitest';
import { expectedSpeed } from './expected-speed.js';

it('expects the speed of the nearest measured model by size, in proportion', () => {
  const measured = [
    { parameters: 8e6, speed: 80 },
    { parameters: 150e6, speed: 5 },
    { parameters: 650e6, speed: null },
  ];
  expect(expectedSpeed(650e6, measured)).toBeCloseTo((5 * 150) / 650, 12);
  expect(expectedSpeed(16e6, measured)).toBeCloseTo(40, 12);
  expect(expectedSpeed(8e6, measured)).toBe(80);
  expect(expectedSpeed(8e6, [])).toBeNull();
});
