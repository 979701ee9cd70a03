import { expect, it } from 'vitest';
import type { Answer } from '../../app/api/predictions.js';
import { headlineOf } from './headline.js';

type Term = Answer['terms'][number];
const accession = 'Q1';
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
  probability_meaning: null,
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
  source_found_by: null,
  is_known: null,
  folded_under: null,
  ec_numbers: null,
  rhea_reactions: null,
  ...more,
});
const of = (...terms: Term[]) => headlineOf({ accession, terms, known: null });

it('says what a protein does, takes part in and where it is, each in the words of its certainty', () => {
  expect(
    of(
      term('C', 'nucleus', 'strong'),
      term('F', 'kinase activity', 'likely'),
      term('F', 'binding', 'strong'),
    ),
  ).toBe('It probably has kinase activity and very likely is found in: nucleus.');
  expect(of(term('P', 'transport', 'possible'))).toBe('It may take part in transport.');
  expect(of(term('F', 'transporter activity', 'weak'))).toBe('It may have transporter activity (weak).');
  expect(of(term('P', 'transport', null), term('C', 'nucleus', 'strong'))).toBe(
    'It may take part in transport (not calibrated) and very likely is found in: nucleus.',
  );
});

it('leaves out what something speaks against or another line implies, and says nothing without a term', () => {
  expect(of(term('P', 'transport', 'strong', { contradiction: 'never in bacteria' }))).toBeNull();
  expect(of(term('P', 'transport', 'strong', { folded_under: 'GO:0000009' }))).toBeNull();
  expect(of()).toBeNull();
});

const knownTerm = (go_id: string, aspect: Term['aspect'], name: string, is_negated = false) => ({
  go_id,
  name,
  aspect,
  is_negated,
  basis: 'experiment' as const,
  annotations: [],
  ec_numbers: null,
  rhea_reactions: null,
});
const knownAs = (...terms: ReturnType<typeof knownTerm>[]) => ({
  accession: 'P05108',
  protein_name: null,
  gene_name: null,
  organism: null,
  matched_by: 'sequence' as const,
  identity: null,
  coverage: null,
  terms,
  annotation_count: terms.length,
});

it('names what is known first, and after it what is predicted beyond that', () => {
  const known = knownAs(
    knownTerm('GO:0000004', 'P', 'digestion', true),
    knownTerm('GO:0000002', 'P', 'folding'),
    knownTerm('GO:0000003', 'F', 'lyase activity'),
  );
  const terms = [
    term('P', 'folding', 'strong', { go_id: 'GO:0000002', is_known: true }),
    term('P', 'repair', 'possible', { go_id: 'GO:0000005', is_known: false }),
  ];
  expect(headlineOf({ accession, terms, known })).toBe(
    'Known as P05108: it has lyase activity and takes part in folding. Beyond what is known, it may take part in repair.',
  );
  expect(headlineOf({ accession, terms: terms.slice(0, 1), known })).toBe(
    'Known as P05108: it has lyase activity and takes part in folding.',
  );
});

it('names no weak prediction beyond what is known, as most of them are wrong', () => {
  const known = knownAs(knownTerm('GO:0000003', 'F', 'hormone activity'));
  const weak = term('C', 'spliceosomal complex', 'weak', { is_known: false });
  const first = 'Known as P05108: it has hormone activity.';
  expect(headlineOf({ accession, terms: [weak], known })).toBe(first);
  expect(headlineOf({ accession: 'P05108', terms: [weak], known })).toBe(
    'What is known: it has hormone activity.',
  );
  const possible = term('P', 'growth', 'possible', { is_known: false });
  expect(headlineOf({ accession, terms: [possible, weak], known })).toBe(
    `${first} Beyond what is known, it may take part in growth.`,
  );
});

it('says that a protein of the reference has no known term', () => {
  const terms = [term('P', 'repair', 'strong', { is_known: false })];
  expect(headlineOf({ accession, terms, known: knownAs() })).toBe(
    'Known as P05108, without a term. It very likely takes part in repair.',
  );
});
