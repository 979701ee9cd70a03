import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rabbitMqWanted, startPrivateRabbitMq } from '@kindred/testkit';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Broker } from '../broker/broker.js';
import { createEmbeddedBroker } from '../broker/embedded.js';
import { createRabbitBroker } from '../broker/rabbitmq.js';
import { startEmbeddedPostgres } from '../../run/embedded/postgres.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { listBatches } from '../../store/jobs/job-batches.repository.js';
import { findJob, type JobRow } from '../../store/jobs/jobs.repository.js';
import { migrate } from '../../store/migrations/migrate.js';
import { testDatabase } from '../../testing/test-database.js';
import { isInfrastructureError } from './failure.js';
import {
  eventNames,
  makeProductTable,
  products,
  submitTest,
  until,
  untilStatus,
} from '../../testing/worker/harness.js';

/** Real processes run the built program and are killed with SIGKILL. */
const program = fileURLToPath(new URL('../../testing/worker/kill-child.mjs', import.meta.url));
const built = fileURLToPath(new URL('../../../dist/work/worker/worker.js', import.meta.url));
const children = new Set<ChildProcess>();

async function startChild(...args: string[]): Promise<ChildProcess> {
  if (!existsSync(built)) throw new Error(`${built} is missing: run npm run build first`);
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const [ready] = (await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, 'data'),
    once(child, 'exit'),
  ])) as [Buffer | number];
  if (!Buffer.isBuffer(ready)) throw new Error(`the child ended with ${ready} before it was ready`);
  return Object.assign(child, { said: ready.toString().trim() });
}
async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  children.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

const rabbit = rabbitMqWanted() ? startPrivateRabbitMq() : null;
if (!rabbit) {
  process.stderr.write(
    'The RabbitMQ half of the kill tests is skipped: set SVC_TEST_AMQP=local where rabbitmq-server is installed.\n',
  );
}

/** Gives the rows that an undisturbed run stores. */
function expectedSquares(batches: number): { batch: number; value: number }[] {
  return Array.from({ length: batches * 10 }, (_, i) => ({ batch: Math.floor(i / 10), value: i ** 2 }));
}

interface Place {
  db: Database;
  broker: Broker;
  workerArgs: string[];
}

/** Waits until the job has stored `count` more batches, or is closed. */
async function untilStored(db: Database, id: string, count: number): Promise<JobRow> {
  const before = (await findJob(db, id))?.progress_current ?? 0;
  let job: JobRow | undefined;
  await until(async () => {
    job = (await patient(() => findJob(db, id))) as JobRow;
    const closed = job.status !== 'RUNNING' && job.status !== 'QUEUED';
    return closed || job.progress_current >= before + count;
  });
  return job as JobRow;
}

/** The database may be unreachable for a moment, so the work is tried again. */
async function patient<T>(work: () => Promise<T>): Promise<T> {
  let outcome: { value: T } | undefined;
  await until(async () => {
    try {
      outcome = { value: await work() };
    } catch (error) {
      if (!isInfrastructureError(error)) throw error;
    }
    return outcome !== undefined;
  });
  return (outcome as { value: T }).value;
}

async function isAway(db: Database): Promise<boolean> {
  return db.pool.query('select 1').then(
    () => false,
    () => true,
  );
}

async function expectUndisturbed(db: Database, id: string, batches: number): Promise<void> {
  const job = await findJob(db, id);
  expect(job).toMatchObject({ status: 'SUCCEEDED', progress_current: batches, progress_total: batches });
  expect(job?.result).toEqual({ batches, total_rows: batches * 10 });
  expect(await products(db, id)).toEqual(expectedSquares(batches));
  const events = await eventNames(db, id);
  expect(events.filter((name) => name === 'child.store_embeddings.done')).toHaveLength(batches);
  expect(events.filter((name) => name === 'job.succeeded')).toHaveLength(1);
  expect((await listBatches(db, id)).every((row) => row.state === 'stored')).toBe(true);
}

afterAll(async () => {
  await (await rabbit)?.remove();
});

const brokers = [
  { name: 'embedded', amqp: async () => null, runs: true },
  { name: 'rabbitmq', amqp: async () => (await rabbit)?.url ?? null, runs: rabbit !== null },
];

describe.each(brokers)('with the $name broker', ({ amqp, runs }) => {
  if (!runs) {
    it.skip('needs SVC_TEST_AMQP=local', () => {});
    return;
  }
  let place: Place;
  let closing: (() => Promise<void>)[];

  async function open(url: string): Promise<Place> {
    const db = openDatabase(url, 6);
    await makeProductTable(db);
    const rabbitUrl = await amqp();
    const broker = rabbitUrl ? createRabbitBroker(rabbitUrl) : createEmbeddedBroker(db, { pollMs: 100 });
    closing.unshift(
      () => broker.close(),
      () => closeDatabase(db),
    );
    return { db, broker, workerArgs: ['worker', url, ...(rabbitUrl ? [rabbitUrl] : [])] };
  }
  async function openClone(): Promise<void> {
    const database = await testDatabase();
    closing.unshift(() => database.close());
    place = await open(database.url);
  }
  beforeEach(() => {
    closing = [];
  });
  afterEach(async () => {
    for (const child of [...children]) await kill(child);
    for (const close of closing) await close();
  });

  it('SIGKILL of workers in the middle of batches changes nothing in the end', async () => {
    await openClone();
    const batches = 300;
    let victims = [await startChild(...place.workerArgs), await startChild(...place.workerArgs)];
    const job = await submitTest(place.db, place.broker, 'squares', { payload: { batches } });
    for (let n = 0; n < 6; n++) {
      await untilStored(place.db, job.id, 30);
      const [oldest, ...others] = victims;
      // All workers are killed at the same time once.
      const dying = n === 3 ? victims : [oldest];
      await Promise.all(dying.map((victim) => kill(victim)));
      victims = n === 3 ? [] : others;
      while (victims.length < 2) victims.push(await startChild(...place.workerArgs));
    }
    await untilStatus(place.db, job.id, 'SUCCEEDED');
    await expectUndisturbed(place.db, job.id, batches);
  });

  it('a batch that kills its worker fails its own job and no other', async () => {
    await openClone();
    let deaths = 0;
    const keepAlive = async (): Promise<never> => {
      for (;;) {
        const child = await startChild(...place.workerArgs);
        await once(child, 'exit');
        // The hook afterEach takes a child from the set before it ends it.
        if (!children.delete(child)) return new Promise(() => {});
        deaths++;
      }
    };
    const workers = keepAlive();
    const innocent = await submitTest(place.db, place.broker, 'slow', { payload: { ms: 400 } });
    const poisoned = await submitTest(place.db, place.broker, 'squares', {
      payload: { batches: 20, poison: 7 },
    });
    const failed = await Promise.race([untilStatus(place.db, poisoned.id, 'FAILED'), workers]);
    expect(failed.error_message).toMatch(/^Batch 7 .*It ends every process that computes it \(SIGKILL\)/);
    await untilStatus(place.db, innocent.id, 'SUCCEEDED');
    expect(deaths).toBe(2);
    await until(async () => (await place.broker.deadLetters(5)).length === 1);
    await place.broker.purgeDeadLetters();
  });

  it('SIGKILL of the coordinator’s worker: the job is claimed again at once', async () => {
    await openClone();
    const victim = await startChild(...place.workerArgs);
    const payload = { batches: 20, coordinatorMs: 1000 };
    const job = await submitTest(place.db, place.broker, 'squares', { payload });
    await untilStatus(place.db, job.id, 'RUNNING');
    await until(async () => (await eventNames(place.db, job.id)).includes('squares.start'));
    await kill(victim);
    await startChild(...place.workerArgs);
    await untilStatus(place.db, job.id, 'SUCCEEDED');
    expect(await findJob(place.db, job.id)).toMatchObject({ attempts: 2, lease_losses: 1 });
    await expectUndisturbed(place.db, job.id, 20);
  });

  it('SIGKILL of the API between commit and publish loses nothing', async () => {
    await openClone();
    const api = (await startChild('api', place.workerArgs[1], '{"batches": 7}')) as ChildProcess & {
      said: string;
    };
    if (api.signalCode === null) await once(api, 'exit');
    expect(api.signalCode).toBe('SIGKILL');
    expect(await findJob(place.db, api.said)).toMatchObject({ status: 'QUEUED', published_at: null });
    await startChild(...place.workerArgs);
    await untilStatus(place.db, api.said, 'SUCCEEDED');
    await expectUndisturbed(place.db, api.said, 7);
  });

  it('SIGTERM gives running work back within its time, for others to finish', async () => {
    await openClone();
    const first = await startChild(...place.workerArgs);
    const job = await submitTest(place.db, place.broker, 'slow', { payload: { ms: 3000 } });
    await untilStatus(place.db, job.id, 'RUNNING');
    await kill(first, 'SIGTERM');
    expect(first.exitCode).toBe(0);
    expect(await findJob(place.db, job.id)).toMatchObject({ status: 'QUEUED', lease_losses: 0 });
    await startChild(...place.workerArgs);
    await untilStatus(place.db, job.id, 'SUCCEEDED');
  });

  it('SIGKILL of the database server in the middle changes nothing in the end', async () => {
    const folder = join(tmpdir(), `kindred-kill-${process.pid}-${randomBytes(4).toString('hex')}`);
    const settings = { shared_buffers: '32MB' };
    let server = await startEmbeddedPostgres(folder, { settings });
    closing.unshift(async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const own = openDatabase(server.url, 1);
    await migrate(own);
    await closeDatabase(own);
    place = await open(server.url);
    const batches = 150;
    await startChild(...place.workerArgs);
    await startChild(...place.workerArgs);
    const job = await submitTest(place.db, place.broker, 'squares', { payload: { batches } });
    for (let n = 0; n < 3; n++) {
      await untilStored(place.db, job.id, 20);
      process.kill(server.pid, 'SIGKILL');
      await until(() => isAway(place.db));
      server = await startEmbeddedPostgres(folder, { settings });
    }
    await patient(() => untilStatus(place.db, job.id, 'SUCCEEDED'));
    await expectUndisturbed(place.db, job.id, batches);
    for (const child of children) expect(child.exitCode).toBeNull(); // The workers survived the end of the database.
  });
});
