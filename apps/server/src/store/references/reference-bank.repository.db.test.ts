import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { fillCatalogue } from '../../testing/tiny-catalogue.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../postgres/connection.js';
import { bankFingerprint, foldBankChanges } from './reference-bank.repository.js';

let database: TestDatabase;
let db: Database;
let config: number;
let set: number;
beforeEach(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 3);
  const { configId, setId } = await fillCatalogue(db);
  const { rows } = await sql<{ config: number; set: number }>`
    select (select number from embedding_config where id = ${configId}) as config,
      (select number from annotation_set where id = ${setId}) as set`.execute(db);
  ({ config, set } = rows[0]);
});
afterEach(async () => {
  await closeDatabase(db);
  await database.close();
});

const fingerprint = () => bankFingerprint(db, config, set);
const notes = async () => {
  const { rows } = await sql<{ count: number }>`select count(*) from bank_change`.execute(db);
  return rows[0].count;
};

const vectorOf = (accession: string) => sql`
  insert into sequence_embedding (embedding_config_number, sequence_id, embedding)
  select ${config}, sequence_id, ${Buffer.alloc(8)} from protein where accession = ${accession}`;
const deleteVectorOf = (accession: string) => sql`
  delete from sequence_embedding where sequence_id = (select sequence_id from protein where accession = ${accession})`;

/** Adds a sequence that no protein has, with a vector. */
async function addQuery(): Promise<void> {
  await sql`
    with query as (insert into sequence (sequence, sequence_md5, length) values ('MWWW', md5('MWWW'), 4) returning id)
    insert into sequence_embedding (embedding_config_number, sequence_id, embedding)
    select ${config}, id, ${Buffer.alloc(8)} from query`.execute(db);
}

it('is not read again after vectors of queries came and went', async () => {
  const before = await fingerprint();
  const noted = await notes();
  // The changed checksum would show that the rows were not read again.
  await sql`update bank_fingerprint set checksum = 'kept'`.execute(db);
  await addQuery();
  await sql`delete from sequence where sequence = 'MWWW'`.execute(db);
  expect(await notes()).toBe(noted);
  expect(await fingerprint()).toEqual({ ...before, checksum: 'kept' });
});

it('changes with each vector of a protein that comes, goes or is replaced', async () => {
  const seen = [await fingerprint()];
  await vectorOf('P00002').execute(db);
  seen.push(await fingerprint());
  await deleteVectorOf('P00002').execute(db);
  expect(await fingerprint()).toEqual(seen[0]);
  await vectorOf('P00002').execute(db);
  seen.push(await fingerprint());
  expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(3);
  await sql`update sequence_embedding set created_at = clock_timestamp()`.execute(db);
  expect(seen).not.toContainEqual(await fingerprint());
});

it('counts a vector that was written before the last reading and committed after it', async () => {
  const before = await fingerprint();
  let duringIt: unknown;
  await inTransaction(db, async (trx) => {
    await vectorOf('P00002').execute(trx);
    duringIt = await fingerprint();
  });
  expect(duringIt).toEqual(before);
  expect((await fingerprint()).vectors).toBe(before.vectors + 1);
});

it('counts vectors whose foreign keys are not checked', async () => {
  const before = await fingerprint();
  await inTransaction(db, async (trx) => {
    await trx.client.query('set local session_replication_role = replica');
    await vectorOf('P00002').execute(trx);
  });
  expect((await fingerprint()).vectors).toBe(before.vectors + 1);
});

it('changes when a protein gets another sequence', async () => {
  await vectorOf('P00002').execute(db);
  const before = await fingerprint();
  await sql`update protein set sequence_id = (select sequence_id from protein where accession = 'P00002')
    where accession = 'P00001'`.execute(db);
  expect(await fingerprint()).not.toEqual(before);
});

it('keeps the sum of its notes when they are added up', async () => {
  await vectorOf('P00002').execute(db);
  await sql`insert into bank_change (embedding_config_number) select ${config} from generate_series(1, 1100)`.execute(
    db,
  );
  const before = await fingerprint();
  await sql`update bank_fingerprint set checksum = 'kept'`.execute(db);
  await foldBankChanges(db);
  expect(await notes()).toBeLessThan(3);
  expect(await fingerprint()).toEqual({ ...before, checksum: 'kept' });
  await foldBankChanges(db);
  await deleteVectorOf('P00002').execute(db);
  expect((await fingerprint()).vectors).toBe(before.vectors - 1);
});
