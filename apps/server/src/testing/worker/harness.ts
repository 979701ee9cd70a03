import { setTimeout as sleep } from 'node:timers/promises';
import type { JobStatus, QueueName } from '@kindred/contracts';
import { patienceMs } from '@kindred/testkit';
import { sql } from 'kysely';
import { z } from 'zod';
import { Memory } from '../../ground/memory.js';
import { retryPolicy } from '../../ground/retry-policy.js';
import type { Broker } from '../../work/broker/broker.js';
import { type JobRequest, submitJob } from '../../work/jobs/submit.js';
import type {
  BatchOperation,
  BatchOperationName,
  OperationCatalogue,
  OperationContext,
  OperationOutcome,
  OperationServices,
} from '../../work/operation/operation.js';
import { listBatches } from '../../store/jobs/job-batches.repository.js';
import { createPluginRegistry } from '../../ground/plugins/discover.js';
import type { Database } from '../../store/postgres/connection.js';
import { findJob, type JobRow, listJobEvents } from '../../store/jobs/jobs.repository.js';
import type { Isolation } from '../../work/worker/isolation.js';
import type { WorkerLog } from '../../work/worker/log.js';
import type { WorkerSettings } from '../../work/worker/settings.js';
import { type RunningWorker, startWorker } from '../../work/worker/worker.js';

export interface EndedJob extends JobRow {
  // oxlint-disable-next-line typescript/no-explicit-any -- a test knows which fields its operation returns
  result: any;
}

type Payload = Record<string, unknown>;
export interface TestOperations {
  /** Each job does its work here, found by the operation's name. */
  run: Record<string, (payload: Payload, context: OperationContext) => Promise<OperationOutcome>>;
  batch?: Partial<Pick<BatchOperation<Payload>, 'compute' | 'write' | 'finish'>>;
}

export const testBatchName: BatchOperationName = 'compute_embeddings_batch';
export const testQueues: QueueName[] = [
  'svc.ping',
  'svc.jobs',
  'svc.embeddings.batch',
  'svc.embeddings.write',
];

/** Makes a catalogue of test operations: those in `run`, and one batch operation on the embedding queues. */
export function testCatalogue(operations: TestOperations): OperationCatalogue {
  const batch: BatchOperation = {
    name: testBatchName,
    queue: 'svc.embeddings.batch',
    writeQueue: 'svc.embeddings.write',
    writeName: 'store_embeddings',
    payload: z.record(z.string(), z.unknown()),
    compute: async (payload) => ({ header: { payload }, blocks: {} }),
    write: async () => ({}),
    ...(operations.batch as Partial<BatchOperation>),
  };
  return {
    async operation(name) {
      const run = operations.run[name];
      return (
        run && {
          name,
          parse: (payload) => payload,
          run: (payload, context) => run(payload as Payload, context),
        }
      );
    },
    batch: async (name) => (name === batch.name ? batch : undefined),
    batchByWriteName: async (name) => (name === batch.writeName ? batch : undefined),
  };
}

/** The periods are short enough for tests. */
export const quickSettings: Partial<WorkerSettings> = {
  watchPeriodMs: 50,
  sweepPeriodMs: 100,
  unpublishedAgeSeconds: 0.3,
  retries: {
    ...retryPolicy,
    batchError: { ...retryPolicy.batchError, pause: { firstSeconds: 0.01, factor: 2, longestSeconds: 1 } },
  },
  stopFinishMs: 500,
  stopLimitMs: 3000,
};

export const silentLog: WorkerLog = { debug() {}, info() {}, warn() {}, error() {} };

export function testServices(db: Database): OperationServices {
  const absent = (what: string, but: Record<string, unknown> = {}) =>
    new Proxy(but, {
      get: (there, name: string) =>
        there[name] ?? (() => Promise.reject(new Error(`the test has no ${what}`))),
    }) as never;
  return {
    db,
    compute: absent('compute pool'),
    memory: new Memory(),
    plugins: createPluginRegistry(),
    sources: absent('sources'),
    // The daily sweep looks at the store.
    artifacts: absent('artifacts', { async *list() {} }),
    settings: {
      cacheDir: '',
      goPredictionJsonbWriteEnabled: false,
      producerVersion: 'test',
    } as OperationServices['settings'],
  };
}

export interface TestWorkerOptions {
  db: Database;
  broker: Broker;
  operations: TestOperations;
  settings?: Partial<WorkerSettings>;
  concurrency?: number;
  queues?: QueueName[];
  isolate?: Isolation;
  log?: WorkerLog;
}
export function startTestWorker(options: TestWorkerOptions): Promise<RunningWorker> {
  return startWorker({
    services: testServices(options.db),
    broker: options.broker,
    catalogue: testCatalogue(options.operations),
    queues: options.queues ?? testQueues,
    concurrency: options.concurrency ?? 2,
    settings: { ...quickSettings, ...options.settings },
    isolate: options.isolate,
    log: options.log ?? (process.env.KINDRED_TEST_LOG ? consoleLog : silentLog),
  });
}

const consoleLog: WorkerLog = {
  debug: () => {},
  info: (fields, text) => process.stderr.write(`info ${text} ${JSON.stringify(fields)}\n`),
  warn: (fields, text) => process.stderr.write(`warn ${text} ${String((fields as { err?: unknown }).err)}\n`),
  error: (fields, text) => process.stderr.write(`error ${text} ${(fields as { err?: Error }).err?.stack}\n`),
};

/** Queues a job of a test operation on svc.jobs. */
export function submitTest(
  db: Database,
  broker: Broker,
  operation: string,
  more: Partial<JobRequest> = {},
): Promise<JobRow> {
  return submitJob({ db, broker }, { operation, queueName: 'svc.jobs', payload: {}, ...more });
}

/** Waits until the job has the status; fails with its row and events if it does not. */
export async function untilStatus(db: Database, id: string, status: JobStatus): Promise<EndedJob> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const job = await findJob(db, id);
    if (job?.status === status) return job;
    if (Date.now() > end) {
      const events = await eventNames(db, id);
      const batches = (await listBatches(db, id))
        .filter(({ state }) => state !== 'stored')
        .map(({ batch_index, state, attempts }) => `batch ${batch_index}: ${state}, begun ${attempts} times`);
      throw new Error(
        `job is ${job?.status}, not ${status}: ${job?.error_message ?? ''}\n${[...events, ...batches].join('\n')}`,
      );
    }
    await sleep(20);
  }
}

/** Reads the names of the job's events, oldest first. */
export async function eventNames(db: Database, id: string): Promise<string[]> {
  return (await listJobEvents(db, id, 2000)).rows.map((row) => row.event).reverse();
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`the condition did not come true: ${condition}`);
    await sleep(10);
  }
}

/** Makes a table that the write step of test batches fills. */
export async function makeProductTable(db: Database): Promise<void> {
  await sql`create table test_product (job_id uuid not null, batch integer not null, value integer not null)`.execute(
    db,
  );
}
export async function products(db: Database, jobId: string): Promise<{ batch: number; value: number }[]> {
  const { rows } = await sql<{ batch: number; value: number }>`
    select batch, value from test_product where job_id = ${jobId} order by batch, value`.execute(db);
  return rows;
}
