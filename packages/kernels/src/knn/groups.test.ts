import { expect, it } from 'vitest';
import { groupReferences } from './index.js';

it('lists the references of each sequence in order of accession rank', () => {
  const groups = groupReferences(Int32Array.of(2, 0, 2, 2), Int32Array.of(3, 1, 0, 2));
  expect([...groups.start]).toEqual([0, 1, 1, 4]);
  expect([...groups.members]).toEqual([1, 2, 3, 0]);
});
