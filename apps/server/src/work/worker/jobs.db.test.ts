import { ProblemError } from '@kindred/contracts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retryPolicy } from '../../ground/retry-policy.js';
import { cancelJob, deleteJob } from '../jobs/cancel.js';
import { submitJob } from '../jobs/submit.js';
import { RetryLater } from '../operation/operation.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { claimJob, succeedJob } from '../../store/jobs/job-transitions.repository.js';
import { stalledJobs } from '../../store/jobs/job-sweep.repository.js';
import { findJob, listJobEvents } from '../../store/jobs/jobs.repository.js';
import { testDatabase } from '../../testing/test-database.js';
import {
  eventNames,
  silentLog,
  startTestWorker,
  submitTest,
  type TestWorkerOptions,
  until,
  untilStatus,
} from '../../testing/worker/harness.js';
import { MemoryBroker } from '../../testing/worker/memory-broker.js';
import type { RunningWorker } from './worker.js';

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Database;
let broker: MemoryBroker;
let workers: RunningWorker[];

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 20);
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
  await sql`truncate job cascade`.execute(db);
});

async function work(run: TestWorkerOptions['operations']['run'], more: Partial<TestWorkerOptions> = {}) {
  const worker = await startTestWorker({ db, broker, operations: { run }, ...more });
  workers.push(worker);
  return worker;
}
const done = async () => ({ kind: 'done' as const, result: { ok: true } });
/** The operation runs until its signal aborts. */
const endless = (_: unknown, context: { signal: AbortSignal }) =>
  new Promise<never>((_resolve, reject) => {
    context.signal.addEventListener('abort', () => reject(context.signal.reason));
  });

describe('outcomes', () => {
  it('QUEUED -> RUNNING -> SUCCEEDED, with its events and its result', async () => {
    await work({
      test: async (payload, context) => {
        await context.emit('test.start', { payload });
        await context.progress(3, 7);
        await context.progress(7, 7);
        return { kind: 'done', result: { answer: 42 } };
      },
    });
    const job = await submitTest(db, broker, 'test', { payload: { a: 1 } });
    expect(job.status).toBe('QUEUED');
    const settled = await untilStatus(db, job.id, 'SUCCEEDED');
    expect(settled).toMatchObject({
      result: { answer: 42 },
      attempts: 1,
      progress_current: 7,
      progress_total: 7,
    });
    expect(settled.lease_owner).toBeNull();
    expect(settled.finished_at).not.toBeNull();
    expect(await eventNames(db, job.id)).toEqual([
      'job.created',
      'job.started',
      'test.start',
      'job.succeeded',
    ]);
    const [, start] = (await listJobEvents(db, job.id, 10)).rows;
    expect(start.fields).toEqual({ payload: { a: 1 } });
  });

  it('FAILED with the code and message of a problem', async () => {
    await work({
      test: () => Promise.reject(new ProblemError('bad_file', 'Line 7 has 3 columns, 17 are needed.')),
    });
    const job = await submitTest(db, broker, 'test');
    const failed = await untilStatus(db, job.id, 'FAILED');
    expect(failed).toMatchObject({
      error_code: 'bad_file',
      error_message: 'Line 7 has 3 columns, 17 are needed.',
    });
    const [event] = (await listJobEvents(db, job.id, 1)).rows;
    expect(event).toMatchObject({ event: 'job.failed', level: 'error', fields: { error_code: 'bad_file' } });
  });

  it('FAILED with internal_error and no inner text for an unforeseen error', async () => {
    await work({ test: () => Promise.reject(new TypeError("secret of 'x' is not a function")) });
    const job = await submitTest(db, broker, 'test');
    const failed = await untilStatus(db, job.id, 'FAILED');
    expect(failed.error_code).toBe('internal_error');
    expect(failed.error_message).not.toContain('secret');
  });

  it('FAILED for an operation that this worker does not have', async () => {
    await work({});
    const job = await submitTest(db, broker, 'nonsense');
    expect((await untilStatus(db, job.id, 'FAILED')).error_code).toBe('unknown_operation');
  });

  it('RUNNING -> QUEUED on retry-later, with a delay that doubles, and its event', async () => {
    let calls = 0;
    await work({
      test: async () => {
        if (++calls <= 2) throw new RetryLater('the device is busy', 100);
        return done();
      },
    });
    const job = await submitTest(db, broker, 'test');
    const settled = await untilStatus(db, job.id, 'SUCCEEDED');
    expect(settled).toMatchObject({ retry_count: 2, attempts: 3 });
    const retries = (await listJobEvents(db, job.id, 100)).rows
      .filter((row) => row.event === 'job.retry_later')
      .reverse();
    expect(retries.map((row) => row.fields)).toEqual([
      { delay_seconds: 0.1, retry_count: 1 },
      { delay_seconds: 0.2, retry_count: 2 },
    ]);
    expect(broker.published.map(({ message }) => message.delayMs)).toEqual([undefined, 100, 200]);
  });

  it('a lost database connection is not the job’s failure', async () => {
    let calls = 0;
    await work({
      test: async (_, context) => {
        if (++calls === 1) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(context.db);
        return done();
      },
    });
    const job = await submitTest(db, broker, 'test');
    // A job without steps ends with as many steps as it counted: none.
    expect(await untilStatus(db, job.id, 'SUCCEEDED')).toMatchObject({
      attempts: 2,
      error_code: null,
      progress_current: 0,
      progress_total: 0,
    });
    expect(await eventNames(db, job.id)).toContain('job.requeued');
  });

  describe('where a connection is lost again and again', () => {
    const lost = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const jobConnection = {
      ...retryPolicy.jobConnection,
      retries: 2,
      pause: { firstSeconds: 0.01, factor: 1, longestSeconds: 0.01 },
    };
    const settings = { retries: { ...retryPolicy, jobConnection } };

    it('FAILED after the tries of the policy', async () => {
      await work({ test: () => Promise.reject(lost()) }, { settings });
      const job = await submitTest(db, broker, 'test');
      expect(await untilStatus(db, job.id, 'FAILED')).toMatchObject({ attempts: 3 });
    });

    it('tries that ended otherwise do not count', async () => {
      let calls = 0;
      await work(
        {
          test: async () => {
            calls++;
            if (calls <= 4) throw new RetryLater('the device is busy', 1);
            if (calls <= 6) throw lost();
            return done();
          },
        },
        { settings },
      );
      const job = await submitTest(db, broker, 'test');
      expect(await untilStatus(db, job.id, 'SUCCEEDED')).toMatchObject({ attempts: 7, retry_count: 4 });
    });
  });

  it('an error of a job that has lost its claim is in the log', async () => {
    const warnings: { err?: Error }[] = [];
    const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) };
    const fault = new TypeError('the worker has stumbled');
    const other = async (jobId: string) =>
      sql`update job set lease_owner = 'another' where id = ${jobId}`.execute(db);
    await work(
      {
        test: async (_, { jobId }) => {
          await other(jobId);
          throw fault;
        },
      },
      { log, settings: { watchPeriodMs: 60_000 } },
    );
    const job = await submitTest(db, broker, 'test');
    await until(() => warnings.some(({ err }) => err === fault));
    expect(await findJob(db, job.id)).toMatchObject({ status: 'RUNNING', error_code: null });
  });
});

describe('cancelling', () => {
  it('cancels a QUEUED job; its message does not come back and is no dead letter', async () => {
    const job = await submitTest(db, broker, 'test');
    expect((await cancelJob(db, job.id)).status).toBe('CANCELLED');
    let ran = false;
    await work({
      test: async () => {
        ran = true;
        return done();
      },
      other: done,
    });
    // The queue is served in order, so the second job ends after the first one's message was settled.
    const second = await submitTest(db, broker, 'other');
    await untilStatus(db, second.id, 'SUCCEEDED');
    expect(ran).toBe(false);
    expect(broker.dead).toEqual([]);
    expect((await findJob(db, job.id))?.status).toBe('CANCELLED');
  });

  it('stops a RUNNING job, whose end changes nothing', async () => {
    const causes: unknown[] = [];
    const worker = await work({
      test: async (_, context) => {
        await endless(_, context).catch((cause) => causes.push(cause));
        return done();
      },
    });
    const job = await submitTest(db, broker, 'test');
    await untilStatus(db, job.id, 'RUNNING');
    await cancelJob(db, job.id);
    await until(() => causes.length === 1);
    await worker.stop(); // The worker does not stop before the job's function has come back.
    expect(await findJob(db, job.id)).toMatchObject({ status: 'CANCELLED', result: null });
    expect(await eventNames(db, job.id)).toEqual(['job.created', 'job.started', 'job.cancelled']);
  });

  it('takes children and waiting jobs along, and those of theirs', async () => {
    const parent = await submitTest(db, broker, 'test');
    const child = await submitTest(db, broker, 'test', { parentJobId: parent.id });
    const waiting = await submitTest(db, broker, 'test', { waitsForJobId: child.id });
    const bystander = await submitTest(db, broker, 'test');
    await cancelJob(db, parent.id);
    for (const id of [parent.id, child.id, waiting.id])
      expect((await findJob(db, id))?.status).toBe('CANCELLED');
    expect((await findJob(db, bystander.id))?.status).toBe('QUEUED');
    const [event] = (await listJobEvents(db, child.id, 1)).rows;
    expect(event).toMatchObject({ event: 'job.cancelled', fields: { reason: 'parent_cancelled' } });
    const [later] = (await listJobEvents(db, waiting.id, 1)).rows;
    expect(later.fields).toEqual({ reason: 'dependency_cancelled' });
  });

  it('refuses a finished job, and leaves a cancelled one as it is', async () => {
    await work({ test: done });
    const job = await submitTest(db, broker, 'test');
    await untilStatus(db, job.id, 'SUCCEEDED');
    await expect(cancelJob(db, job.id)).rejects.toMatchObject({ code: 'conflict' });
    const other = await submitTest(db, new MemoryBroker(), 'test');
    const first = await cancelJob(db, other.id);
    expect(await cancelJob(db, other.id)).toEqual(first);
    await expect(cancelJob(db, '00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('deletes jobs that do not run; a deleted QUEUED job releases no other', async () => {
    const job = await submitTest(db, broker, 'test');
    const waiting = await submitTest(db, broker, 'test', { waitsForJobId: job.id });
    await deleteJob(db, job.id);
    expect(await findJob(db, job.id)).toBeUndefined();
    expect((await findJob(db, waiting.id))?.status).toBe('CANCELLED');
    await work({ test: endless, other: done });
    // The queue is served in order, so this job ends after the message of the absent job was settled.
    await untilStatus(db, (await submitTest(db, broker, 'other')).id, 'SUCCEEDED');
    expect(broker.dead).toEqual([]);
    const running = await submitTest(db, broker, 'test');
    await untilStatus(db, running.id, 'RUNNING');
    await expect(deleteJob(db, running.id)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('jobs that wait for another', () => {
  it('are published when that one has succeeded, not before', async () => {
    const first = await submitTest(db, broker, 'test');
    const second = await submitTest(db, broker, 'test', { waitsForJobId: first.id });
    expect(broker.published).toHaveLength(1);
    expect(await claimJob(db, second.id, 'thief', 60)).toBeUndefined();
    await work({ test: done });
    await untilStatus(db, second.id, 'SUCCEEDED');
    expect((await findJob(db, first.id))?.status).toBe('SUCCEEDED');
  });

  it('fail with it, down the chain', async () => {
    const first = await submitTest(db, broker, 'fails');
    const second = await submitTest(db, broker, 'test', { waitsForJobId: first.id });
    const third = await submitTest(db, broker, 'test', { waitsForJobId: second.id });
    await work({ test: done, fails: () => Promise.reject(new Error('no')) });
    expect((await untilStatus(db, second.id, 'FAILED')).error_code).toBe('dependency_failed');
    expect((await untilStatus(db, third.id, 'FAILED')).error_message).toContain(second.id);
    await expect(submitTest(db, broker, 'test', { waitsForJobId: first.id })).rejects.toMatchObject({
      code: 'dependency_failed',
    });
  });

  it('are settled by the reaper when they slipped in while that one ended', async () => {
    const first = await submitTest(db, broker, 'test');
    const second = await submitTest(db, broker, 'test', { waitsForJobId: first.id });
    await sql`update job set status = 'FAILED', finished_at = now() where id = ${first.id}`.execute(db);
    await work({ test: done });
    expect((await untilStatus(db, second.id, 'FAILED')).error_code).toBe('dependency_failed');
  });
});

describe('messages and claims', () => {
  it('runs a job once, however often its message comes', async () => {
    broker.copies = 4;
    let runs = 0;
    await work({
      test: async () => {
        runs++;
        await until(() => broker.settled.length >= 3); // The other copies came meanwhile.
        return done();
      },
    });
    const job = await submitTest(db, broker, 'test');
    await untilStatus(db, job.id, 'SUCCEEDED');
    await until(() => broker.settled.length === 4);
    expect(runs).toBe(1);
    expect(broker.settled.every(({ settlement }) => settlement === 'ack')).toBe(true);
  });

  it('claims many jobs in one statement, each once, also when its message came twice', async () => {
    const jobs = await Promise.all(Array.from({ length: 20 }, () => submitTest(db, broker, 'test')));
    const claims = await Promise.all(
      [...jobs, ...jobs].map(({ id }, index) => claimJob(db, id, index % 2 === 0 ? 'even' : 'odd', 60)),
    );
    const claimed = claims.filter((row) => row !== undefined);
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(20);
    expect(claimed).toHaveLength(20);
    for (const [index, row] of claims.entries()) {
      if (row !== undefined) expect(row.lease_owner).toBe(index % 2 === 0 ? 'even' : 'odd');
    }
    // A claim that was lost settles nothing, and does not keep the others from it.
    const lost = { jobId: jobs[0].id, owner: 'nobody', attempt: 1 };
    const ends = await Promise.all(
      [
        lost,
        ...claimed.map(({ id, lease_owner: owner, attempts: attempt }) => ({
          jobId: id,
          owner: String(owner),
          attempt,
        })),
      ].map((claim, n) => succeedJob(db, claim, { n })),
    );
    expect(ends.map((end) => end?.id)).toEqual([undefined, ...claimed.map(({ id }) => id)]);
    const { rows } = await db.pool.query(
      `select event, count(*)::integer as count from job_event where job_id = any($1::uuid[]) group by event order by event`,
      [jobs.map(({ id }) => id)],
    );
    expect(rows).toEqual([
      { event: 'job.created', count: 20 },
      { event: 'job.started', count: 20 },
      { event: 'job.succeeded', count: 20 },
    ]);
  });

  it('rejects a message that names no job, and drops one whose job is not there', async () => {
    await work({ test: done });
    await broker.publish('svc.jobs', [
      { body: Buffer.from('{"job_id": 7}') },
      { body: Buffer.from('nonsense') },
    ]);
    await broker.publish('svc.jobs', [
      { body: Buffer.from('{"job_id": "00000000-0000-4000-8000-000000000000"}') },
    ]);
    await untilStatus(db, (await submitTest(db, broker, 'test')).id, 'SUCCEEDED');
    expect(broker.dead).toHaveLength(2);
  });

  it('two workers race for 100 jobs, each of which runs once', async () => {
    const runs = new Map<string, number>();
    const run = {
      test: async (_: unknown, context: { jobId: string }) => {
        runs.set(context.jobId, (runs.get(context.jobId) ?? 0) + 1);
        return done();
      },
    };
    broker.copies = 2;
    await work(run, { concurrency: 4 });
    await work(run, { concurrency: 4 });
    const jobs = await Promise.all(Array.from({ length: 100 }, () => submitTest(db, broker, 'test')));
    await Promise.all(jobs.map((job) => untilStatus(db, job.id, 'SUCCEEDED')));
    expect(runs.size).toBe(100);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
  });

  it('never runs more than its concurrency, and leaves the rest of the queue to others', async () => {
    const started = new Map<string, string>();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const run = (name: string) => ({
      test: async (_: unknown, context: { jobId: string }) => {
        started.set(context.jobId, name);
        await gate;
        return done();
      },
    });
    await work(run('a'), { concurrency: 1 });
    const first = await submitTest(db, broker, 'test');
    const second = await submitTest(db, broker, 'test');
    await until(() => started.size === 1);
    // The second delivery waited for a slot and went back.
    await until(() => broker.settled.some(({ settlement }) => settlement === 'requeue'));
    expect(started.size).toBe(1);
    await work(run('b'), { concurrency: 1 });
    await until(() => started.size === 2);
    expect(new Set(started.values())).toEqual(new Set(['a', 'b']));
    open();
    await untilStatus(db, first.id, 'SUCCEEDED');
    await untilStatus(db, second.id, 'SUCCEEDED');
    const third = await submitTest(db, broker, 'test'); // The first worker has come back to its queue.
    await untilStatus(db, third.id, 'SUCCEEDED');
  });

  it('a broker that is down neither fails the request nor loses the job', async () => {
    broker.down = true;
    const job = await submitTest(db, broker, 'test');
    expect((await findJob(db, job.id))?.published_at).toBeNull();
    const refusedBefore = broker.refused;
    await work({ test: done });
    await until(() => broker.refused > refusedBefore);
    broker.down = false;
    await untilStatus(db, job.id, 'SUCCEEDED');
  });

  it('writes domain rows and the job together or not at all', async () => {
    const failing = submitJob({ db, broker }, async (trx) => {
      await sql`insert into query_set (name, entry_count) values ('half', 0)`.execute(trx);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const { rows } = await sql`select 1 from query_set where name = 'half'`.execute(db);
    expect(rows).toHaveLength(0);
  });

  it('publishes again when a message is lost', async () => {
    const job = await submitTest(db, broker, 'test');
    broker.lose('svc.jobs');
    // The housekeeper looks when it starts, and then only every half a minute, so the test waits first.
    await until(async () => (await stalledJobs(db, 'svc.jobs', 0.2, 1)).length === 1);
    await work({ test: done }, { settings: { stalledJobSeconds: 0.2 } });
    await untilStatus(db, job.id, 'SUCCEEDED');
  });
});

describe('leases', () => {
  it('requeues a job whose worker vanished, and fails it after the fourth loss', async () => {
    const job = await submitTest(db, new MemoryBroker(), 'test');
    for (let loss = 1; loss <= 3; loss++) {
      expect(await claimJob(db, job.id, 'ghost', -1)).toMatchObject({ attempts: loss });
      const worker = await startTestWorker({ db, broker, operations: { run: {} }, queues: [] });
      await untilStatus(db, job.id, 'QUEUED');
      await worker.stop();
    }
    await claimJob(db, job.id, 'ghost', -1);
    await work({}, { queues: [] });
    expect(await untilStatus(db, job.id, 'FAILED')).toMatchObject({
      error_code: 'lease_expired',
      lease_losses: 3,
    });
  });

  it('the outcome of a claim that was lost is not written', async () => {
    const job = await submitTest(db, new MemoryBroker(), 'test');
    const lost = await claimJob(db, job.id, 'ghost', -1);
    await work({}, { queues: [] });
    await untilStatus(db, job.id, 'QUEUED');
    await claimJob(db, job.id, 'ghost', 60);
    const claim = { jobId: job.id, owner: 'ghost', attempt: lost?.attempts ?? 0 };
    expect(await succeedJob(db, claim, { wrong: true })).toBeUndefined();
    expect((await findJob(db, job.id))?.status).toBe('RUNNING');
  });

  it('renews the lease of a job that runs longer than it', async () => {
    const firstLeaseIsOver = async (id: string) => {
      const { rows } = await sql<{ over: boolean }>`
        select now() > started_at + interval '1.5 seconds' as over from job where id = ${id}`.execute(db);
      return rows[0].over;
    };
    await work(
      {
        test: async (_, { jobId }) => {
          await until(() => firstLeaseIsOver(jobId));
          return done();
        },
      },
      { settings: { leaseSeconds: 1 } },
    );
    const job = await submitTest(db, broker, 'test');
    expect(await untilStatus(db, job.id, 'SUCCEEDED')).toMatchObject({ attempts: 1, lease_losses: 0 });
  });

  it('fails a job past its deadline, and stops it', async () => {
    let stopped = false;
    await work({
      test: async (_, context) => {
        await endless(_, context).catch(() => {
          stopped = true;
        });
        return done();
      },
    });
    const deadlineAt = new Date(Date.now() + 300).toISOString();
    const job = await submitTest(db, broker, 'test', { deadlineAt });
    expect((await untilStatus(db, job.id, 'FAILED')).error_code).toBe('deadline_passed');
    await until(() => stopped);
  });
});

describe('the default deadline', () => {
  it('applies the default deadline to a job without one', async () => {
    await work({ test: endless }, { settings: { jobDeadlineHours: 0.3 / 3600 } });
    const job = await submitTest(db, broker, 'test');
    expect((await untilStatus(db, job.id, 'FAILED')).error_code).toBe('deadline_passed');
  });
});

describe('stopping', () => {
  it('lets short work finish and gives long work back at once', async () => {
    let finishShort = () => {};
    const gate = new Promise<void>((resolve) => {
      finishShort = resolve;
    });
    const worker = await work({ short: () => gate.then(done), long: endless });
    const short = await submitTest(db, broker, 'short');
    const long = await submitTest(db, broker, 'long');
    await untilStatus(db, short.id, 'RUNNING');
    await untilStatus(db, long.id, 'RUNNING');
    const stopped = worker.stop();
    finishShort();
    await stopped;
    expect((await findJob(db, short.id))?.status).toBe('SUCCEEDED');
    expect(await findJob(db, long.id)).toMatchObject({
      status: 'QUEUED',
      lease_owner: null,
      lease_losses: 0,
    });
    const { rows } = await sql`select 1 from worker_process where id = ${worker.id}`.execute(db);
    expect(rows).toHaveLength(0);
    await work({ long: done });
    await untilStatus(db, long.id, 'SUCCEEDED');
  });
});
