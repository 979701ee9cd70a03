import { expect, it } from 'vitest';
import { ariaSort, nextSorting, sorted } from './sorting.js';

const rows = [
  { name: 'b10', score: 2 },
  { name: 'b9', score: null },
  { name: 'a', score: 1 },
];
type Column = 'name' | 'score';
const names = (by: Column, descending: boolean) =>
  sorted(rows, { by, descending }, (row, column) => row[column]).map(({ name }) => name);

it('sorts texts with their numbers, and numbers, both ways; rows without a value stay last', () => {
  expect(names('name', false)).toEqual(['a', 'b9', 'b10']);
  expect(names('name', true)).toEqual(['b10', 'b9', 'a']);
  expect(names('score', false)).toEqual(['a', 'b10', 'b9']);
  expect(names('score', true)).toEqual(['b10', 'a', 'b9']);
});

it('leads from ascending over descending back to the order of the service', () => {
  const first = nextSorting<Column>(null, 'name');
  const second = nextSorting(first, 'name');
  expect([first, second, nextSorting(second, 'name')].map((one) => ariaSort(one, 'name'))).toEqual([
    'ascending',
    'descending',
    'none',
  ]);
  expect(nextSorting(second, 'score')).toEqual({ by: 'score', descending: false });
  expect(sorted(rows, null, () => null)).toBe(rows);
});
