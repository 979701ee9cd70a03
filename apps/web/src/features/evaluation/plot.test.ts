import { expect, it } from 'vitest';
import { areaBetween, lineThrough, place } from './plot.js';

it('puts 0 at the left and below, 1 at the right and above, and what is outside at the edge', () => {
  const [[left, bottom], [right, top]] = [place([0, 0]), place([1, 1])];
  expect(left).toBeLessThan(right);
  expect(top).toBeLessThan(bottom);
  expect(place([2, -1])).toEqual([right, bottom]);
});

it('closes the area between two lines by going back along the upper one', () => {
  const area = areaBetween(
    [
      [0, 0],
      [1, 0],
    ],
    [
      [0, 1],
      [1, 1],
    ],
  );
  expect(area).toBe(
    lineThrough([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ]),
  );
});
