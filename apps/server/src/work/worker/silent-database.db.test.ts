import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { retryPolicy } from '../../ground/retry-policy.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { findJob } from '../../store/jobs/jobs.repository.js';
import { listWorkerProcesses } from '../../store/jobs/worker-processes.repository.js';
import { type SilentProxy, silentProxy } from '../../testing/silent-proxy.js';
import { testDatabase } from '../../testing/test-database.js';
import { startTestWorker, submitTest, until, untilStatus } from '../../testing/worker/harness.js';
import { MemoryBroker } from '../../testing/worker/memory-broker.js';

let database: Awaited<ReturnType<typeof testDatabase>>;
let proxy: SilentProxy;
let direct: Database;
let proxied: Database;

beforeAll(async () => {
  database = await testDatabase();
  proxy = await silentProxy(database.url);
  direct = openDatabase(database.url, 4);
  proxied = openDatabase(proxy.url, 6);
});
afterAll(async () => {
  // The proxy is silent, so the pool must end without an answer.
  await closeDatabase(proxied);
  await proxy.close();
  await closeDatabase(direct);
  await database.close();
});

it('connections that fall silent cost a worker its job, not its life: it stops the work and takes the next', async () => {
  const broker = new MemoryBroker();
  const aborted: string[] = [];
  let begun = false;
  const run = {
    endless: async (_payload: unknown, { signal }: { signal: AbortSignal }) => {
      begun = true;
      if (!signal.aborted) await once(signal, 'abort');
      aborted.push(String(signal.reason?.abortCause));
      throw signal.reason;
    },
    short: async () => ({ kind: 'done' as const, result: { well: true } }),
  };
  const worker = await startTestWorker({
    db: proxied,
    broker,
    operations: { run },
    settings: {
      leaseSeconds: 3,
      retries: { ...retryPolicy, vanishedJob: { ...retryPolicy.vanishedJob, retries: 0 } },
    },
    queues: ['svc.jobs'],
  });
  const lost = await submitTest(direct, broker, 'endless');
  await until(() => begun);
  // The proxy falls silent again and again: a lease that is renewed on a new connection is not lost.
  await until(() => {
    proxy.silence();
    return aborted.length > 0;
  });
  expect(aborted).toEqual(['lease_lost']);
  // The worker answers again, and its housekeeper settles what it lost.
  expect(await untilStatus(direct, lost.id, 'FAILED')).toMatchObject({ error_code: 'lease_expired' });
  const next = await submitTest(direct, broker, 'short');
  expect((await untilStatus(direct, next.id, 'SUCCEEDED')).result).toEqual({ well: true });
  expect(await listWorkerProcesses(direct)).toMatchObject([
    { id: worker.id, draining: false, state: expect.stringMatching(/^(idle|busy)$/) },
  ]);
  proxy.silence();
  await worker.stop();
  await broker.close();
  expect(await findJob(direct, next.id)).toMatchObject({ attempts: 1 });
});
