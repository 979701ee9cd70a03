import { patience } from '@kindred/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../postgres/connection.js';
import { findPack, replacePack } from './reference-packs.repository.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 3);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

it('lets two jobs that packed the same reference store their packs one after the other', async () => {
  const { rows } = await db.pool.query(
    `insert into reference (name, version) values ('human', '1') returning number`,
  );
  const reference_number: number = rows[0].number;
  const pack = (uri: string) => ({ reference_number, uri, sha256: uri.padEnd(64, '0'), size_bytes: 1 });
  let second: Promise<string | null> | undefined;
  const first = await inTransaction(db, async (trx) => {
    const before = await replacePack(trx, pack('a'));
    second = inTransaction(db, (other) => replacePack(other, pack('b')));
    await vi.waitUntil(async () => {
      const { rows: waiting } = await db.pool.query('select from pg_locks where not granted');
      return waiting.length > 0;
    }, patience);
    return before;
  });
  expect(first).toBeNull();
  expect(await second).toBe('a');
  expect(await findPack(db, reference_number)).toMatchObject({ uri: 'b' });
});
