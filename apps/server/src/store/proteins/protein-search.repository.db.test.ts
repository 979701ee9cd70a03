import type { ProteinRecord } from '@kindred/contracts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../postgres/connection.js';
import { fillProteinNames } from './protein-metadata.repository.js';
import { announceNames, foundBy, indexSearch, unindexedAbove } from './protein-search.repository.js';
import { upsertProteins } from './protein-upsert.repository.js';
import { findProtein, listProteins } from './proteins.repository.js';
import { replaceSecondaryAccessions } from './secondary-accessions.repository.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 5);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

const protein = (accession: string, more: Partial<ProteinRecord> = {}): ProteinRecord => ({
  accession,
  canonicalAccession: accession,
  isoformIndex: null,
  entryName: null,
  reviewed: null,
  proteinName: null,
  geneName: null,
  organism: null,
  taxonId: null,
  sequence: `MK${accession}`,
  ...more,
});
const load = (...proteins: ProteinRecord[]) => inTransaction(db, (trx) => upsertProteins(trx, proteins));
const found = async (search: string, page = { offset: 0, limit: 50 }) =>
  (await listProteins(db, { search }, page)).items.map(({ accession }) => accession);
const searches: [string, string[]][] = [
  ['kin', ['P1', 'P2']],
  ['ATP dep', ['P1']],
  ['ATP-dep', ['P1']],
  ['dependent p1', ['P1']],
  ['K12 coli', ['P2']],
  ['k1', []],
  ['p2', ['P2']],
  ['P53_HUM', ['P1']],
  ['tp53', ['P1']],
  ['beta', ['P2']],
  ['β', ['P3']],
  ['facteur', ['P3']],
  ['q9', ['q9-2']],
  ['q9 2', ['q9-2']],
  ['inase', []],
  ["o'brien \\ (", []],
];

it('finds words by their beginnings, before the index has them and after', async () => {
  await load(
    protein('P1', { proteinName: 'ATP-dependent kinase', entryName: 'P53_HUMAN', geneName: 'TP53' }),
    protein('P2', { proteinName: 'Kinase beta', organism: 'Escherichia coli (strain K12)' }),
    protein('P3', { proteinName: 'Facteur β' }),
    protein('q9-2'),
  );
  expect(await unindexedAbove(db)).toBe(0);
  for (const [search, accessions] of searches)
    expect([search, await found(search)]).toEqual([search, accessions]);
  expect(await indexSearch(db)).toBe(4);
  expect([await unindexedAbove(db), await indexSearch(db)]).toEqual([null, 0]);
  for (const [search, accessions] of searches)
    expect([search, await found(search)]).toEqual([search, accessions]);
});

it('finds what came later, and names as they are now', async () => {
  await load(protein('P4', { geneName: 'late' }));
  expect(await found('late')).toEqual(['P4']);
  await load(protein('P4', { geneName: 'renamed' }), protein('P1', { proteinName: 'Something else' }));
  expect([await found('late'), await found('renamed'), await found('kin'), await found('else')]).toEqual([
    [],
    ['P4'],
    ['P2'],
    ['P1'],
  ]);
  await indexSearch(db);
  expect([await found('late'), await found('renamed')]).toEqual([[], ['P4']]);
  const names = { line: 1, accession: 'q9-2', reviewed: null, entryName: null, proteinName: 'Filled later' };
  await inTransaction(db, (trx) =>
    fillProteinNames(trx, [{ ...names, geneName: null, organism: null, texts: {} }]),
  );
  expect(await found('filled')).toEqual(['q9-2']);
});

it('waits for loads and never makes them wait', async () => {
  await load(protein('P5'));
  await inTransaction(db, async (trx) => {
    await announceNames(trx);
    expect(await indexSearch(db)).toBe(0);
  });
  const running = await db
    .insertInto('job')
    .values({ operation: 'insert_proteins', queue_name: 'svc.jobs', payload: '{}', status: 'RUNNING' })
    .returning('id')
    .executeTakeFirstOrThrow();
  expect(await indexSearch(db)).toBe(0);
  await db.deleteFrom('job').where('id', '=', running.id).execute();
  expect(await indexSearch(db)).toBe(1);
});

it('reads the index, and stops counting at 10,000', async () => {
  await sql`insert into sequence (sequence, sequence_md5, length) values ('MM', md5('MM'), 2)`.execute(db);
  await sql`
    insert into protein (accession, canonical_accession, protein_name, length, sequence_id)
    select 'X' || i, 'X' || i, 'Common ' || case when i % 1000 = 0 then 'rare' || i else '' end, 2,
      (select id from sequence where sequence = 'MM') from generate_series(1, 12000) i`.execute(db);
  while ((await indexSearch(db)) > 0);
  await sql`analyze protein, protein_search`.execute(db);
  const page = await listProteins(db, { search: 'common' }, { offset: 0, limit: 2 });
  expect([page.total, page.totalIsExact, page.items.map(({ accession }) => accession)]).toEqual([
    10_000,
    false,
    ['X1', 'X10'],
  ]);
  expect(await listProteins(db, { search: 'rare1 common' }, { offset: 0, limit: 1 })).toMatchObject({
    total: 4,
    totalIsExact: true,
  });
  const plan = await inTransaction(db, async (trx) => {
    // In a table as small as this one, reading all rows would be as cheap as the index.
    await sql`set local enable_seqscan = off`.execute(trx);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain select * from protein where ${foundBy('rare1 common', null)} order by accession limit 50`.execute(
      trx,
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('protein_search_words');
  expect(plan).not.toContain('Seq Scan');
});

it('finds proteins by secondary accessions, but not by those of proteins that are still here', async () => {
  const pairs = [
    { secondary: 'Q00001', accession: 'P1' },
    { secondary: 'Q00002', accession: 'P1' },
    { secondary: 'Q00002', accession: 'P2' },
    { secondary: 'P5', accession: 'P2' },
  ];
  const source = { source_url: 'u', content_sha256: '0'.repeat(64), pair_count: 4 };
  await inTransaction(db, (trx) =>
    replaceSecondaryAccessions(trx, pairs, source, '00000000-0000-4000-8000-000000000000'),
  );
  const by = async (accessions: string[]) =>
    (await listProteins(db, { accessions }, { offset: 0, limit: 9 })).items.map(({ accession }) => accession);
  expect([await by(['q00001']), await by(['Q00002', 'P3']), await by(['P5'])]).toEqual([
    ['P1'],
    ['P1', 'P2', 'P3'],
    ['P5'],
  ]);
  expect(await found('q00002')).toEqual(['P1', 'P2']);
  expect(await findProtein(db, 'q00002')).toMatchObject({
    accession: 'P1',
    secondary_accessions: ['Q00001', 'Q00002'],
  });
  expect(await findProtein(db, 'Q00003')).toBeUndefined();
});
