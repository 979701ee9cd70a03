import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { predictPayload } from '@kindred/contracts/resources/prediction-sets';
import type { OperationName } from '@kindred/contracts';
import { operationRows } from '@kindred/contracts/operations';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Broker } from '../broker/broker.js';
import { createEmbeddedBroker } from '../broker/embedded.js';
import type { ComputePool } from '../../ground/pool/pool.js';
import { createComputePool } from '../../ground/pool/thread-pool.js';
import { cancelJob, deleteJob } from '../jobs/cancel.js';
import { type JobRequest, submitJob } from '../jobs/submit.js';
import { operationCatalogue } from '../../run/catalogue.js';
import {
  closeDatabase,
  type Database,
  inTransaction,
  openDatabase,
} from '../../store/postgres/connection.js';
import { closeForsakenSets } from '../../store/predictions/prediction-sets.repository.js';
import { followJobEvents } from '../../store/jobs/jobs.repository.js';
import { fillCatalogue, type TestData } from '../../testing/tiny-catalogue.js';
import { type TestDatabase, testDatabase } from '../../testing/test-database.js';
import { quickSettings, silentLog, testServices, until } from '../../testing/worker/harness.js';
import { type RunningWorker, startWorker } from './worker.js';

let database: TestDatabase;
let db: Database;
let broker: Broker;
let pool: ComputePool;
let worker: RunningWorker;
let folder: string;
let data: TestData;
/** The function is called after each event of an operation, before its next step. */
let afterEvent: (event: string, jobId: string) => Promise<void> = async () => {};
/** The operations of these jobs have returned or thrown. */
const over = new Set<string>();

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 8);
  data = await fillCatalogue(db);
  broker = createEmbeddedBroker(db);
  pool = createComputePool({ size: 1 });
  folder = await mkdtemp(join(tmpdir(), 'kindred-coordination-'));
  worker = await startWorker({
    services: {
      ...testServices(db),
      compute: pool,
      settings: { ...testServices(db).settings, cacheDir: folder },
    },
    broker,
    catalogue: {
      ...operationCatalogue,
      async operation(name) {
        const real = await operationCatalogue.operation(name);
        if (real === undefined) return undefined;
        return {
          ...real,
          run: (payload, context) =>
            real
              .run(payload, {
                ...context,
                emit: async (event, ...more) => {
                  await context.emit(event, ...more);
                  await afterEvent(event, context.jobId);
                },
              })
              .finally(() => over.add(context.jobId)),
        };
      },
    },
    queues: ['svc.predictions', 'svc.predictions.batch', 'svc.predictions.write', 'svc.jobs'],
    concurrency: 1,
    // The watch comes too late on purpose, because the coordinator itself must notice the end.
    settings: { ...quickSettings, watchPeriodMs: 3_600_000 },
    log: silentLog,
  });
});
afterAll(async () => {
  await worker?.stop();
  await pool?.close();
  await broker?.close();
  await closeDatabase(db);
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

function submit(operation: OperationName) {
  const of = { annotation_set_id: data.setId, ontology_snapshot_id: data.snapshotId };
  const queries = { query_accessions: ['P00001', 'P00002'] };
  const payload =
    operation === 'predict_go_terms'
      ? predictPayload.parse({ ...of, ...queries, embedding_config_id: data.configId })
      : operationRows
          .find(({ name }) => name === operation)
          ?.payload.parse({ ...of, ...queries, method: 'naive' });
  return submitJob({ db, broker }, { operation, queueName: 'svc.predictions', payload } as JobRequest);
}

/** Cancels the job as soon as it has emitted this event, and waits until its operation has ended. */
async function cancelledAfter(event: string, operation: OperationName): Promise<string> {
  afterEvent = async (emitted, jobId) => {
    if (emitted === event) await cancelJob(db, jobId);
  };
  const job = await submit(operation);
  await until(() => over.has(job.id));
  return job.id;
}

/** Reads the kinds of events, oldest first. */
async function eventsOf(jobId: string): Promise<string[]> {
  return (await followJobEvents(db, jobId, 0, 100)).map(({ event }) => event);
}

const sets = () => db.selectFrom('prediction_set').select(['id', 'status']).orderBy('id').execute();

const steps = ['start', 'load_queries_done', 'load_references_done', 'dispatching'];
const cases = [
  ...steps.map((step) => ['predict_go_terms', `predict_go_terms.${step}`] as const),
  ['predict_baseline', 'predict_baseline.start'] as const,
];

it.each(cases)('leaves nothing behind when %s is cancelled after %s', async (operation, event) => {
  const before = await sets();
  const id = await cancelledAfter(event, operation);
  expect((await eventsOf(id)).slice(-2)).toEqual([event, 'job.cancelled']);
  expect(await sets()).toEqual(before);
  await deleteJob(db, id);
  expect(await sets()).toEqual(before);
});

it('closes sets that an earlier version left behind, whether their job is still there or not', async () => {
  const [job] = await db
    .insertInto('job')
    .values({ operation: 'predict_go_terms', queue_name: 'svc.predictions', status: 'CANCELLED' })
    .returning('id')
    .execute();
  const made = await db
    .insertInto('prediction_set')
    .values(
      [job.id, null].map((job_id) => ({
        ...{ annotation_set_id: data.setId, ontology_snapshot_id: data.snapshotId, job_id },
        ...{
          method: 'knn',
          limit_per_entry: 1,
          metric: 'cosine',
          parameters: '{}',
          status: 'filling' as const,
        },
      })),
    )
    .returning('id')
    .execute();
  const ids = made.map(({ id }) => id);
  const left = () => db.selectFrom('prediction_set').select('status').where('id', 'in', ids).execute();
  expect(await inTransaction(db, (trx) => closeForsakenSets(trx, 10))).toBe(2);
  expect(await left()).toEqual([{ status: 'incomplete' }, { status: 'incomplete' }]);
  expect(await inTransaction(db, (trx) => closeForsakenSets(trx, 10))).toBe(0);
});
