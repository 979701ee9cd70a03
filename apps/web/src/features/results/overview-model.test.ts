import { describe, expect, it } from 'vitest';
import type { Overview } from '../../app/api/predictions.js';
import { aspectNames } from '../../shared/aspect.js';
import { facetsOf, filterRows, summaryOf, tableOf, termRows } from './overview-model.js';

const term = (
  go_id: string,
  certainty: 'strong' | 'likely' | 'possible' | null,
  source_id = 'P1',
  evidence_code = 'IDA',
) => ({
  kind: 'predicted' as const,
  go_id,
  certainty,
  probability: certainty === null ? null : 0.5,
  score: 0.5,
  source_id,
  evidence_code,
  identity: source_id === 'P2' ? 0.95 : 0.4,
});
const protein = (
  accession: string,
  position: number,
  terms: Overview['proteins'][number]['terms'],
  more: object = {},
) => ({
  accession,
  position,
  header: `${accession} Protein of ${accession} OS=Mus musculus`,
  name: `Protein of ${accession}`,
  organism: null,
  predicted_name: null,
  length: 100,
  known_as: null,
  reference: null,
  known_by: null,
  is_namesake: false,
  no_answer: null,
  is_sequence_only: false,
  term_count: terms.length,
  certainty:
    (['strong', 'likely', 'possible'] as const).find((word) => terms.some((one) => one.certainty === word)) ??
    null,
  terms,
  ...more,
});
const pages: Overview[] = [
  {
    next: 'B',
    proteins: [
      protein('A', 2, [term('GO:1', 'likely'), term('GO:2', 'strong', 'P2', 'IEA')]),
      protein('B', 0, [term('GO:1', null)]),
    ],
    terms: {
      'GO:1': { name: 'binding', aspect: 'F', is_general: true },
      'GO:2': { name: 'transport', aspect: 'P', is_general: false },
    },
    organisms: { P1: 'Homo sapiens', P2: 'Bos taurus' },
  },
  {
    next: null,
    proteins: [
      protein('C', 1, [], { no_answer: 'too_short' }),
      protein('D', 3, [term('GO:1', 'possible')], { known_by: 'sequence' }),
    ],
    terms: { 'GO:1': { name: 'binding', aspect: 'F', is_general: true } },
    organisms: { P1: 'Homo sapiens' },
  },
];
const table = tableOf(pages);
const accessions = (rows: readonly { accession: string }[]) => rows.map((row) => row.accession).join('');

describe('the overview of a run', () => {
  it('has the order of the file, the best certainty and the best term of each aspect', () => {
    expect(table.rows.map((row) => [row.accession, row.standing])).toEqual([
      ['B', 'uncalibrated'],
      ['C', 'none'],
      ['A', 'strong'],
      ['D', 'known'],
    ]);
    expect(table.rows[2]).toMatchObject({
      name: 'Protein of A',
      best: { F: { go_id: 'GO:1' }, P: { go_id: 'GO:2' } },
      organisms: ['Homo sapiens', 'Bos taurus'],
      evidence: ['experiment', 'electronic'],
    });
  });

  it('offers the terms of a GO slim, most frequent first, of the rows that pass the other filters', () => {
    const choices = (filter: object) =>
      facetsOf(table, filter, aspectNames, true)
        .find(({ key }) => key === 'term')
        ?.choices.map(({ label, count }) => `${label} ${count}`);
    expect(choices({ term: 'GO:2' })).toEqual(['binding 3', 'transport 1']);
    expect(choices({ standing: 'known' })).toEqual(['binding 1']);
  });

  it('has a predicted name apart from the known one, and finds the protein by it', () => {
    const [page] = pages as [Overview];
    const named = protein('A', 0, [], { name: null, predicted_name: 'putative Catalase' });
    const [row] = tableOf([{ ...page, proteins: [named] }]).rows;
    expect([row?.name, row?.predictedName]).toEqual(['', 'putative Catalase']);
    expect(row?.text).toContain('putative catalase');
  });

  it('says how certain a protein is by its own terms, whatever terms of a slim stand for them', () => {
    const own = { term_count: 3, certainty: 'strong' as const };
    const [page] = pages as [Overview];
    const slim = tableOf([
      { ...page, proteins: [protein('A', 0, [term('GO:1', 'possible')], own), protein('B', 1, [], own)] },
    ]);
    expect(summaryOf(slim.rows)).toBe('2 proteins: 2 strong.');
    const [certainty] = facetsOf(slim, {}, aspectNames, true);
    expect(certainty?.choices).toEqual([{ value: 'strong', label: 'Strong', count: 2 }]);
  });

  it('is summed up in a sentence', () => {
    expect(summaryOf(table.rows)).toBe(
      '4 proteins: 1 known exactly, 1 strong, 1 not calibrated, 1 without an answer.',
    );
    const alone = protein('E', 4, [term('GO:2', 'likely')], { is_sequence_only: true });
    const none = protein('F', 5, [], { no_answer: 'no_similar_protein' });
    const [page] = pages;
    const { rows } = tableOf([{ ...page, proteins: [alone, none] } as Overview]);
    expect(summaryOf(rows)).toBe(
      '2 proteins: 1 likely, 1 without an answer. 2 without a similar protein in the reference, of which 1 answered from the sequence alone.',
    );
  });

  it('is searched by accession, header, name of a term and GO id, all words at once', () => {
    const found = (search: string) => accessions(filterRows(table, { search }));
    expect([found('transp'), found('go:1'), found('mus MUSCULUS'), found('binding transport')]).toEqual([
      'A',
      'BAD',
      'BCAD',
      'A',
    ]);
  });

  it('is narrowed down by every filter, and counts what each choice would leave', () => {
    const filter = { aspect: 'F', evidence: 'electronic' } as const;
    expect(accessions(filterRows(table, filter))).toBe('A');
    expect(accessions(filterRows(table, { organism: 'Bos taurus' }))).toBe('A');
    expect(accessions(filterRows(table, { term: 'GO:2' }))).toBe('A');
    const [standing, aspect] = facetsOf(table, { standing: 'strong' }, aspectNames);
    // The filter of the facet itself does not count, but the others do.
    expect(standing?.choices.map(({ value, count }) => [value, count])).toEqual([
      ['known', 1],
      ['strong', 1],
      ['uncalibrated', 1],
      ['none', 1],
    ]);
    expect(aspect?.choices.map(({ value, count }) => [value, count])).toEqual([
      ['P', 1],
      ['F', 1],
    ]);
  });

  it('counts the terms of the answers, and has those that say little last', () => {
    expect(termRows(table, table.rows)).toEqual([
      { goId: 'GO:2', name: 'transport', aspect: 'P', isGeneral: false, proteins: 1, strong: 1 },
      { goId: 'GO:1', name: 'binding', aspect: 'F', isGeneral: true, proteins: 3, strong: 0 },
    ]);
  });
});

it('names what a known protein is known to do, and counts known terms with the strong ones', () => {
  const known = { ...term('GO:2', null, 'A', 'IDA|IEA'), kind: 'known' as const, score: null, identity: 1 };
  const page = {
    next: null,
    proteins: [protein('A', 0, [known, term('GO:3', 'likely')], { known_by: 'accession' })],
    terms: {
      'GO:2': { name: 'fumarate hydratase activity', aspect: 'F' as const, is_general: false },
      'GO:3': { name: 'aspartate ammonia-lyase activity', aspect: 'F' as const, is_general: false },
    },
    organisms: { A: 'Escherichia coli' },
  };
  const one = tableOf([page]);
  expect(one.rows[0]?.best.F?.go_id).toBe('GO:2');
  expect(one.rows[0]?.evidence).toEqual(['experiment']);
  expect(termRows(one, one.rows).map(({ goId, strong }) => [goId, strong])).toEqual([
    ['GO:3', 0],
    ['GO:2', 1],
  ]);
});

it('finds a protein by the name of the one that it is known as', () => {
  const known_as = { accession: 'P03023', name: 'Lactose operon repressor', organism: 'Escherichia coli' };
  const table = tableOf([
    {
      next: null,
      proteins: [
        protein('sequence', 0, [], { header: 'sequence', name: null, known_as, known_by: 'sequence' }),
        protein('P2', 1, [], { known_as, known_by: 'sequence' }),
      ],
      terms: {},
      organisms: {},
    },
  ]);
  expect(table.rows.map(({ name }) => name)).toEqual(['', 'Protein of P2']);
  expect(filterRows(table, { search: 'p03023' })).toHaveLength(2);
  expect(filterRows(table, { search: 'lactose' })).toHaveLength(2);
});
