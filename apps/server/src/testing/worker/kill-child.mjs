// The kill tests run this process on the built program. `worker <db> [<amqp>]` runs test operations until it
// is killed or stopped; it starts `isolated <db> [<amqp>]` for suspect work. `api <db> <payload>` commits a
// job and dies before it can publish it.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createEmbeddedBroker } from '../../../dist/work/broker/embedded.js';
import { createRabbitBroker } from '../../../dist/work/broker/rabbitmq.js';
import { enqueueJob } from '../../../dist/work/jobs/submit.js';
import { inTransaction, openDatabase } from '../../../dist/store/postgres/connection.js';
import { fileURLToPath } from 'node:url';
import { FaultLog } from '../../../dist/telemetry/fault-log.js';
import { Dispatcher } from '../../../dist/work/worker/dispatcher.js';
import { runSuspect } from '../../../dist/work/worker/isolated-work.js';
import { inOwnProcess } from '../../../dist/work/worker/isolation.js';
import { defaultWorkerSettings } from '../../../dist/work/worker/settings.js';
import { WorkWatch } from '../../../dist/work/worker/watch.js';
import { startWorker } from '../../../dist/work/worker/worker.js';

const [, , role, url, third] = process.argv;
const db = openDatabase(url, 6);

/**
 * Batch n stores the squares of 10 n to 10 n + 9; each step takes some milliseconds, so that a signal can hit
 * it.
 */
const squaresBatch = {
  name: 'compute_embeddings_batch',
  queue: 'svc.embeddings.batch',
  writeQueue: 'svc.embeddings.write',
  writeName: 'store_embeddings',
  payload: { parse: (payload) => payload },
  async compute({ n, poison }) {
    await sleep(4);
    if (n === poison) process.kill(process.pid, 'SIGKILL');
    return { header: { n }, blocks: [Int32Array.from({ length: 10 }, (_, i) => (n * 10 + i) ** 2)] };
  },
  async write(trx, { header, blocks }, { jobId }) {
    const values = [...blocks[0]];
    await sql`insert into test_product select ${jobId}::uuid, ${header.n}, unnest(${values}::integer[])`.execute(
      trx,
    );
    await sleep(2);
    return { rows: values.length };
  },
  async finish(trx, { jobId }) {
    const { rows } = await sql`select count(*) as n from test_product where job_id = ${jobId}`.execute(trx);
    return { total_rows: rows[0].n };
  },
};

const operations = {
  async squares(payload, context) {
    await context.emit('squares.start');
    await sleep(payload.coordinatorMs ?? 0);
    context.signal.throwIfAborted();
    const batches = Array.from({ length: payload.batches }, (_, n) => ({
      payload: { n, poison: payload.poison },
    }));
    return { kind: 'deferred', batch: squaresBatch.name, batches, result: { batches: batches.length } };
  },
  async slow({ ms }, { signal }) {
    await sleep(ms, undefined, { signal });
    return { kind: 'done', result: { slept: ms } };
  },
};

const catalogue = {
  operation: async (name) => operations[name] && { name, parse: (payload) => payload, run: operations[name] },
  batch: async (name) => (name === squaresBatch.name ? squaresBatch : undefined),
  batchByWriteName: async (name) => (name === squaresBatch.writeName ? squaresBatch : undefined),
};

if (role === 'api') {
  const job = await inTransaction(db, (trx) =>
    enqueueJob(trx, { operation: 'squares', queueName: 'svc.jobs', payload: JSON.parse(third) }),
  );
  process.stdout.write(`${job.id}\n`, () => process.kill(process.pid, 'SIGKILL'));
} else {
  const broker = third ? createRabbitBroker(third) : createEmbeddedBroker(db, { pollMs: 100 });
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  if (role === 'isolated') await runIsolated(broker, log);
  else await work(broker, log);
}

async function runIsolated(broker, log) {
  const work = await new Promise((resolve) => process.once('message', resolve));
  const faults = new FaultLog(log);
  const metrics = { jobFinished() {}, batchFinished() {}, report: async () => {} };
  const watch = new WorkWatch(db, work.owner ?? work.claim.owner, { ...defaultWorkerSettings, faults });
  const runtime = {
    services: { db },
    broker,
    catalogue,
    settings: defaultWorkerSettings,
    metrics,
    log,
    faults,
    watch,
    dispatcher: new Dispatcher({ db, broker }, 2, faults),
    queues: [],
  };
  const result = await runSuspect(
    { ...runtime, owner: work.owner ?? work.claim.owner, isolate: null },
    work,
    new AbortController().signal,
  );
  process.send(result, () => process.exit(0));
}

async function work(broker, log) {
  const worker = await startWorker({
    services: { db },
    broker,
    catalogue,
    queues: ['svc.jobs', 'svc.embeddings.batch', 'svc.embeddings.write'],
    concurrency: 3,
    log,
    isolate: inOwnProcess(fileURLToPath(import.meta.url), ['isolated', url, ...(third ? [third] : [])]),
    settings: {
      watchPeriodMs: 50,
      sweepPeriodMs: 200,
      unpublishedAgeSeconds: 0.5,
      stalledBatchSeconds: 5,
      stopFinishMs: 500,
    },
  });
  process.stdout.write('ready\n');
  process.once('SIGTERM', async () => {
    await worker.stop();
    await broker.close();
    process.exit(0);
  });
}
