import { afterAll, beforeAll, expect, it } from 'vitest';
import { reportWorkerProcess } from '../../../store/jobs/worker-processes.repository.js';
import { problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test?.close());

it('shows worker processes and queues to operators', async () => {
  await reportWorkerProcess(test.db, {
    id: 'w1',
    role: 'worker',
    host: 'h',
    pid: 7,
    queues: ['svc.ping'],
    version: '1',
  });
  const { headers } = await test.account('operator');
  const { body } = await test.call({ url: '/v1/workers/status', headers });
  expect(body.workers).toMatchObject([
    { id: 'w1', pid: 7, queues: ['svc.ping'], running_jobs: 0, state: 'idle' },
  ]);
  expect(body.queues).toContainEqual({ name: 'svc.embeddings.batch', depth: 0 });
});

it('says how much the database takes and what is left on the disk, if there is a folder to ask', async () => {
  const { headers } = await test.account('operator');
  const { storage } = (await test.call({ url: '/v1/workers/status', headers })).body;
  expect(storage).toEqual({
    database_bytes: expect.any(Number),
    disk_free_bytes: null,
    disk_size_bytes: null,
  });
  expect(storage.database_bytes).toBeGreaterThan(1_000_000);
  const withFolder = await test.sibling({ cacheDir: import.meta.dirname });
  const asked = (await withFolder.inject({ url: '/v1/workers/status', headers })).json().storage;
  expect(asked.disk_size_bytes).toBeGreaterThan(asked.disk_free_bytes);
});

it('says what a worker does: busy, idle, draining or lost', async () => {
  const { headers } = await test.account('operator');
  const stateAfter = async (change: { working?: number; draining?: boolean }, silentSeconds = 0) => {
    const row = { id: 'w1', role: 'worker', host: 'h', pid: 7, queues: [], version: '1', ...change };
    await reportWorkerProcess(test.db, row);
    await test.db.pool.query("update worker_process set last_seen_at = now() - $1 * interval '1 second'", [
      silentSeconds,
    ]);
    const { body } = await test.call({ url: '/v1/workers/status', headers });
    return body.workers[0].state;
  };
  expect(await stateAfter({ working: 2 })).toBe('busy');
  expect(await stateAfter({})).toBe('idle');
  expect(await stateAfter({ working: 2, draining: true })).toBe('draining');
  expect(await stateAfter({ working: 2, draining: true }, 31)).toBe('lost');
});

it('lists, replays and purges dead letters for admins', async () => {
  const { headers } = await test.account('admin');
  const list = await test.call({ url: '/v1/admin/dlq', headers });
  expect(list.body).toMatchObject([
    { id: '1', from_queue: 'svc.ping', job_id: '00000000-0000-4000-8000-000000000001' },
  ]);
  const replay = (payload?: object) =>
    test.call({ method: 'POST', url: '/v1/admin/dlq/replay', headers, payload });
  expect((await replay()).body).toEqual({ replayed: 1 });
  expect((await replay({ max_messages: 5 })).body).toEqual({ replayed: 1 });
  expect(problemIn(await replay({ max_messages: 0 })).errors?.[0].path).toBe('/max_messages');
  expect((await test.call({ method: 'POST', url: '/v1/admin/dlq/purge', headers })).body).toEqual({
    purged: 1,
  });
});
