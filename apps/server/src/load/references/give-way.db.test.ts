import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import type { OperationContext } from '../../work/operation/operation.js';
import { giveWay } from './give-way.js';

let database: TestDatabase;
let db: Database;
let prediction: string;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 2);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});
beforeEach(async () => {
  await db.updateTable('job').set({ status: 'SUCCEEDED' }).execute();
  prediction = await jobOf('predict_go_terms', 'svc.predictions');
});

async function jobOf(operation: string, queue_name: string, parent_job_id: string | null = null) {
  const job = { operation, queue_name, parent_job_id };
  const { id } = await db.insertInto('job').values(job).returning('id').executeTakeFirstOrThrow();
  return id;
}
const stepOfBuild = async () =>
  jobOf('measure_reference', 'svc.jobs', await jobOf('build_reference', 'svc.jobs'));

/** Starts to give way, and says when the first look found a prediction, and when the wait was over. */
function waitOf(jobId: string, { waitMs, signal }: { waitMs?: number; signal?: AbortSignal } = {}) {
  const events: string[] = [];
  let hasLooked = () => {};
  const looked = new Promise<void>((resolve) => {
    hasLooked = resolve;
  });
  const context = {
    ...{ db, jobId, signal: signal ?? new AbortController().signal },
    emit: async (event: string) => {
      events.push(event);
      hasLooked();
    },
  } as unknown as OperationContext;
  const over = giveWay(context, waitMs);
  const didNotWait = () =>
    over.then(() => {
      throw new Error('it did not wait');
    });
  return { over, events, waits: () => Promise.race([looked, didNotWait()]) };
}

it('waits until the prediction has ended, queued or running', async () => {
  for (const status of ['QUEUED', 'RUNNING'] as const) {
    await db.updateTable('job').set({ status }).where('id', '=', prediction).execute();
    const { over, waits, events } = waitOf(await stepOfBuild());
    await waits();
    await db.updateTable('job').set({ status: 'SUCCEEDED' }).where('id', '=', prediction).execute();
    await over;
    expect(events).toEqual(['measure_reference.gives_way']);
  }
});

it('goes on at once without a prediction, and when somebody asked for the job', async () => {
  const asked = waitOf(await jobOf('measure_reference', 'svc.jobs'));
  await asked.over;
  await db.updateTable('job').set({ status: 'FAILED' }).where('id', '=', prediction).execute();
  const alone = waitOf(await stepOfBuild());
  await alone.over;
  expect([asked.events, alone.events]).toEqual([[], []]);
});

it('does not wait for ever, and ends with its job', async () => {
  const { over, events } = waitOf(await stepOfBuild(), { waitMs: 0 });
  await over;
  expect(events).toHaveLength(1);
  const controller = new AbortController();
  const cancelled = waitOf(await stepOfBuild(), { signal: controller.signal });
  await cancelled.waits();
  controller.abort();
  await expect(cancelled.over).rejects.toThrow(/abort/i);
});
