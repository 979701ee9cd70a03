import { type BatchMessage, ProblemError, type QueueName } from '@kindred/contracts';
import { decodeFrame } from '@kindred/kernels/arrays';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retryPolicy } from '../../ground/retry-policy.js';
import type { Delivery } from '../broker/broker.js';
import { cancelJob } from '../jobs/cancel.js';
import { batchFrame } from '../jobs/publish.js';
import { type BatchProduct, type OperationOutcome, RetryLater } from '../operation/operation.js';
import {
  closeDatabase,
  type Database,
  inTransaction,
  openDatabase,
} from '../../store/postgres/connection.js';
import { dispatchBatches, listBatches } from '../../store/jobs/job-batches.repository.js';
import { claimJob } from '../../store/jobs/job-transitions.repository.js';
import { stalledParents } from '../../store/jobs/job-sweep.repository.js';
import { findJob, listJobEvents } from '../../store/jobs/jobs.repository.js';
import { testDatabase } from '../../testing/test-database.js';
import {
  eventNames,
  makeProductTable,
  products,
  startTestWorker,
  submitTest,
  type TestOperations,
  type TestWorkerOptions,
  testBatchName,
  until,
  untilStatus,
} from '../../testing/worker/harness.js';
import { MemoryBroker } from '../../testing/worker/memory-broker.js';
import type { Isolation, SuspectWork } from './isolation.js';
import type { RunningWorker } from './worker.js';

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Database;
let broker: MemoryBroker;
let workers: RunningWorker[];

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 20);
  await makeProductTable(db);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});
beforeEach(() => {
  broker = new MemoryBroker();
  workers = [];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await broker.close();
  await sql`truncate job, test_product cascade`.execute(db);
  expect(broker.thrown).toEqual([]);
});

const coordinator = (count: number) => async (): Promise<OperationOutcome> => ({
  kind: 'deferred',
  batch: testBatchName,
  batches: Array.from({ length: count }, (_, n) => ({ payload: { n } })),
  result: { coordinated: count },
});

/** Each batch stores the squares of ten numbers. */
const squares: TestOperations['batch'] = {
  compute: async ({ n }) => ({
    header: { n },
    blocks: { squares: Int32Array.from({ length: 10 }, (_, i) => (Number(n) * 10 + i) ** 2) },
  }),
  write: async (trx, { header, blocks }, context) => {
    const values = [...(blocks.squares as Int32Array)];
    await sql`insert into test_product select ${context.jobId}::uuid, ${Number(header.n)}, unnest(${values}::integer[])`.execute(
      trx,
    );
    return { rows: values.length };
  },
  finish: async (trx, { jobId }) => {
    const { rows } = await sql<{
      n: number;
    }>`select count(*) as n from test_product where job_id = ${jobId}`.execute(trx);
    return { total_rows: rows[0].n };
  },
};
const expected = (count: number) =>
  Array.from({ length: count * 10 }, (_, i) => ({ batch: Math.floor(i / 10), value: i ** 2 }));

async function work(
  count: number,
  batch: TestOperations['batch'] = {},
  more: Partial<TestWorkerOptions> = {},
) {
  const operations = { run: { test: coordinator(count) }, batch: { ...squares, ...batch } };
  const worker = await startTestWorker({ db, broker, operations, ...more });
  workers.push(worker);
  return worker;
}

describe('a coordinator', () => {
  it('is closed by its last stored batch, with totals and events', async () => {
    await work(12);
    const job = await submitTest(db, broker, 'test');
    const closed = await untilStatus(db, job.id, 'SUCCEEDED');
    expect(closed).toMatchObject({
      progress_current: 12,
      progress_total: 12,
      result: { coordinated: 12, total_rows: 120 },
    });
    expect(closed.dispatched_at).not.toBeNull();
    expect(await products(db, job.id)).toEqual(expected(12));
    const events = await eventNames(db, job.id);
    expect(events.slice(0, 3)).toEqual(['job.created', 'job.started', 'job.dispatched']);
    expect(events.filter((name) => name === 'child.store_embeddings.done')).toHaveLength(12);
    expect(events.filter((name) => name === 'job.succeeded')).toHaveLength(1);
    const [last] = (await listJobEvents(db, job.id, 1)).rows;
    expect(last.fields).toMatchObject({ via: 'last_batch_stored' });
  });

  it('without batches succeeds at once', async () => {
    await work(0);
    const job = await submitTest(db, broker, 'test');
    expect(await untilStatus(db, job.id, 'SUCCEEDED')).toMatchObject({
      dispatched_at: null,
      result: { coordinated: 0 },
    });
  });

  it('releases the job that waits for it when it is closed', async () => {
    await work(3);
    const first = await submitTest(db, broker, 'test');
    const second = await submitTest(db, broker, 'test', { waitsForJobId: first.id });
    await untilStatus(db, second.id, 'SUCCEEDED');
  });

  it('that died between commit and publish is dispatched by the sweeper', async () => {
    const job = await submitTest(db, new MemoryBroker(), 'test');
    const claimed = await claimJob(db, job.id, 'ghost', 60);
    const payloads = [{ n: 0 }, { n: 1 }, { n: 2 }];
    const claim = { jobId: job.id, owner: 'ghost', attempt: claimed?.attempts ?? 0 };
    await inTransaction(db, (trx) =>
      dispatchBatches(trx, claim, {
        operation: testBatchName,
        queue: 'svc.embeddings.batch',
        payloads,
        result: {},
      }),
    );
    await work(3);
    await untilStatus(db, job.id, 'SUCCEEDED');
    expect(await products(db, job.id)).toEqual(expected(3));
  });
});

describe('batches', () => {
  it('that are delivered several times are stored once and counted once', async () => {
    broker.copies = 3;
    const totals: number[] = [];
    await work(8, {
      compute: async (payload, context) => {
        totals.push((await findJob(db, context.jobId))?.progress_current ?? -1);
        return (squares?.compute as NonNullable<typeof squares.compute>)(payload, context);
      },
    });
    const job = await submitTest(db, broker, 'test');
    expect(await untilStatus(db, job.id, 'SUCCEEDED')).toMatchObject({
      progress_current: 8,
      progress_total: 8,
    });
    const handled = () => broker.settled.filter(({ settlement }) => settlement !== 'requeue').length;
    await until(() => handled() === 3 * broker.published.length);
    expect(await products(db, job.id)).toEqual(expected(8));
    expect((await findJob(db, job.id))?.progress_current).toBe(8);
    expect(Math.max(...totals)).toBeLessThanOrEqual(8);
    expect(
      await eventNames(db, job.id).then((names) => names.filter((name) => name === 'job.succeeded')),
    ).toHaveLength(1);
  });

  it('are stored once by many writers at the same time', async () => {
    broker.copies = 2;
    for (let n = 0; n < 3; n++) await work(40, {}, { concurrency: 4 });
    const job = await submitTest(db, broker, 'test');
    await untilStatus(db, job.id, 'SUCCEEDED');
    expect(await products(db, job.id)).toEqual(expected(40));
  });

  it('carry an operation, the parent and their number', async () => {
    broker.down = false;
    await work(1, {}, { queues: ['svc.jobs', 'svc.embeddings.batch'] });
    await work(1, {}, { queues: ['svc.embeddings.write'] });
    const job = await submitTest(db, broker, 'test');
    await untilStatus(db, job.id, 'SUCCEEDED');
    const headers = broker.published.slice(1).map(({ message }) => decodeFrame(message.body).header);
    expect(headers).toEqual([
      { operation: testBatchName, job_id: job.id, batch_index: 0, payload: { n: 0 } },
      { operation: 'store_embeddings', job_id: job.id, batch_index: 0, payload: { n: 0 } },
    ]);
  });

  it('are stored once when others write than compute', async () => {
    broker.copies = 2;
    for (let n = 0; n < 2; n++) {
      await work(40, {}, { queues: ['svc.jobs', 'svc.embeddings.batch'], concurrency: 4 });
      await work(40, {}, { queues: ['svc.embeddings.write'], concurrency: 4 });
    }
    const job = await submitTest(db, broker, 'test');
    await untilStatus(db, job.id, 'SUCCEEDED');
    expect(await products(db, job.id)).toEqual(expected(40));
  });

  it('are stored where they were computed, by a process that writes', async () => {
    await work(3);
    const job = await submitTest(db, broker, 'test');
    await untilStatus(db, job.id, 'SUCCEEDED');
    expect(await products(db, job.id)).toEqual(expected(3));
    expect(broker.published.filter(({ queue }) => queue === 'svc.embeddings.write')).toEqual([]);
  });

  it('that fail are retried three times, then fail the parent and stop its siblings', async () => {
    let tries = 0;
    const aborted: unknown[] = [];
    await work(
      3,
      {
        compute: async ({ n }, context) => {
          if (n === 1) {
            tries++;
            throw new ProblemError('out_of_resources', 'The device ran out of memory: use smaller batches.');
          }
          await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
          aborted.push(context.signal.reason);
          throw context.signal.reason;
        },
      },
      { concurrency: 3 },
    );
    const job = await submitTest(db, broker, 'test');
    const failed = await untilStatus(db, job.id, 'FAILED');
    expect(tries).toBe(4);
    expect(failed.error_code).toBe('batch_failed');
    expect(failed.error_message).toBe(
      `Batch 1 (${testBatchName}) failed after 4 attempts: The device ran out of memory: use smaller batches.`,
    );
    const event = (await listJobEvents(db, job.id, 50)).rows.find((row) => row.event === 'child.failed');
    expect(event?.fields).toMatchObject({
      operation: testBatchName,
      error_code: 'out_of_resources',
      batch_index: 1,
    });
    await until(() => aborted.length === 2);
    await until(async () => (await broker.depth('svc.embeddings.batch')) === 0);
    expect(broker.dead).toEqual([]);
    expect((await listBatches(db, job.id)).map((row) => row.state)).toEqual(['pending', 'failed', 'pending']);
    expect(await products(db, job.id)).toEqual([]);
  });

  it('that recover on a retry do no harm', async () => {
    let tries = 0;
    await work(4, {
      compute: async (payload, context) => {
        if (payload.n === 2 && ++tries < 4) throw new Error('flaky');
        return (squares?.compute as NonNullable<typeof squares.compute>)(payload, context);
      },
    });
    const job = await submitTest(db, broker, 'test');
    await untilStatus(db, job.id, 'SUCCEEDED');
    expect(await products(db, job.id)).toEqual(expected(4));
    expect((await eventNames(db, job.id)).filter((name) => name === 'child.retry')).toHaveLength(3);
  });

  it('that are refused are not retried', async () => {
    let tries = 0;
    await work(1, {
      compute: async () => {
        tries++;
        throw new ProblemError('not_found', 'The configuration was deleted.');
      },
    });
    const job = await submitTest(db, broker, 'test');
    expect((await untilStatus(db, job.id, 'FAILED')).error_message).toContain(
      'The configuration was deleted.',
    );
    expect(tries).toBe(1);
  });

  it('whose write fails leave nothing behind', async () => {
    let tries = 0;
    await work(2, {
      write: async (trx, product, context) => {
        const result = await (squares?.write as NonNullable<typeof squares.write>)(trx, product, context);
        if (product.header.n === 1 && ++tries <= 2) throw new Error('after the rows');
        return result;
      },
    });
    const job = await submitTest(db, broker, 'test');
    await untilStatus(db, job.id, 'SUCCEEDED');
    expect(tries).toBe(3);
    expect(await products(db, job.id)).toEqual(expected(2));
  });

  it('wait where a resource is busy, without counting as failed', async () => {
    let tries = 0;
    await work(1, {
      compute: async (payload, context) => {
        if (++tries <= 6) throw new RetryLater('busy', 1);
        return (squares?.compute as NonNullable<typeof squares.compute>)(payload, context);
      },
    });
    const job = await submitTest(db, broker, 'test');
    await untilStatus(db, job.id, 'SUCCEEDED');
    expect((await listBatches(db, job.id))[0].attempts).toBe(1);
    expect((await eventNames(db, job.id)).filter((name) => name === 'child.retry_later')).toHaveLength(6);
  });

  it('of a cancelled parent are stopped, store nothing more, and fill no dead letters', async () => {
    let computing = 0;
    await work(10, {
      compute: async (_payload, context) => {
        computing++;
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        throw context.signal.reason;
      },
    });
    const job = await submitTest(db, broker, 'test');
    await until(() => computing === 2);
    await cancelJob(db, job.id);
    await until(async () => (await broker.depth('svc.embeddings.batch')) === 0);
    expect(computing).toBe(2);
    const frame = batchFrame(
      { jobId: job.id, batchIndex: 3 },
      'store_embeddings',
      { n: 3 },
      {
        squares: new Int32Array(10),
      },
    );
    await broker.publish('svc.embeddings.write', [{ body: frame }]);
    await until(async () => (await broker.depth('svc.embeddings.write')) === 0);
    expect(broker.dead).toEqual([]);
    expect(await products(db, job.id)).toEqual([]);
    expect((await findJob(db, job.id))?.status).toBe('CANCELLED');
  });

  it('without a parent are dropped, and invalid messages rejected', async () => {
    await work(1);
    const nobody = { jobId: '00000000-0000-4000-8000-000000000000', batchIndex: 0 };
    await broker.publish('svc.embeddings.batch', [
      { body: batchFrame(nobody, testBatchName, {}) },
      { body: batchFrame(nobody, 'nonsense', {}) },
      { body: Buffer.from('nonsense') },
    ]);
    await broker.publish('svc.embeddings.write', [{ body: batchFrame(nobody, 'store_embeddings', {}) }]);
    for (const queue of ['svc.embeddings.batch', 'svc.embeddings.write'] as const)
      await until(async () => (await broker.depth(queue)) === 0);
    await until(() => broker.dead.length === 2);
  });

  it('go back to the queue when the worker stops, uncounted', async () => {
    const worker = await work(2, {
      compute: async (_payload, context) => {
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        throw context.signal.reason;
      },
    });
    const job = await submitTest(db, broker, 'test');
    await until(async () => (await listBatches(db, job.id)).map((row) => row.attempts).join() === '1,1');
    await worker.stop();
    expect((await listBatches(db, job.id)).map((row) => row.attempts)).toEqual([0, 0]);
    await work(2);
    await untilStatus(db, job.id, 'SUCCEEDED');
    expect(await products(db, job.id)).toEqual(expected(2));
  });

  it('whose messages are lost are sent again', async () => {
    await work(3, {}, { queues: ['svc.jobs'] });
    const job = await submitTest(db, broker, 'test');
    await until(async () => (await broker.depth('svc.embeddings.batch')) === 3);
    broker.lose('svc.embeddings.batch');
    await workers[0].stop();
    // The housekeeper looks when it starts, and then only every half a minute, so the test waits first.
    await until(() => inTransaction(db, async (trx) => (await stalledParents(trx, 0.2, 1)).length === 1));
    await work(3, {}, { settings: { stalledBatchSeconds: 0.2 } });
    await untilStatus(db, job.id, 'SUCCEEDED');
    expect(await products(db, job.id)).toEqual(expected(3));
  });

  it('that take their worker down again and again fail the job', async () => {
    await work(1, {}, { queues: ['svc.jobs'] });
    const job = await submitTest(db, broker, 'test');
    await until(async () => (await listBatches(db, job.id)).length === 1);
    await sql`update job_batch set attempts = ${1 + retryPolicy.vanishedBatch.retries}`.execute(db);
    await work(1, {}, { queues: ['svc.embeddings.batch'] });
    expect((await untilStatus(db, job.id, 'FAILED')).error_message).toContain('vanished');
  });

  describe('of several owners', () => {
    const [alice, bob] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];

    /**
     * Runs coordinators by name. `order` records each batch, and a batch of the job `large` waits for `gate`.
     */
    async function compete(sizes: Record<string, { batches: number; small?: boolean }>) {
      const order: string[] = [];
      let open = () => {};
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      const run = Object.fromEntries(
        Object.entries(sizes).map(([name, { batches, small }]) => [
          name,
          async (): Promise<OperationOutcome> => ({
            kind: 'deferred',
            batch: testBatchName,
            batches: Array.from({ length: batches }, (_, n) => ({ payload: { name, n } })),
            result: {},
            small,
          }),
        ]),
      );
      const compute = async ({ name, n }: Record<string, unknown>) => {
        order.push(String(name));
        if (name === 'large') await gate;
        return { header: { n }, blocks: { squares: Int32Array.of(Number(n)) } };
      };
      const operations = { run, batch: { ...squares, compute } };
      workers.push(await startTestWorker({ db, broker, operations, concurrency: 1 }));
      return { order, open };
    }
    const dispatched = (id: string) => until(async () => (await listBatches(db, id)).length > 0);

    it('get in between those of a large job, and one owner no more than another', async () => {
      const { order, open } = await compete({ large: { batches: 60 }, other: { batches: 4 } });
      const large = await submitTest(db, broker, 'large', { ownerUserId: alice });
      await until(() => order.length === 1);
      const other = await submitTest(db, broker, 'other', { ownerUserId: bob });
      await dispatched(other.id);
      const taken = broker.published.filter(({ queue }) => queue === 'svc.embeddings.batch');
      expect(taken.length).toBeLessThan(8);
      open();
      await untilStatus(db, other.id, 'SUCCEEDED');
      await untilStatus(db, large.id, 'SUCCEEDED');
      // The broker had three batches of the large job, and got one more for each that ended.
      expect(order.lastIndexOf('other')).toBeLessThan(20);
      expect(order).toHaveLength(64);
    });

    it('take turns also among the jobs of one owner, the shortest first', async () => {
      const { order, open } = await compete({ large: { batches: 60 }, other: { batches: 2 } });
      await submitTest(db, broker, 'large', { ownerUserId: alice });
      await until(() => order.length === 1);
      const other = await submitTest(db, broker, 'other', { ownerUserId: alice });
      await dispatched(other.id);
      open();
      await untilStatus(db, other.id, 'SUCCEEDED');
      expect(order.lastIndexOf('other')).toBeLessThan(20);
    });

    it('do not hold up a small job while they take every place', async () => {
      const { order, open } = await compete({ large: { batches: 60 }, other: { batches: 1, small: true } });
      await submitTest(db, broker, 'large', { ownerUserId: alice });
      await until(() => order.length === 1);
      const small = await submitTest(db, broker, 'other', { ownerUserId: bob });
      expect(await untilStatus(db, small.id, 'SUCCEEDED')).toMatchObject({
        progress_current: 1,
        result: { total_rows: 1 },
      });
      expect(order).toEqual(['large', 'other']);
      expect((await eventNames(db, small.id)).filter((name) => name.startsWith('child.'))).toEqual([
        'child.store_embeddings.done',
      ]);
      open();
    });
  });

  describe('that began twice without an end', () => {
    /** Dispatches a job of two batches and lets two workers vanish during the second. */
    async function suspectJob() {
      await work(2, {}, { queues: ['svc.jobs'] });
      const job = await submitTest(db, broker, 'test');
      await until(async () => (await listBatches(db, job.id)).length === 2);
      await sql`update job_batch set attempts = 2 where batch_index = 1`.execute(db);
      return job;
    }
    const product = async (delivery: Delivery) => {
      const { header } = decodeFrame(delivery.body) as { header: BatchMessage };
      const { header: own, blocks } = (await squares.compute?.(header.payload, {} as never)) as BatchProduct;
      const key = { jobId: header.job_id, batchIndex: header.batch_index };
      return { body: batchFrame(key, 'store_embeddings', own, blocks) };
    };
    const rest = { queues: ['svc.embeddings.batch', 'svc.embeddings.write'] as QueueName[] };

    it('run alone, and fail with their parent as a dead letter when they end that process too', async () => {
      const job = await suspectJob();
      const alone: SuspectWork[] = [];
      const isolate: Isolation = async (suspect) => {
        alone.push(suspect);
        return { kind: 'died', how: 'SIGKILL' };
      };
      await work(2, {}, { ...rest, isolate });
      const failed = await untilStatus(db, job.id, 'FAILED');
      expect(failed).toMatchObject({ error_code: 'batch_failed', lease_losses: 0 });
      expect(failed.error_message).toMatch(
        /^Batch 1 .* after 4 attempts: It ends every process .*\(SIGKILL\)/,
      );
      expect(alone.map(({ kind }) => kind)).toEqual(['batch', 'batch']);
      const lost = (await listJobEvents(db, job.id, 50)).rows.find(
        ({ event }) => event === 'child.worker_lost',
      );
      expect(lost?.fields).toMatchObject({ batch_index: 1, losses: 2, alone: true });
      await until(async () => broker.dead.length === 1);
    });

    it('run alone and count like others when nothing is wrong with them', async () => {
      const job = await suspectJob();
      const isolate: Isolation = async (suspect, signal) => {
        const { delivery } = suspect as SuspectWork & { kind: 'batch' };
        await broker.publish('svc.embeddings.write', [await product(delivery)]);
        return { kind: 'done', settlement: signal.aborted ? 'requeue' : 'ack' };
      };
      await work(2, {}, { ...rest, isolate });
      await untilStatus(db, job.id, 'SUCCEEDED');
      expect(await products(db, job.id)).toEqual(expected(2));
      expect(broker.dead).toEqual([]);
    });
  });
});
