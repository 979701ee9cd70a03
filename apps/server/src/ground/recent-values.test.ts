import { expect, it } from 'vitest';
import { RecentValues } from './recent-values.js';

it('keeps small values beside a large one, and never two large ones', () => {
  const kept = new RecentValues<string>(10);
  expect(kept.set('large', 'large', 50)).toEqual([]);
  expect(kept.set('small', 'small', 6)).toEqual([]);
  expect(kept.get('large')).toBe('large');
  expect(kept.set('another', 'another', 60)).toEqual(['small', 'large']);
  expect(kept.get('another')).toBe('another');
  expect(kept.get('small')).toBeUndefined();
});

it('drops what was not used for longest, and always keeps the last', () => {
  const kept = new RecentValues<string>(10);
  for (const key of ['a', 'b', 'c']) kept.set(key, key, 5);
  kept.get('a');
  expect(kept.set('d', 'd', 5)).toEqual(['b']);
  expect(kept.set('a', 'a2', 5)).toEqual([]);
  expect(kept.get('a')).toBe('a2');
  const last = new RecentValues<string>(-1);
  last.set('a', 'a', 0);
  expect(last.set('b', 'b', 0)).toEqual(['a']);
  expect(last.get('b')).toBe('b');
});

it('makes room before a value is made', () => {
  const kept = new RecentValues<string>(10);
  kept.set('large', 'large', 50);
  kept.set('small', 'small', 6);
  expect(kept.makeRoom(4)).toEqual([]);
  expect(kept.makeRoom(40)).toEqual(['large']);
  kept.delete('small');
  expect(kept.get('small')).toBeUndefined();
});
