import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { announcedTables } from './notifications.js';
import { closeDatabase, type Database, openDatabase } from './connection.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 1);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

it('names exactly the tables that have a trigger for it', async () => {
  const { rows } = await sql<{ name: string }>`
    select tgrelid::regclass::text as name from pg_trigger where tgfoid = 'tell_change'::regproc order by 1`.execute(
    db,
  );
  expect(rows.map(({ name }) => name)).toEqual(announcedTables);
});
