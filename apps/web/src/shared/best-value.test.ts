import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bestValues } from './best-value.js';

it('marks the best, ties included', () => {
  expect(bestValues([0.2, 0.5, null, 0.5], 'larger')).toEqual([false, true, false, true]);
  expect(bestValues([0.2, 0.5, null, 0.5], 'smaller')).toEqual([true, false, false, false]);
});

it('marks nothing where there is nothing to choose', () => {
  for (const values of [[], [null], [0.5], [0.5, null], [0.5, 0.5]])
    expect(bestValues(values, 'larger')).toEqual(values.map(() => false));
});

it('leaves no value that is better than a marked one, in whatever order the values come', () => {
  const values = fc.array(fc.option(fc.integer({ min: 0, max: 5 })), { maxLength: 8 });
  fc.assert(
    fc.property(values, (given) => {
      const marks = bestValues(given, 'larger');
      const marked = given.filter((_, at) => marks[at]);
      const others = given.filter((value, at) => value !== null && !marks[at]);
      for (const best of marked) for (const other of others) expect(best).toBeGreaterThan(other ?? 0);
      if (new Set(given.filter((value) => value !== null)).size > 1) expect(marked).not.toEqual([]);
      expect(bestValues(given.toReversed(), 'larger')).toEqual(marks.toReversed());
      const negated = given.map((value) => (value === null ? null : -value));
      expect(bestValues(negated, 'smaller')).toEqual(marks);
    }),
  );
});
