import { expect, it } from 'vitest';
import type { Answer } from '../../app/api/predictions.js';
import { headlineOf } from './headline.js';

type Term = Answer['terms'][number];
const term = (
  aspect: Term['aspect'],
  name: string,
  certainty: Term['certainty'],
  more: Partial<Term> = {},
): Term => ({
  go_id: 'GO:0000001',
  name,
  aspect,
  place: 1,
  score: 0.5,
  probability: null,
  probability_low: null,
  probability_high: null,
  calibrated_on: null,
  certainty,
  distance: null,
  source_kind: 'protein',
  source_id: 'P1',
  evidence_code: 'IDA',
  identity: null,
  similar_proteins: null,
  supporters: null,
  contradiction: null,
  is_known: null,
  ...more,
});
const of = (...terms: Term[]) => headlineOf({ terms, known: null });

it('says what a protein does, takes part in and where it is, as sure as the least sure of them', () => {
  expect(
    of(
      term('C', 'nucleus', 'strong'),
      term('F', 'kinase activity', 'likely'),
      term('F', 'binding', 'strong'),
    ),
  ).toBe('Probably it has kinase activity and is found in: nucleus.');
  expect(of(term('P', 'transport', 'strong'))).toBe('Very likely it takes part in transport.');
  expect(of(term('P', 'transport', null), term('C', 'nucleus', 'strong'))).toBe(
    'By the method of this run, not calibrated, it takes part in transport and is found in: nucleus.',
  );
});

it('leaves out what something speaks against, and says nothing without a term', () => {
  expect(of(term('P', 'transport', 'strong', { contradiction: 'never in bacteria' }))).toBeNull();
  expect(of()).toBeNull();
});

const annotation = {
  name: 'a term',
  aspect: 'P' as const,
  qualifier: null,
  evidence_code: 'IDA',
  db_reference: null,
  assigned_by: null,
  annotation_date: null,
};

it('puts what is known first, and what it is not known to have after that', () => {
  const known = {
    accession: 'P05108',
    matched_by: 'sequence' as const,
    identity: null,
    coverage: null,
    annotations: [
      { ...annotation, go_id: 'GO:0000002' },
      { ...annotation, go_id: 'GO:0000003', qualifier: 'NOT|involved_in' },
    ],
    annotation_count: 4,
  };
  expect(headlineOf({ terms: [term('P', 'transport', 'strong')], known })).toBe(
    'Known as P05108. Beyond that, it takes part in transport.',
  );
  const terms = [
    term('P', 'folding', 'strong', { go_id: 'GO:0000002' }),
    term('P', 'repair', 'strong', { go_id: 'GO:0000003' }),
  ];
  expect(headlineOf({ terms, known })).toBe('Known as P05108. Beyond that, it takes part in repair.');
  expect(headlineOf({ terms: terms.slice(0, 1), known })).toBeNull();
});
