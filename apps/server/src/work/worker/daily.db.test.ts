import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { runDailyChores } from './daily.js';
import type { WorkerRuntime } from './runtime.js';
import { defaultWorkerSettings } from './settings.js';

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

/** Counts how often the store was listed. */
async function listings(backend: ArtifactStore['backend'], sweepBucket: boolean): Promise<number> {
  let listed = 0;
  const artifacts = {
    backend,
    list() {
      listed++;
      return [];
    },
  };
  const retention = { ...defaultWorkerSettings.retention, sweepBucket };
  const runtime = {
    services: { db, artifacts },
    settings: { ...defaultWorkerSettings, retention },
    log: { info() {} },
  };
  await db.deleteFrom('maintenance_run').execute();
  await runDailyChores(runtime as unknown as WorkerRuntime, new AbortController().signal);
  return listed;
}

it('looks for unreferenced objects in a folder of its own, and in a bucket only if the setting allows it', async () => {
  expect(await listings('local', false)).toBe(1);
  expect(await listings('s3', false)).toBe(0);
  expect(await listings('s3', true)).toBe(1);
});
