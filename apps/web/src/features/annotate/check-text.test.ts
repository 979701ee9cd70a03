import { expect, it } from 'vitest';
import type { AnnotationCheck } from '../../app/api/annotate.js';
import { checkSentences } from './check-text.js';
import { missingAccessions } from './use-input-look.js';

const id = '00000000-0000-4000-8000-000000000001';
const check: AnnotationCheck = {
  embedding_config_id: id,
  embedding_config_chosen_by: 'most vectors',
  annotation_set_id: id,
  annotation_set_chosen_by: 'newest',
  ontology_snapshot_id: id,
  reference: null,
  more_references: [],
  not_searched: [],
  sequence_count: 3,
  hits: null,
  left_out: { count: 0, records: [] },
  residue_count: 900,
  longest: 500,
  taxon_id: null,
  taxon_count: 0,
  taxon_name: null,
  without_taxon: 3,
  known_exactly: 0,
  unanswerable: [],
  seconds: null,
  quota: null,
};
const now = Date.parse('2026-01-01T04:25:10Z');

it('says what is known, what has no answer, how long it takes and what is left', () => {
  const quota = { limit: 10, used: 4, is_enough: true, resets_at: '2026-01-02T00:00:00Z' };
  const unanswerable: AnnotationCheck['unanswerable'] = [
    { reason: 'too_short', sentence: 'The sequence is short.', count: 7, accessions: ['a', 'b'] },
  ];
  expect(checkSentences({ ...check, known_exactly: 1, unanswerable, seconds: 41, quota }, now)).toEqual([
    '1 of 3 is known exactly.',
    'No prediction for a, b and 5 more: the sequence is short.',
    'Takes about 45 s.',
    'Leaves 3 of your 10 sequences for today.',
  ]);
  expect(checkSentences({ ...check, known_exactly: 3 }, now)).toEqual([
    'All are known exactly: curated annotations are shown first.',
  ]);
});

it('says what is left out, with line and reason of the first', () => {
  const records = [{ line: 4, record: 'P1.1', reason: 'a pseudogene' }];
  const said = (count: number) => checkSentences({ ...check, left_out: { count, records } }, now);
  expect(said(1)).toEqual(['1 record has no protein and will be left out. Line 4 (P1.1): a pseudogene.']);
  expect(said(1200)).toEqual([
    '1,200 records have no protein and will be left out. Line 4 (P1.1): a pseudogene.',
  ]);
});

it('says when the quota is free again', () => {
  const quota = { limit: 10, used: 9, is_enough: false, resets_at: '2026-01-02T00:00:00Z' };
  expect(checkSentences({ ...check, quota }, now)).toEqual([
    '1 of 10 sequences are left for today; the next 10 are free at 00:00 UTC (in 19 h 35 min).',
  ]);
});

it('names the accessions that are not in the catalogue', () => {
  expect(missingAccessions(['P1', 'P2', 'P3'], '>sp|P1|X\nMK\n>P3 y\nMK\n')).toEqual(['P2']);
});

it('says of which organism they are, and how many name none', () => {
  const human = { ...check, taxon_count: 1, taxon_id: 9606, taxon_name: 'Homo sapiens' };
  expect(checkSentences({ ...human, without_taxon: 0 }, now)).toEqual(['Organism: Homo sapiens.']);
  expect(checkSentences({ ...human, without_taxon: 1 }, now)).toEqual([
    'Organism: Homo sapiens; 1 of 3 name none.',
  ]);
  expect(checkSentences({ ...human, taxon_name: null, without_taxon: 0 }, now)).toEqual([
    'Organism: NCBI taxon 9606.',
  ]);
  expect(checkSentences({ ...human, taxon_count: 3, without_taxon: 0 }, now)).toEqual([
    'Organisms: Homo sapiens and 2 others.',
  ]);
});
