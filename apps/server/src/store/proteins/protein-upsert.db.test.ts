import type { ProteinRecord } from '@kindred/contracts';
import { sql } from 'kysely';
import { patience } from '@kindred/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { copyRowsWhileWriting } from '../postgres/binary-copy.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../postgres/connection.js';
import { upsertProteins } from './protein-upsert.repository.js';

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
beforeEach(() => sql`truncate protein, sequence restart identity cascade`.execute(db));

const protein = (accession: string, sequence: string, more: Partial<ProteinRecord> = {}): ProteinRecord => ({
  accession,
  canonicalAccession: accession,
  isoformIndex: null,
  entryName: null,
  reviewed: null,
  proteinName: null,
  geneName: null,
  organism: null,
  taxonId: null,
  sequence,
  ...more,
});
const upsert = async (proteins: ProteinRecord[]) =>
  (await inTransaction(db, (trx) => upsertProteins(trx, proteins))).stored;
const stored = async () =>
  (
    await sql<Record<string, unknown>>`
      select p.accession, p.gene_name, s.sequence, s.sequence_md5 = md5(s.sequence) as md5_agrees, p.length = length(s.sequence) as length_agrees
      from protein p join sequence s on s.id = p.sequence_id order by p.accession`.execute(db)
  ).rows;
const row = (accession: string, sequence: string, gene_name: string | null = null) => ({
  accession,
  gene_name,
  sequence,
  md5_agrees: true,
  length_agrees: true,
});

/** Resolves once a transaction waits for another one. */
async function untilOneWaits(): Promise<void> {
  const oneWaits = async () =>
    (await sql`select from pg_locks where not granted`.execute(db)).rows.length > 0;
  await vi.waitUntil(oneWaits, patience);
}

describe('upsertProteins', () => {
  it('tells new, changed and unchanged rows of one batch apart', async () => {
    await upsert([protein('b', 'AAA', { geneName: 'g' }), protein('c', 'CCC')]);
    const batch = [protein('c', 'CCCD'), protein('a', 'AAA'), protein('b', 'AAA')];
    expect(await upsert(batch)).toEqual({
      proteins_inserted: 1,
      proteins_updated: 1,
      proteins_unchanged: 1,
      sequences_changed: 1,
      sequences_inserted: 1,
      sequences_reused: 1,
    });
    expect(await stored()).toEqual([row('a', 'AAA'), row('b', 'AAA', 'g'), row('c', 'CCCD')]);
  });

  it('takes up sequences and proteins that another transaction commits meanwhile', async () => {
    const mine = [
      protein('a', 'AAAA'),
      protein('b', 'CCCC', { geneName: 'mine' }),
      protein('c', 'DDDD'),
      protein('d', 'EEEE'),
    ];
    let waiting: ReturnType<typeof upsert> | undefined;
    await inTransaction(db, async (trx) => {
      await upsertProteins(trx, [protein('b', 'CCCC', { geneName: 'other' }), protein('c', 'DDDD')]);
      waiting = upsert(mine);
      await untilOneWaits();
    });
    expect(await waiting).toEqual({
      proteins_inserted: 2,
      proteins_updated: 1,
      proteins_unchanged: 1,
      sequences_changed: 0,
      sequences_inserted: 2,
      sequences_reused: 2,
    });
    expect(await stored()).toEqual([
      row('a', 'AAAA'),
      row('b', 'CCCC', 'mine'),
      row('c', 'DDDD'),
      row('d', 'EEEE'),
    ]);
  });

  it('sees an accession that another transaction inserts with another sequence', async () => {
    let waiting: ReturnType<typeof upsert> | undefined;
    await inTransaction(db, async (trx) => {
      await upsertProteins(trx, [protein('b', 'WWWW')]);
      waiting = upsert([protein('a', 'AAAA'), protein('b', 'CCCC')]);
      await untilOneWaits();
    });
    expect(await waiting).toMatchObject({ proteins_inserted: 1, proteins_updated: 1, sequences_changed: 1 });
    expect(await stored()).toEqual([row('a', 'AAAA'), row('b', 'CCCC')]);
  });

  it('updates what another transaction is updating, after it', async () => {
    await upsert([protein('a', 'AAAA'), protein('b', 'CCCC')]);
    let waiting: ReturnType<typeof upsert> | undefined;
    await inTransaction(db, async (trx) => {
      await upsertProteins(trx, [protein('b', 'CCCC', { geneName: 'g', entryName: 'E' })]);
      waiting = upsert([protein('a', 'AAAA'), protein('b', 'DDDD')]);
      await untilOneWaits();
    });
    expect(await waiting).toMatchObject({ proteins_updated: 1, proteins_unchanged: 1 });
    expect(await stored()).toEqual([row('a', 'AAAA'), row('b', 'DDDD', 'g')]);
  });
});

describe('copyRowsWhileWriting', () => {
  it('stores integers up to 2^53 and rows longer than a chunk', async () => {
    const numbers = [0, 1, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32 - 1, 2 ** 32, -(2 ** 32), 2 ** 40 + 7];
    numbers.push(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER);
    const long = 'W'.repeat(400_000);
    const read = await inTransaction(db, async (trx) => {
      await trx.client.query('create temporary table copied (n bigint, t text) on commit drop');
      await copyRowsWhileWriting(trx, { table: 'copied', columns: ['n', 't'] }, numbers.length, (rows, i) => {
        rows.row();
        rows.int8(numbers[i]);
        rows.text(i % 3 === 0 ? long : null);
      });
      return (await trx.client.query('select n, length(t) as l from copied')).rows;
    });
    expect(read).toEqual(numbers.map((n, i) => ({ n, l: i % 3 === 0 ? long.length : null })));
  });
});
