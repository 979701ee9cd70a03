import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from './connection.js';
import { copiedOut, copiedRows } from './copied-rows.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 2);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

it('gives numbers, texts and bytes as the database has them, over many packets', async () => {
  const count = 3000;
  const rows = await inTransaction(db, (trx) =>
    copiedRows(
      trx,
      `select i - 5, case when i % 3 = 0 then null else 'Épsin ' || i % 7 end, '', decode(repeat(lpad(to_hex(i), 4, '0'), 20), 'hex')
       from generate_series(1, ${count}) i`,
    ),
  );
  for (let i = 1; i <= count; i++) {
    expect(rows.next()).toBe(true);
    expect(rows.int4()).toBe(i - 5);
    expect(rows.text()).toBe(i % 3 === 0 ? null : `Épsin ${i % 7}`);
    expect(rows.text()).toBe('');
    expect(rows.bytea().toString('hex')).toBe(i.toString(16).padStart(4, '0').repeat(20));
  }
  expect(rows.next()).toBe(false);
});

it('has equal keys for equal values alone, which can be read afterwards', async () => {
  const values = [`'a', 'b'`, `'ab', ''`, `'a', null`, `null, 'a'`, `'', 'ab'`, `'é', 'b'`, `'a', 'b'`];
  const rows = await inTransaction(db, (trx) =>
    copiedRows(trx, values.map((each) => `select ${each}, 7`).join(' union all ')),
  );
  const keys: string[] = [];
  while (rows.next()) {
    keys.push(rows.key(2));
    rows.back();
    const texts = [rows.text(), rows.text()].map((text) => (text === null ? 'null' : `'${text}'`));
    expect(texts.join(', ')).toBe(values[keys.length - 1]);
    expect(rows.int4()).toBe(7);
  }
  expect(keys).toHaveLength(values.length);
  expect(new Set(keys).size).toBe(values.length - 1);
  expect(keys[6]).toBe(keys[0]);
});

it('ends the transaction where the bytes cannot be written, as on a full disk, and leaves the database usable', async () => {
  const full = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
  });
  const lines = `copy (select repeat('x', 100) from generate_series(1, 100000)) to stdout`;
  await expect(inTransaction(db, (trx) => pipeline(copiedOut(trx, lines), full))).rejects.toThrow(
    'no space left',
  );
  await expect(
    inTransaction(db, async (trx) => {
      for await (const _chunk of copiedOut(trx, lines)) break;
      await trx.client.query('select 1');
    }),
  ).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  const { rows } = await db.pool.query('select 1 as one');
  expect(rows).toEqual([{ one: 1 }]);
});
