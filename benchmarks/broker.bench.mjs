// The embedded broker beside graphile-worker, on the same server with every commit on disk, alternating so that a busy machine meets both.
// Messages a second, median of the rounds. docs/adr/0002-embedded-broker.md quotes one run.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEmbeddedBroker } from '@kindred/server/broker/embedded';
import { startEmbeddedPostgres } from '@kindred/server/embedded/postgres';
import { closeDatabase, openDatabase } from '@kindred/server/store/postgres/connection';
import { migrate } from '@kindred/server/store/migrations/migrate';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';

const rounds = Number(process.env.ROUNDS ?? 3);
const single = 500;
const bulk = 10_000;
const perStatement = 1000;
const queue = 'svc.jobs';
const quiet = new Logger(() => () => {});

const folder = join(tmpdir(), `kindred-bench-${process.pid}-${randomBytes(4).toString('hex')}`);
const server = await startEmbeddedPostgres(folder);
const db = openDatabase(server.url, 10);
await migrate(db);
const utils = await makeWorkerUtils({ connectionString: server.url, logger: quiet });
await utils.migrate();

const drivers = [ours(), graphile()];
/** @type {[string, number, (driver: any) => Promise<number>][]} */
const tasks = [
  ['publish one by one', single, (driver) => driver.publishSingly(single)],
  ['publish 1,000 a call', bulk, (driver) => driver.publishBulk(bulk)],
  ['consume, 1 at once', 1000, (driver) => driver.consume(1000, 1)],
  ['consume, 16 at once', bulk, (driver) => driver.consume(bulk, 16)],
  ['consume, 100 at once', bulk, (driver) => driver.consume(bulk, 100)],
];
const rates = tasks.map(() => drivers.map(() => []));
for (let round = 0; round < rounds; round++) {
  for (const [index, [, count, work]] of tasks.entries()) {
    for (const [which, driver] of drivers.entries()) {
      rates[index][which].push(count / (await work(driver)));
      await driver.clear();
    }
  }
}
const latencies = [await latency(drivers[0]), await latency(drivers[1])];
report();
await utils.release();
await closeDatabase(db);
await server.stop();
await rm(folder, { recursive: true });

function ours() {
  const publish = async (count, size) => {
    const broker = createEmbeddedBroker(db);
    const message = { body: Buffer.from('{"job_id":"00000000-0000-4000-8000-000000000000"}') };
    const seconds = await timed(async () => {
      for (let sent = 0; sent < count; sent += size) await broker.publish(queue, Array(size).fill(message));
    });
    await broker.close();
    return seconds;
  };
  return {
    name: 'own driver',
    publishSingly: (count) => publish(count, 1),
    publishBulk: (count) => publish(count, perStatement),
    consume: async (count, prefetch) => {
      await publish(count, perStatement);
      const broker = createEmbeddedBroker(db);
      const seconds = await timed(async () => {
        await countTo(count, (one) => broker.consume(queue, prefetch, async () => (one(), 'ack')));
      });
      await broker.close();
      return seconds;
    },
    listen: async (heard) => {
      const broker = createEmbeddedBroker(db);
      await broker.consume(queue, 10, async () => (heard(), 'ack'));
      const send = () => broker.publish(queue, [{ body: Buffer.from('x') }]);
      return { send, stop: () => broker.close() };
    },
    clear: () => db.pool.query('truncate broker.message'),
  };
}

function graphile() {
  const publish = (count, size) =>
    timed(async () => {
      const payload = { job_id: '00000000-0000-4000-8000-000000000000' };
      for (let sent = 0; sent < count; sent += size) {
        if (size === 1) await utils.addJob('task', payload);
        else await utils.addJobs(Array.from({ length: size }, () => ({ identifier: 'task', payload })));
      }
    });
  const start = (concurrency, task) =>
    run({
      connectionString: server.url,
      concurrency,
      noHandleSignals: true,
      logger: quiet,
      taskList: { task },
      // Its fastest way: a local queue that fetches as many jobs in one statement as ours does.
      preset: concurrency > 1 ? { worker: { localQueue: { size: concurrency } } } : undefined,
    });
  return {
    name: 'graphile-worker 0.17.3',
    publishSingly: (count) => publish(count, 1),
    publishBulk: (count) => publish(count, perStatement),
    consume: async (count, concurrency) => {
      await publish(count, perStatement);
      let runner;
      const seconds = await timed(() =>
        countTo(count, async (one) => {
          runner = await start(concurrency, async () => one());
        }),
      );
      await runner.stop();
      return seconds;
    },
    listen: async (heard) => {
      const runner = await start(10, async () => heard());
      return { send: () => utils.addJob('task', {}), stop: () => runner.stop() };
    },
    clear: () => db.pool.query('truncate graphile_worker._private_jobs'),
  };
}

/** Resolves at the `count`th call of the function that `start` gets. */
async function countTo(count, start) {
  let seen = 0;
  await /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      const one = () => {
        seen += 1;
        if (seen === count) resolve();
      };
      start(one).catch(reject);
    })
  );
}

async function timed(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Milliseconds from the call of publish to the handler, one message at a time. */
async function latency(driver) {
  let heard = () => {};
  const { send, stop } = await driver.listen(() => heard());
  await sleep(500);
  const times = [];
  for (let index = 0; index < 100; index++) {
    const arrival = new Promise((resolve) => {
      heard = () => resolve(performance.now());
    });
    const start = performance.now();
    await Promise.all([send(), arrival]);
    times.push((await arrival) - start);
    await sleep(2);
  }
  await stop();
  await driver.clear();
  return times.sort((a, b) => a - b);
}

function report() {
  const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
  const figure = (value) => Math.round(value).toLocaleString('en').padStart(9);
  console.log(
    `messages a second, median of ${rounds} rounds`.padEnd(50),
    ...drivers.map(({ name }) => name.padStart(24)),
    '   ratio',
  );
  for (const [index, [name]] of tasks.entries()) {
    const [a, b] = rates[index].map(median);
    console.log(
      name.padEnd(50),
      figure(a).padStart(24),
      figure(b).padStart(24),
      (a / b).toFixed(1).padStart(8),
    );
  }
  for (const share of [0.5, 0.95]) {
    const [a, b] = latencies.map((times) => times[Math.floor(times.length * share)]);
    console.log(
      `latency, ms, ${share * 100}th percentile`.padEnd(50),
      a.toFixed(1).padStart(24),
      b.toFixed(1).padStart(24),
    );
  }
}
