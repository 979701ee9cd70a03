import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { maxWebhooks } from '@kindred/contracts/resources/webhooks';
import { patience } from '@kindred/testkit';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { createPoster } from '../../../ground/sources/poster.js';
import { claimJob, failJobs, succeedJob } from '../../../store/jobs/job-transitions.repository.js';
import { inTransaction } from '../../../store/postgres/db.js';
import {
  claimDeliveries,
  type ClaimedDelivery,
  settleDelivered,
} from '../../../store/jobs/webhook-deliveries.repository.js';
import { deleteWebhook, lockWebhook } from '../../../store/jobs/webhooks.repository.js';
import { type StubServer, startStubServer } from '../../../testing/stub-server.js';
import { WebhookSender } from '../../../work/webhooks/sender.js';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';

interface Received {
  path: string;
  headers: Record<string, string>;
  text: string;
}

let test: TestApp;
let stub: StubServer;
let sender: WebhookSender;
let owner: TestAccount;
const received: Received[] = [];
const faults: unknown[] = [];
/** The next answers have these statuses, by path; later ones have 204. */
const answers = new Map<string, number[]>();

beforeAll(async () => {
  stub = await startStubServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const headers = request.headers as Record<string, string>;
      received.push({ path, headers, text: Buffer.concat(chunks).toString() });
      response.writeHead(answers.get(path)?.shift() ?? 204).end();
    });
  });
  const poster = createPoster({ allowedHosts: [stub.host], userAgent: 'kindred/test' });
  test = await startTestApp({}, null, { checkWebhookAddress: poster.check });
  sender = new WebhookSender({
    db: test.db,
    poster,
    serverSecret: test.settings.jwtSecret,
    periodMs: 20,
    onFault: (error) => faults.push(error),
  });
});
afterAll(async () => {
  await sender?.stop();
  await test?.close();
  await stub?.close();
  expect(faults).toEqual([]);
});
beforeEach(async () => {
  owner = await test.account('researcher');
  received.length = 0;
});

const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object, as = owner) =>
  test.call({ method, url: `/v1${url}`, payload, headers: as.headers });

async function hook(path: string, more: object = {}): Promise<{ id: string; secret: string }> {
  const made = await call('POST', '/webhooks', { url: `${stub.url}${path}`, ...more });
  expect(made.status).toBe(201);
  return made.body;
}

async function job(): Promise<string> {
  const made = await call('POST', '/jobs', { operation: 'ping', queue_name: 'svc.ping' });
  return made.body.id;
}

async function succeed(id: string, result: Record<string, unknown>): Promise<void> {
  const row = await claimJob(test.db, id, 'test', 60);
  await succeedJob(test.db, { jobId: id, owner: 'test', attempt: row?.attempts ?? 0 }, result);
}

const deliveriesOf = async (id: string) => (await call('GET', `/webhooks/${id}/deliveries`)).body;

/** Checks a signature as a receiver does. */
function isSigned({ headers, text }: Received, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  const wanted = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return headers['webhook-signature'].split(' ').includes(wanted);
}

async function dueNow(): Promise<void> {
  await sql`update webhook_delivery set next_attempt_at = clock_timestamp() where state = 'waiting'`.execute(
    test.db,
  );
  await sql`update webhook set not_before = clock_timestamp()`.execute(test.db);
}

it('sends each end of a job once, signed, to its owner alone', async () => {
  const other = await test.account('researcher');
  await call('POST', '/webhooks', { url: `${stub.url}/other` }, other);
  const { id, secret } = await hook('/all');
  const [succeeded, failed, cancelled] = [await job(), await job(), await job()];
  await succeed(succeeded, { rows: 3, file: 'file:///srv/secret/go.obo' });
  await inTransaction(test.db, (trx) => failJobs(trx, [failed], 'bad_file', 'The file is empty.'));
  await call('POST', `/jobs/${cancelled}/cancel`);
  await call('DELETE', `/jobs/${cancelled}`);
  await vi.waitFor(() => expect(received).toHaveLength(3), patience);
  const messages = received.map(({ text }) => JSON.parse(text));
  expect(messages.map(({ type, data }) => [type, data.id, data.status])).toEqual([
    ['job.succeeded', succeeded, 'SUCCEEDED'],
    ['job.failed', failed, 'FAILED'],
    ['job.cancelled', cancelled, 'CANCELLED'],
  ]);
  expect(messages[0].data).toMatchObject({ operation: 'ping', result: { rows: 3, file: 'go.obo' } });
  expect(messages[1].data).toMatchObject({ error_code: 'bad_file', error_message: 'The file is empty.' });
  const shown = await call('GET', `/jobs/${succeeded}`);
  expect(messages[0].timestamp).toBe(shown.body.finished_at);
  for (const message of received) {
    expect(message).toMatchObject({ path: '/all', headers: { 'content-type': 'application/json' } });
    expect(isSigned(message, secret)).toBe(true);
    expect(isSigned({ ...message, text: `${message.text} ` }, secret)).toBe(false);
  }
  await vi.waitFor(async () => {
    const listed = await deliveriesOf(id);
    expect(listed.map((row: { state: string }) => row.state)).toEqual(Array(3).fill('delivered'));
  }, patience);
  const ids = (await deliveriesOf(id)).map((row: { id: string }) => row.id);
  expect(received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(ids.sort());
});

it('queues with the end of the job, in one transaction, and only what is asked for', async () => {
  const every = await hook('/every');
  const failures = await hook('/failures', { events: ['job.failed'] });
  const others = await hook('/others', { operations: ['predict_go_terms'] });
  const undone = await job();
  const broken = inTransaction(test.db, async (trx) => {
    await failJobs(trx, [undone], 'bad_file', 'x');
    throw new Error('undone');
  });
  await expect(broken).rejects.toThrow('undone');
  await succeed(await job(), { long: 'x'.repeat(20_000) });
  await vi.waitFor(() => expect(received).toHaveLength(1), patience);
  // The message leaves the result out, because the job has it.
  expect(JSON.parse(received[0].text).data.result).toBeNull();
  expect(await deliveriesOf(every.id)).toHaveLength(1);
  expect(await deliveriesOf(failures.id)).toEqual([]);
  expect(await deliveriesOf(others.id)).toEqual([]);
});

it('tries again with the same id until it is taken, and says why not', async () => {
  answers.set('/slow', [500, 301]);
  const { id } = await hook('/slow');
  expect((await call('POST', `/webhooks/${id}/ping`)).status).toBe(202);
  for (const [attempts, status] of [
    [1, 500],
    [2, 301],
  ]) {
    await vi.waitFor(async () => {
      const [row] = await deliveriesOf(id);
      expect(row).toMatchObject({ attempts, state: 'waiting', response_status: status });
      expect(row.error).toContain(String(status));
      expect(Date.parse(row.next_attempt_at)).toBeGreaterThan(Date.parse(row.last_attempt_at));
    }, patience);
    expect((await call('GET', `/webhooks/${id}`)).body).toMatchObject({ failures: attempts, enabled: true });
    await dueNow();
  }
  await vi.waitFor(
    async () =>
      expect(await deliveriesOf(id)).toMatchObject([{ attempts: 3, state: 'delivered', event: 'ping' }]),
    patience,
  );
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(received).toHaveLength(3);
  expect((await call('GET', `/webhooks/${id}`)).body).toMatchObject({ failures: 0, failing_since: null });
});

it('sends again what a killed process was sending', async () => {
  await sender.stop();
  const { id } = await hook('/killed');
  await call('POST', `/webhooks/${id}/ping`);
  const [lost, ...more] = await claimDeliveries(test.db, 5, 60);
  expect([lost.webhook_id, more]).toEqual([id, []]);
  // The delivery is held, so that nobody else sends it.
  expect(await claimDeliveries(test.db, 5, 60)).toEqual([]);
  // The lease of the delivery ends now.
  await sql`update webhook set sending_until = clock_timestamp() - interval '1 second' where id = ${id}`.execute(
    test.db,
  );
  const poster = createPoster({ allowedHosts: [stub.host], userAgent: 'kindred/test' });
  const { db, settings } = test;
  sender = new WebhookSender({
    db,
    poster,
    serverSecret: settings.jwtSecret,
    periodMs: 20,
    onFault: (error) => faults.push(error),
  });
  await vi.waitFor(
    () => expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([lost.id]),
    patience,
  );
});

it('can be deleted while one of its messages is settled', async () => {
  const { id } = await hook('/busy');
  const { rows } =
    await sql<ClaimedDelivery>`insert into webhook_delivery (webhook_id, event, next_attempt_at)
    values (${id}, 'ping', clock_timestamp() + interval '1 hour') returning id, webhook_id`.execute(test.db);
  let settled: Promise<void> | undefined;
  await inTransaction(test.db, async (trx) => {
    await lockWebhook(trx, id);
    settled = inTransaction(test.db, (other) => settleDelivered(other, rows[0], 204));
    await vi.waitFor(async () => {
      const waiting = await sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(test.db);
      expect(waiting.rows).not.toEqual([]);
    }, patience);
    await deleteWebhook(trx, id);
  });
  await settled;
  expect(problemIn(await call('GET', `/webhooks/${id}`)).status).toBe(404);
});

it('is disabled, with the reason, when nothing was taken for a day or the receiver is gone', async () => {
  answers.set('/dead', [500]);
  const dead = await hook('/dead');
  await sql`update webhook set failing_since = clock_timestamp() - interval '25 hours' where id = ${dead.id}`.execute(
    test.db,
  );
  await call('POST', `/webhooks/${dead.id}/ping`);
  answers.set('/gone', [410]);
  const gone = await hook('/gone');
  await call('POST', `/webhooks/${gone.id}/ping`);
  for (const [id, reason] of [
    [dead.id, 'Nothing was delivered for 24 hours. The answer was 500.'],
    [gone.id, 'The receiver answered 410 Gone.'],
  ]) {
    await vi.waitFor(
      async () =>
        expect((await call('GET', `/webhooks/${id}`)).body).toMatchObject({
          enabled: false,
          disabled_reason: reason,
        }),
      patience,
    );
    expect(await deliveriesOf(id)).toMatchObject([{ state: 'failed' }]);
    expect(problemIn(await call('POST', `/webhooks/${id}/ping`)).status).toBe(409);
  }
  await succeed(await job(), {});
  expect(await deliveriesOf(dead.id)).toHaveLength(1);
  const again = await call('PATCH', `/webhooks/${dead.id}`, { enabled: true });
  expect(again.body).toMatchObject({ enabled: true, disabled_reason: null, failures: 0 });
  await call('POST', `/webhooks/${dead.id}/ping`);
  await vi.waitFor(async () => expect((await deliveriesOf(dead.id))[0].state).toBe('delivered'), patience);
  const admin = await test.account('admin');
  const log = await call('GET', `/admin/audit?target=webhook:${dead.id}`, undefined, admin);
  expect(log.body.map((entry: { action: string }) => entry.action)).toEqual([
    'webhook_change',
    'webhook_disable',
    'webhook_create',
  ]);
  expect(JSON.stringify(log.body)).not.toContain('/dead');
});

it('a delivery of more than a day has failed, and the webhook goes on', async () => {
  answers.set('/old', [503]);
  const { id } = await hook('/old');
  await sql`insert into webhook_delivery (webhook_id, event, created_at)
    values (${id}, 'ping', clock_timestamp() - interval '25 hours')`.execute(test.db);
  await vi.waitFor(
    async () => expect((await deliveriesOf(id))[0]).toMatchObject({ state: 'failed', attempts: 1 }),
    patience,
  );
  expect((await call('GET', `/webhooks/${id}`)).body.enabled).toBe(true);
});

it('shows a secret once, and signs with the former one too after a rotation', async () => {
  const { id, secret } = await hook('/rotated');
  for (const url of ['/webhooks', `/webhooks/${id}`])
    expect(JSON.stringify((await call('GET', url)).body)).not.toContain('whsec_');
  const { rows } = await sql`select * from webhook where id = ${id}`.execute(test.db);
  expect(JSON.stringify(rows)).not.toContain(secret);
  const rotated = await call('POST', `/webhooks/${id}/rotate-secret`);
  expect(rotated.status).toBe(200);
  expect(rotated.headers['cache-control']).toBe('no-store');
  await call('POST', `/webhooks/${id}/ping`);
  await vi.waitFor(() => expect(received).toHaveLength(1), patience);
  expect(isSigned(received[0], secret)).toBe(true);
  expect(isSigned(received[0], rotated.body.secret)).toBe(true);
  await sql`update webhook set previous_secret_until = clock_timestamp() where id = ${id}`.execute(test.db);
  await call('POST', `/webhooks/${id}/ping`);
  await vi.waitFor(() => expect(received).toHaveLength(2), patience);
  expect(isSigned(received[1], secret)).toBe(false);
  expect(isSigned(received[1], rotated.body.secret)).toBe(true);
});

it('sends nothing with a secret that is not the one shown', async () => {
  const { id } = await hook('/changed');
  await sql`update webhook set secret_sha256 = ${'0'.repeat(64)} where id = ${id}`.execute(test.db);
  await call('POST', `/webhooks/${id}/ping`);
  await vi.waitFor(
    async () => expect((await deliveriesOf(id))[0].error).toContain('SVC_JWT_SECRET'),
    patience,
  );
  expect(received).toEqual([]);
});

it("hides another's webhooks, except from an admin", async () => {
  const { id } = await hook('/mine');
  const stranger = await test.account('operator');
  for (const [method, url] of [
    ['GET', `/webhooks/${id}`],
    ['GET', `/webhooks/${id}/deliveries`],
    ['PATCH', `/webhooks/${id}`],
    ['POST', `/webhooks/${id}/ping`],
    ['POST', `/webhooks/${id}/rotate-secret`],
    ['DELETE', `/webhooks/${id}`],
  ] as const) {
    const payload = method === 'PATCH' ? { enabled: false } : undefined;
    expect(problemIn(await call(method, url, payload, stranger)).status).toBe(404);
  }
  const list = `/webhooks?user_id=${owner.user.id}`;
  expect(problemIn(await call('GET', list, undefined, stranger)).code).toBe('role_too_low');
  const admin = await test.account('admin');
  expect((await call('GET', list, undefined, admin)).body).toMatchObject([{ id }]);
  expect((await call('GET', '/webhooks', undefined, stranger)).body).toEqual([]);
  expect((await call('DELETE', `/webhooks/${id}`)).status).toBe(204);
  expect(problemIn(await call('GET', `/webhooks/${id}`)).status).toBe(404);
});

it('refuses forbidden addresses, unknown events, and more than the limit', async () => {
  const url = 'https://127.0.0.1/';
  expect(problemIn(await call('POST', '/webhooks', { url })).code).toBe('address_refused');
  const { id } = await hook('/one');
  expect(problemIn(await call('PATCH', `/webhooks/${id}`, { url })).code).toBe('address_refused');
  const unknown = await call('POST', '/webhooks', { url: `${stub.url}/`, events: ['job.started'] });
  expect(problemIn(unknown).errors?.[0].path).toBe('/events/0');
  for (let count = 1; count < maxWebhooks; count++) await hook(`/${count}`);
  expect(problemIn(await call('POST', '/webhooks', { url: `${stub.url}/` })).code).toBe('conflict');
});
