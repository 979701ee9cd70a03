import { expect, it } from 'vitest';
import { groupedBy } from './grouped-by.js';

it('keeps the order of items and of the keys that they bring, null among them', () => {
  const items = ['b1', 'x', 'a1', 'b2', 'y'];
  const groups = groupedBy(items, (item) => (item.length === 1 ? null : item[0]));
  expect([...groups]).toEqual([
    ['b', ['b1', 'b2']],
    [null, ['x', 'y']],
    ['a', ['a1']],
  ]);
  expect(groupedBy([], () => 1).size).toBe(0);
});
