import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, openDatabase } from './connection.js';
import { pageOf } from './cursor.js';

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

it('counts at most 10,000 rows of a list', async () => {
  await sql`insert into job (operation, queue_name) select 'many', 'svc.ping' from generate_series(1, 10000)`.execute(
    db,
  );
  const page = () => {
    const chosen = db.selectFrom('job').select('job.id').where('operation', '=', 'many');
    return pageOf(db, chosen, { table: 'job' }, { limit: 2 });
  };
  expect(await page()).toMatchObject({ rows: { length: 2 }, total: 10_000, totalIsExact: true });
  await sql`insert into job (operation, queue_name) values ('many', 'svc.ping')`.execute(db);
  expect(await page()).toMatchObject({ rows: { length: 2 }, total: 10_000, totalIsExact: false });
});
