import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillCatalogue, type TestData } from '../../testing/tiny-catalogue.js';
import { type TestDatabase, testDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, openDatabase } from '../postgres/connection.js';
import { sourceAnnotations } from './term-evidence.repository.js';

let database: TestDatabase;
let db: Database;
let data: TestData;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 1);
  data = await fillCatalogue(db);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

const asked = (goId: string, accessions = ['P00001', 'P00002'], names = ['Q0WW26']) =>
  sourceAnnotations(
    db,
    { annotation_set_id: data.setId, ontology_snapshot_id: data.snapshotId },
    { goId, accessions, names },
  );
const brief = (rows: Awaited<ReturnType<typeof asked>>) =>
  [...rows].map(([accession, own]) => [accession, ...own.map((row) => `${row.go_id} ${row.evidence_code}`)]);

it('finds the annotations of sources with a term and with those below it', async () => {
  expect(brief(await asked('GO:0005488'))).toEqual([
    ['P00001', 'GO:0005488 IDA', 'GO:0005515 IDA'],
    ['P00002', 'GO:0005515 IDA'],
  ]);
  expect(brief(await asked('GO:0005515', ['P00002']))).toEqual([['P00002', 'GO:0005515 IDA']]);
  expect(brief(await asked('GO:0008150'))).toEqual([]);
  expect(brief(await asked('GO:0005515', []))).toEqual([]);
});

it('puts experiments first and papers before other references, leaves denials out, and stops at five', async () => {
  const [template] = await db
    .selectFrom('protein_go_annotation')
    .innerJoin('protein', 'protein.id', 'protein_id')
    .innerJoin('go_term', 'go_term.id', 'go_term_id')
    .select(['annotation_set_number', 'protein_id', 'go_term_id'])
    .where('accession', '=', 'P00002')
    .execute();
  const row = (evidence_code: string, db_reference: string, qualifier: string | null = null) => ({
    ...template,
    evidence_code,
    db_reference,
    qualifier,
  });
  await db
    .insertInto('protein_go_annotation')
    .values([
      row('IEA', 'GO_REF:1'),
      row('IMP', 'GO_REF:2'),
      row('IMP', 'PMID:3'),
      row('IPI', 'PMID:4', 'NOT|enables'),
      row('ISS', 'PMID:5'),
      row('IEA', 'GO_REF:6'),
    ])
    .execute();
  const rows = (await asked('GO:0005515', ['P00002'])).get('P00002') ?? [];
  expect(rows.map(({ db_reference }) => db_reference)).toEqual([
    'PMID:3',
    'GO_REF:2',
    null,
    'PMID:5',
    'GO_REF:1',
  ]);
});

it('says which annotations were copied from the query, and whether all of a protein were', async () => {
  const set = async (withFrom: string, evidenceCode: string) => {
    await db
      .updateTable('protein_go_annotation')
      .set({ with_from: withFrom, evidence_code: evidenceCode })
      .where('protein_id', '=', db.selectFrom('protein').select('id').where('accession', '=', 'P00001'))
      .execute();
    const rows = (await asked('GO:0005515', ['P00001'])).get('P00001') ?? [];
    return [...new Set(rows.map((row) => row.is_copied && row.all_copied))];
  };
  for (const name of [
    'UniProtKB:Q0WW26',
    'UniProtKB:Q0WW26-2',
    'UniProtKB:Q0WW26:PRO_0000012345',
    'PANTHER:PTN000000001|UniProtKB:Q0WW26',
    'UniProtKB:P99999,UniProtKB:Q0WW26',
  ])
    for (const code of ['ISS', 'ISO', 'IBA', 'IEA']) expect(await set(name, code), name).toEqual([true]);
  // The column may also name a binding partner, and other proteins have longer names.
  expect(await set('UniProtKB:Q0WW26', 'IPI')).toEqual([false]);
  expect(await set('UniProtKB:Q0WW261|InterPro:IPR000001', 'IEA')).toEqual([false]);
});
