import type { JobStatus } from '@kindred/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertJobEvent } from '../../../store/jobs/jobs.repository.js';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';

let test: TestApp;
let researcher: TestAccount;
let operator: TestAccount;
beforeAll(async () => {
  test = await startTestApp();
  researcher = await test.account('researcher');
  operator = await test.account('operator');
});
afterAll(() => test?.close());
beforeEach(() => test.db.deleteFrom('job').execute());

const ping = { operation: 'ping', queue_name: 'svc.ping' };
const post = (url: string, payload?: unknown, account = researcher, headers: Record<string, string> = {}) =>
  test.call({ method: 'POST', url, payload: payload as object, headers: { ...account.headers, ...headers } });
const absentId = '33333333-3333-4333-8333-333333333333';

describe('POST /jobs', () => {
  it('creates the row, then publishes its id', async () => {
    const made = await post('/v1/jobs', {
      ...ping,
      payload: {},
      meta: { b: 2 },
      tags: ['t'],
      description: 'd',
    });
    expect(made.status).toBe(201);
    expect(made.headers.location).toBe(`/v1/jobs/${made.body.id}`);
    expect(made.body).toMatchObject({
      status: 'QUEUED',
      operation: 'ping',
      tags: ['t'],
      payload: {},
      meta: { b: 2 },
      description: 'd',
      progress_current: 0,
      finished_at: null,
    });
    expect(test.broker.published.at(-1)).toEqual({ queue: 'svc.ping', body: { job_id: made.body.id } });
    const read = await test.call({ url: `/jobs/${made.body.id}` });
    expect(read.body).toMatchObject({
      payload: {},
      meta: { b: 2 },
      description: 'd',
      queue_position: 1,
    });
    expect(read.body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  it('stores ids in lower case, and nothing that the caller did not send', async () => {
    const recipe = { model_name: 'tiny', model_backend: 'test' };
    const config = (await post('/v1/embeddings/configs', recipe, operator)).body;
    const payload = { embedding_config_id: config.id.toUpperCase() };
    const made = await post('/v1/jobs', {
      operation: 'compute_embeddings',
      queue_name: 'svc.embeddings',
      payload,
    });
    expect([made.status, made.body.payload]).toEqual([201, { embedding_config_id: config.id }]);
    expect((await test.call({ url: `/v1/jobs/${made.body.id}` })).body.payload).toEqual(made.body.payload);
  });

  it.each([
    ['an unknown key', { ...ping, color: 'red' }, 'validation_failed', '/color'],
    ['a wrong type', { ...ping, tags: 'x' }, 'validation_failed', '/tags'],
    ['a missing field', { operation: 'ping' }, 'validation_failed', '/queue_name'],
    ['an unknown operation', { operation: 'fly', queue_name: 'svc.ping' }, 'unknown_operation', '/operation'],
    ['another queue', { operation: 'ping', queue_name: 'svc.jobs' }, 'unknown_queue', '/queue_name'],
    [
      'a payload that lacks something',
      { operation: 'compute_embeddings', queue_name: 'svc.embeddings' },
      'validation_failed',
      '/payload/embedding_config_id',
    ],
    [
      'an unknown key in the payload',
      {
        operation: 'compute_embeddings',
        queue_name: 'svc.embeddings',
        payload: { embedding_config_id: absentId, x: 1 },
      },
      'validation_failed',
      '/payload/x',
    ],
    ['an unknown key in an empty payload', { ...ping, payload: { a: 1 } }, 'validation_failed', '/payload/a'],
    [
      'an absent row in the payload',
      {
        operation: 'compute_embeddings',
        queue_name: 'svc.embeddings',
        payload: { embedding_config_id: absentId },
      },
      'validation_failed',
      '/payload/embedding_config_id',
    ],
  ])('refuses %s with 422 and its path', async (_name, body, code, path) => {
    const problem = problemIn(await post('/v1/jobs', body));
    expect(problem).toMatchObject({ status: 422, code });
    expect(problem.errors?.map((error) => error.path)).toContain(path);
  });

  it('refuses what is not JSON, not JSON at all by type, or too large', async () => {
    const send = (payload: string, type: string) =>
      test.call({
        method: 'POST',
        url: '/v1/jobs',
        payload,
        headers: { ...researcher.headers, 'content-type': type },
      });
    expect(problemIn(await send('{"operation":', 'application/json'))).toMatchObject({
      status: 400,
      code: 'malformed_request',
    });
    expect(problemIn(await send('a=b', 'application/x-www-form-urlencoded'))).toMatchObject({ status: 415 });
    expect(problemIn(await send(`"${'x'.repeat(5 << 20)}"`, 'application/json'))).toMatchObject({
      status: 413,
    });
    expect(problemIn(await send('', 'application/json'))).toMatchObject({ status: 422 });
    expect(problemIn(await send('{"operation":"\\u0000"}', 'application/json'))).toMatchObject({
      status: 422,
    });
    expect(problemIn(await post('/v1/jobs?x=1', ping)).errors).toMatchObject([
      { path: '/x', code: 'unrecognized_key' },
    ]);
  });

  it('leaves heavy operations to operators', async () => {
    const heavy = {
      operation: 'load_ontology_snapshot',
      queue_name: 'svc.jobs',
      payload: { obo_url: 'https://x.example/go.obo' },
    };
    expect(problemIn(await post('/v1/jobs', heavy))).toMatchObject({ status: 403, code: 'role_too_low' });
    expect((await post('/v1/jobs', heavy, operator)).status).toBe(201);
  });

  it('answers a repeated Idempotency-Key with the first answer', async () => {
    const key = { 'idempotency-key': 'once' };
    const together = await Promise.all([1, 2, 3].map(() => post('/v1/jobs', ping, researcher, key)));
    expect(new Set(together.map((answer) => answer.body.id)).size).toBe(1);
    expect(together.map((answer) => answer.status)).toEqual([201, 201, 201]);
    expect(together.filter((answer) => answer.headers['idempotency-replayed'] === 'true')).toHaveLength(2);
    expect((await test.call({ url: '/v1/jobs' })).body).toHaveLength(1);
    const other = await post('/v1/jobs', { ...ping, tags: ['other'] }, researcher, key);
    expect(problemIn(other)).toMatchObject({ status: 422, code: 'idempotency_mismatch' });
    expect((await post('/v1/jobs', ping, operator, key)).body.id).not.toBe(together[0].body.id);
    expect(problemIn(await post('/v1/jobs', ping, researcher, { 'idempotency-key': 'a b' })).status).toBe(
      422,
    );
  });
});

describe('limits', () => {
  it('counts requests over all processes and says what is left', async () => {
    const limited = await startTestApp({ rateLimits: { ...test.settings.rateLimits, jobs: '5/hour' } });
    try {
      const { headers } = await limited.account('operator');
      const apps = [limited.app, await limited.sibling()];
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          apps[i % 2].inject({ method: 'POST', url: i % 3 ? '/v1/jobs' : '/jobs', headers, payload: ping }),
        ),
      );
      expect(answers.filter((answer) => answer.statusCode === 201)).toHaveLength(5);
      const refused = answers.filter((answer) => answer.statusCode === 429);
      expect(refused).toHaveLength(35);
      expect(refused[0].json().code).toBe('rate_limited');
      expect(Number(refused[0].headers['retry-after'])).toBeGreaterThan(0);
      expect(refused[0].headers.ratelimit).toMatch(/^"jobs";r=0;t=\d+$/);
    } finally {
      await limited.close();
    }
  });

  it('never lets more jobs through than the quota of the day', async () => {
    const quotas = { ...test.settings.quotas, researcher: { sequencesPerDay: 10, jobsPerDay: 7 } };
    const limited = await startTestApp({ quotas });
    try {
      const { headers } = await limited.account('researcher');
      const apps = [limited.app, await limited.sibling({ quotas })];
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          apps[i % 2].inject({ method: 'POST', url: '/v1/jobs', headers, payload: ping }),
        ),
      );
      expect(answers.filter((answer) => answer.statusCode === 201)).toHaveLength(7);
      const [refused] = answers.filter((answer) => answer.statusCode === 429);
      expect(refused.json()).toMatchObject({ code: 'quota_exceeded' });
      expect((await limited.call({ url: '/v1/jobs?limit=500' })).body).toHaveLength(7);
    } finally {
      await limited.close();
    }
  });
});

describe('GET /jobs', () => {
  it('filters by status in any case and by operation', async () => {
    const { body } = await post('/v1/jobs', ping);
    await post(`/v1/jobs/${body.id}/cancel`);
    await post('/v1/jobs', ping);
    expect((await test.call({ url: '/v1/jobs?status=queued&operation=ping' })).body).toHaveLength(1);
    expect((await test.call({ url: '/v1/jobs?status=CANCELLED' })).body[0].id).toBe(body.id);
    expect(problemIn(await test.call({ url: '/v1/jobs?status=lost' })).errors?.[0].path).toBe('/status');
    expect(problemIn(await test.call({ url: '/v1/jobs?limit=501' })).errors?.[0].path).toBe('/limit');
    expect(problemIn(await test.call({ url: '/v1/jobs?colour=red' })).errors?.[0].path).toBe('/colour');
  });

  it('walks all rows by Link, also those of one microsecond, and by created_at', async () => {
    await test.db
      .insertInto('job')
      .values(
        Array.from({ length: 7 }, () => ({
          operation: 'ping',
          queue_name: 'svc.ping',
          visibility: 'listed' as const,
          created_at: '2026-01-01T00:00:00.000001Z',
        })),
      )
      .execute();
    const seen: string[] = [];
    for (let url: string | undefined = '/v1/jobs?limit=3'; url; ) {
      const page: Awaited<ReturnType<TestApp['call']>> = await test.call({ url });
      seen.push(...page.body.map((job: { id: string }) => job.id));
      expect([page.headers['x-total-count'], page.headers['x-total-is-exact']]).toEqual(['7', undefined]);
      url = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
    }
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
    expect((await test.call({ url: '/v1/jobs?after=2026-01-01T00:00:00.000001Z' })).body).toEqual([]);
    expect((await test.call({ url: '/v1/jobs?after=2026-01-01T00:00:00.000002Z' })).body).toHaveLength(7);
    expect((await test.call({ url: '/v1/jobs?after=2026-01-01T01:00:00+01:00' })).body).toEqual([]);
    // The total counts only the jobs that the caller may find.
    await test.db.updateTable('job').set({ visibility: 'link' }).where('id', '=', seen[0]).execute();
    expect((await test.call({ url: '/v1/jobs' })).headers['x-total-count']).toBe('6');
    expect((await test.call({ url: '/v1/jobs', headers: operator.headers })).headers['x-total-count']).toBe(
      '7',
    );
    expect(problemIn(await test.call({ url: '/v1/jobs?after=yesterday' })).errors?.[0].path).toBe('/after');
  });

  it('refuses malformed ids and names absent ones', async () => {
    expect(problemIn(await test.call({ url: '/v1/jobs/42' })).errors?.[0].path).toBe('/id');
    expect(problemIn(await test.call({ url: `/v1/jobs/${absentId}` }))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });
});

describe('a job of one owner', () => {
  it('says in lists who may change it', async () => {
    const other = await test.account('researcher');
    const { body: job } = await post('/v1/jobs', ping);
    const may = async (headers = {}) => {
      const { body } = await test.call({ url: '/v1/jobs', headers });
      return body.find((row: { id: string }) => row.id === job.id).may_change;
    };
    expect([await may(), await may(other.headers)]).toEqual([false, false]);
    expect([await may(researcher.headers), await may(operator.headers)]).toEqual([true, true]);
  });

  it('says to whom it may be cancelled', async () => {
    const other = await test.account('researcher');
    const { body: job } = await post('/v1/jobs', ping);
    const may = async (headers = {}) =>
      (await test.call({ url: `/v1/jobs/${job.id}`, headers })).body.may_cancel;
    expect([await may(), await may(other.headers)]).toEqual([false, false]);
    expect([await may(researcher.headers), await may(operator.headers)]).toEqual([true, true]);
    await post(`/v1/jobs/${job.id}/cancel`);
    expect(await may(researcher.headers)).toBe(false);
  });

  it('is cancelled and deleted by him or an operator alone', async () => {
    const other = await test.account('researcher');
    const { body: job } = await post('/v1/jobs', ping);
    expect(problemIn(await post(`/v1/jobs/${job.id}/cancel`, undefined, other))).toMatchObject({
      status: 403,
      code: 'not_owner',
    });
    const remove = (account: TestAccount) =>
      test.call({ method: 'DELETE', url: `/v1/jobs/${job.id}`, headers: account.headers });
    expect(problemIn(await remove(other))).toMatchObject({ code: 'not_owner' });
    expect((await post(`/v1/jobs/${job.id}/cancel`, {}, operator)).body.status).toBe('CANCELLED');
    expect((await post(`/v1/jobs/${job.id}/cancel`)).status).toBe(200);
    expect((await remove(researcher)).status).toBe(204);
    expect((await remove(researcher)).status).toBe(404);
  });

  it('is not cancelled when finished, not deleted while running', async () => {
    const { body: job } = await post('/v1/jobs', ping);
    const set = (status: JobStatus) =>
      test.db.updateTable('job').set({ status }).where('id', '=', job.id).execute();
    await set('SUCCEEDED');
    expect(problemIn(await post(`/v1/jobs/${job.id}/cancel`))).toMatchObject({
      status: 409,
      code: 'conflict',
    });
    await set('RUNNING');
    const removal = await test.call({
      method: 'DELETE',
      url: `/v1/jobs/${job.id}`,
      headers: researcher.headers,
    });
    expect(problemIn(removal)).toMatchObject({ status: 409 });
  });
});

describe('comments', () => {
  it('come oldest first and must not be empty', async () => {
    const { body: job } = await post('/v1/jobs', ping);
    const url = `/v1/jobs/${job.id}/comments`;
    expect((await post(url, { body: ' first ', author: 'Ada' })).body).toMatchObject({
      body: 'first',
      author: 'Ada',
      job_id: job.id,
    });
    expect((await post(url, { body: 'second' })).status).toBe(201);
    // The author may be any text, but the account is the real one.
    const { username } = researcher.user;
    const read = async (headers: Record<string, string>) =>
      (await test.call({ url, headers })).body.map((one: { account: unknown; author: unknown }) => [
        one.account,
        one.author,
      ]);
    expect(await read(operator.headers)).toEqual([
      [username, 'Ada'],
      [username, null],
    ]);
    expect(await read({})).toEqual([
      [null, 'Ada'],
      [null, null],
    ]);
    expect((await test.call({ url })).body.map((comment: { body: string }) => comment.body)).toEqual([
      'first',
      'second',
    ]);
    const page = await test.call({ url: `${url}?limit=1` });
    const next = /<([^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1] as string;
    expect((await test.call({ url: next })).body[0].body).toBe('second');
    expect(problemIn(await post(url, { body: '  ' })).errors?.[0].path).toBe('/body');
    expect(problemIn(await test.call({ url: `/v1/jobs/${absentId}/comments` })).status).toBe(404);
  });
});

describe('events', () => {
  it('come as JSON, newest first, with a cursor', async () => {
    const { body: job } = await post('/v1/jobs', ping);
    await insertJobEvent(test.db, { jobId: job.id, event: 'ping.start', fields: { n: 1 } });
    const { body } = await test.call({ url: `/v1/jobs/${job.id}/events` });
    expect(body.map((row: { event: string }) => row.event)).toEqual(['ping.start', 'job.created']);
    expect(Object.keys(body[0]).sort()).toEqual([
      'event',
      'fields',
      'id',
      'job_id',
      'level',
      'message',
      'ts',
    ]);
    const after = (cursor: string, limit = 200) =>
      test.call({ url: `/v1/jobs/${job.id}/events?limit=${limit}&after=${encodeURIComponent(cursor)}` });
    const names = (page: { body: { event: string }[] }) => page.body.map((row) => row.event);
    expect((await after(body[0].ts)).body).toEqual([]);
    await insertJobEvent(test.db, { jobId: job.id, event: 'ping.middle' });
    await insertJobEvent(test.db, { jobId: job.id, event: 'ping.end' });
    expect(names(await after(body[0].ts))).toEqual(['ping.middle', 'ping.end']);
    const first = await after('1970-01-01T00:00:00Z', 3);
    expect(names(first)).toEqual(['job.created', 'ping.start', 'ping.middle']);
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] as string;
    expect(names(await test.call({ url: next }))).toEqual(['ping.end']);
    expect(problemIn(await test.call({ url: `/v1/jobs/${job.id}/events?limit=2001` })).status).toBe(422);
  });

  it('link from the newest to the first, none lost or doubled, also at one moment', async () => {
    const { body: job } = await post('/v1/jobs', ping);
    for (let n = 0; n < 6; n++) await insertJobEvent(test.db, { jobId: job.id, event: `ping.${n}` });
    await test.db
      .updateTable('job_event')
      .set({ ts: '2026-01-01T00:00:00Z' })
      .where('job_id', '=', job.id)
      .execute();
    const seen: string[] = [];
    let url: string | undefined = `/v1/jobs/${job.id}/events?limit=3`;
    while (url !== undefined) {
      const page = await test.call({ url });
      expect(page.headers['x-total-count']).toBe('7');
      seen.push(...page.body.map((row: { event: string }) => row.event));
      url = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
    }
    expect(seen).toEqual([...[5, 4, 3, 2, 1, 0].map((n) => `ping.${n}`), 'job.created']);
    const both = '2026-01-01T00:00:00Z';
    const refused = await test.call({ url: `/v1/jobs/${job.id}/events?after=${both}&before=${both}` });
    expect(problemIn(refused).errors).toMatchObject([
      { path: '/before', message: 'give after or before, not both' },
    ]);
  });

  it('are streamed to a caller so many times at once, and again when one has ended', async () => {
    const { body: job } = await post('/v1/jobs', ping);
    const url = `/v1/jobs/${job.id}/events`;
    const base = await test.app.listen({ port: 0, host: '127.0.0.1' });
    const open = () => fetch(`${base}${url}`, { headers: { accept: 'text/event-stream' } });
    const streams = await Promise.all(Array.from({ length: 20 }, open));
    expect(streams.map((one) => one.status)).toEqual(streams.map(() => 200));
    const refused = await open();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    expect(((await refused.json()) as { code: string }).code).toBe('rate_limited');
    expect((await test.call({ url })).status).toBe(200);
    await post(`/v1/jobs/${job.id}/cancel`);
    await Promise.all(streams.map((one) => one.text()));
    expect((await open()).status).toBe(200);
  });

  it('come as a stream until the job ends, and go on after Last-Event-ID', async () => {
    const { body: job } = await post('/v1/jobs', ping);
    const url = `/v1/jobs/${job.id}/events`;
    const headers = { accept: 'text/event-stream' };
    const whole = test.call({ url, headers });
    await insertJobEvent(test.db, {
      jobId: job.id,
      event: 'ping.start',
      message: 'reads file:///srv/import/go.obo',
    });
    await post(`/v1/jobs/${job.id}/cancel`);
    const { body, headers: answered } = await whole;
    expect(body).toContain('"message":"reads go.obo"');
    const full = await test.call({ url, headers: { ...headers, ...operator.headers } });
    expect(full.body).toContain('"message":"reads file:///srv/import/go.obo"');
    expect(answered['content-type']).toContain('text/event-stream');
    const ids = [...body.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(body).toContain('"event":"ping.start"');
    expect(body).toContain('"status":"CANCELLED"');
    const resumed = await test.call({ url, headers: { ...headers, 'last-event-id': String(ids[0]) } });
    expect(resumed.body).not.toContain(`id: ${ids[0]}\n`);
    expect(resumed.body).toContain(`id: ${ids[1]}\n`);
    const done = await test.call({ url, headers: { ...headers, 'last-event-id': String(ids.at(-1)) } });
    expect(done.status).toBe(204);
    expect(problemIn(await test.call({ url, headers: { ...headers, 'last-event-id': 'x' } })).status).toBe(
      422,
    );
  });
});
