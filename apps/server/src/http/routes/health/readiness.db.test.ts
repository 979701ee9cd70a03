import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../../../store/postgres/connection.js';
import { type TestDatabase, testDatabase } from '../../../testing/test-database.js';
import { RecordingBroker, startTestApp } from '../../../testing/test-app.js';
import { Readiness } from './readiness.js';

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

const broker = new RecordingBroker();
const nobody = openDatabase('postgresql://127.0.0.1:1/none', 1);
afterAll(() => closeDatabase(nobody));

it('is ready with a migrated database and a broker', async () => {
  expect(await new Readiness({ db, broker, log: null }).fault()).toBeNull();
});

it('names the change that the database lacks, and what to run', async () => {
  await db.pool.query(
    'delete from schema_migration where version = (select max(version) from schema_migration)',
  );
  expect(await new Readiness({ db, broker, log: null }).fault()).toMatch(
    /lacks changes of its schema \(\d{6}_\w+\.sql\): run "kindred upgrade"/,
  );
  await db.pool.query('drop schema public cascade; create schema public');
  expect(await new Readiness({ db, broker, log: null }).fault()).toMatch(/and \d\d more\)/);
});

it('logs a change of state once, not each probe', async () => {
  const log = { warn: vi.fn(), info: vi.fn() };
  const readiness = new Readiness({ db: nobody, broker, log: log as never });
  for (let i = 0; i < 3; i++) expect(await readiness.fault()).toBe('The database cannot be reached.');
  expect(log.warn).toHaveBeenCalledTimes(1);
});

it('turns first when the process stops; requests are answered and their connections end', async () => {
  const stopping = new AbortController();
  const test = await startTestApp({}, null, { stopping: stopping.signal });
  expect((await test.call({ url: '/health/ready' })).status).toBe(200);
  stopping.abort();
  expect((await test.call({ url: '/health/ready' })).status).toBe(503);
  const read = await test.call({ url: '/v1/jobs' });
  expect(read).toMatchObject({ status: 200, headers: { connection: 'close' } });
  await test.close();
});
