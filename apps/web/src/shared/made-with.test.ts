import { expect, it } from 'vitest';
import { madeWith } from './made-with.js';

const reference = { id: '1', name: 'yeast', version: '2020', content_sha256: 'ab'.repeat(32) };

it('names a reference by the hash of its content', () => {
  expect(madeWith({ reference, more_references: [] })).toBe(`yeast@2020, SHA-256 ${'ab'.repeat(32)}`);
  expect(madeWith({ reference: null, more_references: [{ ...reference, content_sha256: null }] })).toBe(
    'yeast@2020',
  );
  expect(madeWith({ reference: null, more_references: [] })).toBeNull();
});
