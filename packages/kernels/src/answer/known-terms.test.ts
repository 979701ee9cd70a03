import { expect, it } from 'vitest';
import { type AnnotationOfProtein, basisOf, idsKnownBy, knownTermsOf } from './index.js';

/**
 * Term 1 is the root of the functions; 2 is below 1, 3 below 2, and so on to 5. Term 6 is a kind of binding. Term 9 is the root of the
 * components.
 */
const above: Record<number, string[]> = {
  1: [],
  2: ['GO:1'],
  3: ['GO:1', 'GO:2'],
  4: ['GO:1', 'GO:2', 'GO:3'],
  5: ['GO:1', 'GO:2', 'GO:3', 'GO:4'],
  6: ['GO:1', 'GO:binding', 'GO:ion', 'GO:cation', 'GO:metal'],
  9: [],
};
const placeOf = (term: number) => ({ above: new Set(above[term]), isBinding: term === 6 });
const row = (term: number, evidence_code: string, more: Partial<AnnotationOfProtein> = {}) => ({
  accession: 'P1',
  go_term_id: term,
  go_id: `GO:${term}`,
  name: `term ${term}`,
  aspect: term === 9 ? ('C' as const) : ('F' as const),
  qualifier: 'enables',
  evidence_code,
  db_reference: null,
  with_from: null,
  assigned_by: null,
  annotation_date: null,
  ...more,
});

it('knows each term once, with all its annotations, the strongest first', () => {
  const rows = [
    row(5, 'IEA', { db_reference: 'GO_REF:0000002' }),
    row(5, 'IDA', { db_reference: 'PMID:1' }),
    row(5, 'IDA', { db_reference: 'PMID:2' }),
  ];
  const [term, ...others] = knownTermsOf(rows, placeOf);
  expect(others).toEqual([]);
  expect(term).toMatchObject({ go_id: 'GO:5', basis: 'experiment', is_negated: false });
  expect(term.annotations.map((one) => `${one.evidence_code} ${one.db_reference}`)).toEqual([
    'IDA PMID:1',
    'IDA PMID:2',
    'IEA GO_REF:0000002',
  ]);
});

it('has the strongest basis first, then the most specific, and terms that say little last', () => {
  const order = (...rows: AnnotationOfProtein[]) =>
    knownTermsOf(rows, placeOf).map(({ go_id, is_negated }) => `${is_negated ? 'not ' : ''}${go_id}`);
  expect(order(row(9, 'IDA'), row(3, 'IPI'), row(4, 'IDA'), row(5, 'IEA'))).toEqual([
    'GO:4',
    'GO:5',
    'GO:3',
    'GO:9',
  ]);
  expect(order(row(4, 'ISS'), row(5, 'IBA'))).toEqual(['GO:5', 'GO:4']);
  // A binding is more specific by its place, and leads only by stronger evidence.
  expect(order(row(6, 'IDA'), row(4, 'IDA'))).toEqual(['GO:4', 'GO:6']);
  expect(order(row(6, 'IDA'), row(4, 'IEA'))).toEqual(['GO:6', 'GO:4']);
  expect(order(row(9, 'IDA'), row(5, 'IDA', { aspect: 'P' }), row(3, 'IEA'))).toEqual([
    'GO:3',
    'GO:5',
    'GO:9',
  ]);
  expect(order(row(5, 'IDA', { qualifier: 'NOT|enables' }), row(5, 'IEA'))).toEqual(['GO:5', 'not GO:5']);
});

it('knows what its terms imply, but nothing by NOT', () => {
  const ids = (...rows: AnnotationOfProtein[]) => [...idsKnownBy(rows, placeOf)].sort();
  expect(ids(row(3, 'IDA'), row(5, 'IDA', { qualifier: 'NOT|enables' }))).toEqual(['GO:1', 'GO:2', 'GO:3']);
});

it.each([
  ['IDA', 'experiment'],
  ['TAS', 'experiment'],
  ['IBA', 'curation'],
  ['NAS', 'curation'],
  ['IEA', 'electronic'],
  ['ECO:0008202', 'electronic'],
  ['ECO:0000000', 'unrecorded'],
])('takes %s for %s', (code, basis) => {
  expect(basisOf(code)).toBe(basis);
});
