import type { Socket } from 'node:net';
import { sql } from 'kysely';
import { patience } from '@kindred/testkit';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { GuardedClient } from '../store/postgres/guarded-driver.js';
import { startTestApp, type TestAccount, type TestApp } from '../testing/test-app.js';
import { fillCatalogue } from '../testing/tiny-catalogue.js';

/** The driver's client has these members, but does not declare them. */
interface DriverInside {
  connection: { stream: Socket };
  connectionParameters: { application_name: string };
}

let test: TestApp;
let admin: TestAccount;
let address: string;
/** Apps receive notices of changes on these sockets. While a socket is held up, its notices are late. */
const notices: Socket[] = [];

beforeAll(async () => {
  const { connect } = GuardedClient.prototype;
  vi.spyOn(GuardedClient.prototype, 'connect').mockImplementation(function (
    this: GuardedClient,
    ...done: []
  ) {
    const { connection, connectionParameters } = this as unknown as DriverInside;
    if (connectionParameters.application_name === 'kindred-listen') notices.push(connection.stream);
    return connect.apply(this, done);
  });
  test = await startTestApp();
  await fillCatalogue(test.db);
  admin = await test.account('admin');
  address = await test.app.listen({ port: 0, host: '127.0.0.1' });
  await vi.waitFor(async () => {
    await get('/v1/proteins/P00001');
    expect(await kept(() => get('/v1/proteins/P00001'))).toBe(true);
  }, patience);
});
afterEach(() => hold(false));
afterAll(async () => {
  vi.restoreAllMocks();
  await test?.close();
});

const get = async (path: string, headers: Record<string, string> = admin.headers) =>
  // biome-ignore lint/suspicious/noExplicitAny: answers of any route
  (await fetch(address + path, { headers })).json() as Promise<any>;

/** Returns true if the request was answered from memory. */
async function kept(ask: () => Promise<unknown>): Promise<boolean> {
  const hits = async () => {
    const text = await (await fetch(`${address}/metrics`)).text();
    return Number(/^http_kept_replies_total\{outcome="kept"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const before = await hits();
  await ask();
  return (await hits()) > before;
}

function hold(isHeld: boolean): void {
  for (const stream of notices) stream[isHeld ? 'pause' : 'resume']();
}

/**
 * Makes a request while notices are held up, until it is answered or asks for the notices, and gives the
 * reply.
 */
async function askBeforeNotices(path: string, headers = admin.headers): Promise<Record<string, unknown>> {
  const written = () => notices.reduce((sum, stream) => sum + stream.bytesWritten, 0);
  const before = written();
  const reply = get(path, headers);
  await Promise.race([
    reply,
    vi.waitFor(() => expect(written()).toBeGreaterThan(before), { ...patience, interval: 5 }),
  ]);
  hold(false);
  return reply;
}

it('answers from memory while nothing is written, without asking for notices', async () => {
  const first = await get('/v1/proteins/P00001');
  // A reply that asked for notices now would wait for them.
  hold(true);
  expect(await get('/v1/proteins/P00001')).toEqual(first);
});

it('gives no reply from before a job that this process has shown as ended', async () => {
  const job = await test.call({
    method: 'POST',
    url: '/v1/jobs',
    headers: admin.headers,
    payload: { operation: 'ping', queue_name: 'svc.ping' },
  });
  for (const [name, show] of [
    ['BY_SHOW', () => get(`/v1/jobs/${job.body.id}`)],
    ['BY_LIST', () => get('/v1/jobs')],
  ] as const) {
    await get('/v1/proteins/P00001');
    hold(true);
    await sql`update protein set gene_name = ${name} where accession = 'P00001'`.execute(test.db);
    await show();
    expect(await askBeforeNotices('/v1/proteins/P00001')).toMatchObject({ gene_name: name });
  }
});

it('gives no reply from before an event of a stream', async () => {
  const { body } = await test.call({
    method: 'POST',
    url: '/v1/jobs',
    headers: admin.headers,
    payload: { operation: 'ping', queue_name: 'svc.ping' },
  });
  const stream = await fetch(`${address}/v1/jobs/${body.id}/events`, {
    headers: { ...admin.headers, accept: 'text/event-stream' },
  });
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  const until = async (word: string) => {
    for (let text = ''; !text.includes(word); ) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended before ${word}: ${text}`);
      text += Buffer.from(value).toString();
    }
  };
  await until('QUEUED');
  await get('/v1/proteins/P00002');
  hold(true);
  await sql`update protein set gene_name = 'STREAM' where accession = 'P00002'`.execute(test.db);
  await sql`update job set status = 'CANCELLED', finished_at = now() where id = ${body.id}`.execute(test.db);
  await until('CANCELLED');
  expect(await askBeforeNotices('/v1/proteins/P00002')).toMatchObject({ gene_name: 'STREAM' });
  await reader.cancel();
});

it('counts again what it shares between requests, also where another process wrote', async () => {
  const total = async () => (await get('/v1/proteins/stats')).total;
  const before = await total();
  hold(true);
  await sql`
    insert into protein (accession, canonical_accession, sequence_id, length)
    select 'P00009', 'P00009', sequence_id, length from protein where accession = 'P00001'`.execute(test.db);
  expect(await askBeforeNotices('/v1/proteins/stats')).toMatchObject({ total: before + 1 });
});

it('computes for who asks with no-cache, whatever this process has heard', async () => {
  const fresh = { ...admin.headers, 'cache-control': 'no-cache' };
  await get('/v1/proteins?limit=1');
  hold(true);
  await sql`delete from protein where accession = 'P00009'`.execute(test.db);
  const { total } = await askBeforeNotices('/v1/proteins?limit=1', fresh);
  expect(total).toBe((await get('/v1/proteins/stats')).total);
});

it('knows no protein after the database was reset', async () => {
  expect((await get('/v1/proteins/stats')).total).toBeGreaterThan(0);
  expect((await get('/v1/showcase')).counts.proteins).toBeGreaterThan(0);
  expect((await get('/v1/proteins?limit=2')).total).toBeGreaterThan(0);
  expect((await get('/v1/annotations/snapshots')).length).toBeGreaterThan(0);
  const reset = await test.call({ method: 'POST', url: '/v1/admin/reset-db', headers: admin.headers });
  expect(reset.status).toBe(200);
  expect((await get('/v1/proteins/stats', {})).total).toBe(0);
  expect((await get('/v1/showcase', {})).counts.proteins).toBe(0);
  expect((await get('/v1/proteins?limit=2', {})).total).toBe(0);
  expect(await get('/v1/annotations/snapshots', {})).toEqual([]);
});
