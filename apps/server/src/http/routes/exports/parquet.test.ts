import { exportColumns, exportLists, exportWideColumns } from '@kindred/contracts/resources/exports';
import { answerColumn } from '@kindred/kernels/answer';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { parquetTable, parquetWideTable } from './parquet.js';
import type { SelectedRows } from './select.js';

const meaningOf = (name: 'score') => `${answerColumn(name).meaning} (${answerColumn(name).unit})`;
async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
async function read(bytes: AsyncIterable<Uint8Array>) {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  const whole = Buffer.concat(parts);
  const file = whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.length) as ArrayBuffer;
  const { key_value_metadata: facts = [], row_groups, created_by } = parquetMetadata(file);
  const factOf = (name: string) => JSON.parse(facts.find(({ key }) => key === name)?.value ?? 'null');
  return { rows: await parquetReadObjects({ file }), groups: row_groups.length, created_by, factOf };
}
const about = {
  header: [
    ['generated-by', 'Kindred 9'],
    ['remark', 'ä'],
    ['remark', 'b'],
  ] as const,
};
function protein(accession: string, more: object): SelectedRows {
  const query = {
    ...{ protein_accession: accession, length: 120, known_accession: null, known_by: null },
    ...{ is_namesake: false, no_answer: null },
  };
  const names = { protein_name: null, gene_name: null, organism: null };
  return {
    query,
    names,
    known: null,
    leftOut: 0,
    reference: null,
    terms: [],
    ...more,
  } as unknown as SelectedRows;
}
const knownProtein = protein('=P;1', {
  known: {
    terms: [
      {
        ...{ accession: 'P00001', go_id: 'GO:0000001', name: 'known', aspect: 'F', is_negated: false },
        ...{ ec_numbers: '1.1.1.1', rhea_reactions: null },
        ...{ basis: 'experiment', annotations: [{ evidence_code: 'IDA', qualifier: 'enables' }] },
      },
    ],
  },
  terms: [
    {
      ...{ go_id: 'GO:0000002', go_name: 'a; name', go_aspect: 'P', score: 0.123456789, probability: 0.5 },
      ...{ source_kind: 'protein', source_id: 'P2', evidence_code: 'IMP', supporters: 3, is_known: false },
      ...{
        contradiction: null,
        ec_numbers: '4.2.1.2',
        rhea_reactions: null,
        calibrated_on: null,
        folded_under: null,
        source_identity: null,
        identity_sw: null,
      },
    },
  ],
});
const empty = protein('none', {});
Object.assign(empty.query, { no_answer: 'too_short' });

it('has a row for each term with the values of the table, typed', async () => {
  const { rows, factOf, created_by } = await read(parquetTable(each([[knownProtein], [empty]]), about));
  expect(rows.map((row) => [row.protein, row.kind, row.go_id])).toEqual([
    ['=P;1', 'known', 'GO:0000001'],
    ['=P;1', 'predicted', 'GO:0000002'],
    ['none', 'no_answer', null],
  ]);
  expect(Object.keys(rows[0])).toEqual([...exportColumns]);
  const [known, predicted] = rows;
  expect(known).toMatchObject({ score: null, is_known: true, evidence_code: 'IDA' });
  expect(predicted).toMatchObject({ score: Math.fround(0.123456789), supporters: 3, is_known: false });
  expect(created_by).toBe('Kindred 9');
  expect(factOf('provenance')).toEqual(about.header);
  expect(factOf('columns')).toMatchObject({ score: meaningOf('score'), go_id: 'GO term' });
});

it('has a row for each protein, whose lists are of one length in an aspect', async () => {
  const { rows } = await read(parquetWideTable(each([[knownProtein, empty]]), about));
  expect(Object.keys(rows[0])).toEqual(exportWideColumns);
  expect(rows[0]).toMatchObject({
    ...{ protein: '=P;1', length: 120, term_count: 2, is_namesake: false },
    F_terms: ['GO:0000001'],
    F_probabilities: [null],
    P_terms: ['GO:0000002'],
    P_probabilities: [0.5],
    P_names: ['a; name'],
    C_terms: [],
  });
  for (const { name } of exportLists) expect(rows[1][name]).toEqual([]);
  expect(rows[1]).toMatchObject({ no_answer: 'too_short', best_probability: null });
});

it('is written in groups of many proteins, and has no rows where there are none', async () => {
  const pages = Array.from({ length: 10 }, () => [knownProtein]);
  expect(await read(parquetTable(each(pages), about, 8))).toMatchObject({ groups: 3, rows: { length: 20 } });
  expect((await read(parquetTable(each([]), about))).rows).toEqual([]);
  expect((await read(parquetWideTable(each([]), about))).rows).toEqual([]);
});
