import { expect, it } from 'vitest';
import { referenceName } from './reference-name.js';

it('names an annotation set as people do', () => {
  const set = { source: 'goa', source_version: 'NCBI gene2go 2022-09-12', newest_annotation_date: null };
  expect(referenceName(set)).toBe('NCBI gene2go 12 Sept 2022');
  expect(
    referenceName({ source: 'quickgo', source_version: 'spring', newest_annotation_date: '2026-03-01' }),
  ).toBe('quickgo spring, 1 Mar 2026');
});
