import { expect, test } from 'vitest';
import * as connection from './connection.js';
import { closeDatabase, type Database, openDatabase, type Transaction } from './db.js';

/**
 * The compiler checks these: a method that could be called here would make its line an unused expectation.
 */
export const refused = {
  // @ts-expect-error a query is written in a repository
  query: (db: Database) => db.selectFrom('job'),
  // @ts-expect-error so is SQL text
  text: (db: Database) => db.pool.query('select 1'),
  // @ts-expect-error also inside a transaction
  inside: (trx: Transaction) => trx.client.query('select 1'),
  // @ts-expect-error closeDatabase ends the pool, too
  close: (db: Database) => db.destroy(),
};

test('a handle is the object that the repositories query', async () => {
  const db: Database = openDatabase('postgresql://localhost/none');
  const open: connection.Database = db;
  expect(open.selectFrom('job').select('id').compile().sql).toBe('select "id" from "job"');
  await closeDatabase(db);
});
