import { expect, it } from 'vitest';
import { tableOf } from './overview-model.js';
import { columnsOf, columnValue, runColumns, usualColumns, widthsOf } from './run-columns.js';

const term = (go_id: string, more: object = {}) => ({
  ...{ kind: 'predicted' as const, go_id, certainty: 'likely' as const, probability: 0.6, score: 0.5 },
  ...{ source_id: 'P1', evidence_code: 'IDA', identity: 0.41 },
  ...more,
});
const protein = (accession: string, more: object) => ({
  ...{
    accession,
    position: 0,
    header: accession,
    name: null,
    organism: null,
    predicted_name: null,
    length: 10,
    known_as: null,
  },
  ...{
    reference: null,
    known_by: null,
    is_namesake: false,
    no_answer: null,
    is_sequence_only: false,
    term_count: 1,
    certainty: null,
  },
  ...{ terms: [], ...more },
});
const table = tableOf([
  {
    next: null,
    proteins: [
      protein('A', {
        ...{ name: 'Alpha', organism: 'Mus musculus', length: 90, certainty: 'likely' },
        terms: [term('GO:2', { probability: 0.7 }), term('GO:1', { source_id: 'P2', identity: 0.9 })],
      }),
      protein('B', { certainty: 'likely', terms: [term('GO:2')] }),
      protein('D', { is_sequence_only: true, terms: [term('GO:2', { source_id: null, identity: null })] }),
      protein('C', { term_count: 0, no_answer: 'too_short' }),
    ],
    terms: {
      'GO:1': { name: 'transport', aspect: 'P', is_general: false },
      'GO:2': { name: 'kinase activity', aspect: 'F', is_general: false },
    },
    organisms: { P1: 'Homo sapiens' },
  },
]);
const valuesOf = (accession: string) => {
  const row = table.rows.find((one) => one.accession === accession) ?? expect.fail(accession);
  return Object.fromEntries(runColumns.map(({ column }) => [column, columnValue(row, column, table.terms)]));
};

it('says sequence alone in place of a source', () => {
  expect(valuesOf('D')).toMatchObject({ source: 'sequence alone', identity: null });
});

it('has a value to sort by in every column, and none where a protein has none', () => {
  expect(valuesOf('A')).toEqual({
    ...{ protein: 'A', name: 'Alpha', organism: 'Mus musculus', length: 90 },
    ...{ F: 'kinase activity', P: 'transport', C: null, source: 'P1', identity: 0.9 },
    certainty: expect.any(Number),
  });
  expect(valuesOf('C')).toMatchObject({ name: null, organism: null, source: null, identity: null, F: null });
});

it('sorts the surer protein of one word first, and no answer last', () => {
  const [a, b, c] = ['A', 'B', 'C'].map((accession) => Number(valuesOf(accession).certainty)) as [
    number,
    number,
    number,
  ];
  expect(a).toBeLessThan(b);
  expect(b).toBeLessThan(c);
});

it('keeps the protein and the order of the table, whatever a browser stored', () => {
  expect(columnsOf(undefined)).toEqual(usualColumns);
  expect(columnsOf('F')).toEqual(usualColumns);
  expect(columnsOf(['length', 'F', 'nothing'])).toEqual(['protein', 'F', 'length']);
});

it('gives a width for each column, and the sum of the least ones', () => {
  expect(widthsOf(['protein', 'length'], 14)).toEqual({
    template: 'minmax(92px, 0.8fr) 64px',
    least: 92 + 64 + 14,
  });
});
