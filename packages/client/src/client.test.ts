import { routeRows } from '@kindred/contracts/routes';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { checkReply } from './check.js';
import { Client, nextCursor } from './client.js';
import { Problem } from './problem.js';

afterEach(() => vi.unstubAllGlobals());

function answerWith(...replies: (Response | Error)[]) {
  const asked = vi.fn(async (..._call: [string, RequestInit]) => {
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (reply instanceof Response) return reply.clone();
    throw reply;
  });
  vi.stubGlobal('fetch', asked);
  return asked;
}
const json = (body: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(body), init);

async function refusal(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => null,
    (caught: unknown) => caught,
  );
  if (!(error instanceof Problem)) throw new Error(`no problem but ${String(error)}`);
  return error;
}

const jobId = '00000000-0000-4000-8000-000000000001';
const job = {
  id: jobId,
  operation: 'ping',
  queue_name: 'svc.ping',
  status: 'RUNNING',
  parent_job_id: null,
  waits_for_job_id: null,
  progress_current: 0,
  progress_total: null,
  description: null,
  findings: null,
  tags: [],
  error_code: null,
  error_message: null,
  attempts: 1,
  request_id: null,
  visibility: 'link',
  created_at: '2026-01-01T00:00:00Z',
  started_at: null,
  finished_at: null,
  payload: {},
  meta: {},
  result: null,
  queue_position: null,
  eta_seconds: null,
  may_cancel: false,
  may_change: false,
};

it('writes addresses below /v1, with parameters escaped and undefined left out', () => {
  const client = new Client({ baseUrl: 'http://host:1/' });
  expect(client.address('/jobs', { query: { status: undefined, limit: 5, operation: 'a b' } })).toBe(
    'http://host:1/v1/jobs?limit=5&operation=a+b',
  );
  expect(new Client().address('/proteins/:accession', { params: { accession: 'a/b' } })).toBe(
    '/v1/proteins/a%2Fb',
  );
});

it('reads the cursor out of a Link header', () => {
  const link = '</v1/jobs>; rel="successor-version", </v1/jobs?limit=50&after=2026_a%2Bb>; rel="next"';
  expect(nextCursor(link)).toBe('2026_a+b');
  expect(nextCursor('</v1/jobs>; rel="prev"')).toBeNull();
  expect(nextCursor(null)).toBeNull();
});

it('gives a page of a list with the cursor of the next', async () => {
  answerWith(json([job], { headers: { link: '</v1/jobs?after=x>; rel="next"' } }));
  expect(await new Client().page('/jobs')).toEqual({ rows: [job], next: 'x' });
});

it('throws the problem document', async () => {
  const errors = [{ path: '/name', message: 'too long', code: 'too_big' }];
  const body = {
    title: 'Unprocessable Entity',
    detail: '/name: too long',
    code: 'validation_failed',
    errors,
  };
  answerWith(json(body, { status: 422, headers: { 'retry-after': '7' } }));
  const problem = await refusal(new Client().get('/jobs'));
  expect(problem.message).toBe('/name: too long');
  expect(problem.document).toMatchObject({
    status: 422,
    code: 'validation_failed',
    errors: [{ path: '/name', message: 'too long' }],
    retryAfterSeconds: 7,
  });
});

it('has a sentence for answers of something else, and for none', async () => {
  answerWith(new Response('<html>Bad gateway</html>', { status: 502 }));
  expect((await refusal(new Client().get('/jobs'))).message).toMatch(/HTTP 502/);
  answerWith(new TypeError('fetch failed'));
  expect((await refusal(new Client().get('/jobs'))).document).toMatchObject({ status: 0, code: 'no_answer' });
});

it('sends JSON as JSON and a form as a form, and takes an empty answer', async () => {
  const asked = answerWith(new Response(null, { status: 204 }));
  const client = new Client({ headers: { authorization: 'ApiKey k' } });
  expect(await client.post('/auth/logout')).toBeNull();
  await client.post('/auth/magic-link/request', { body: { email: 'a@b.c' } });
  await client.post('/annotate', {
    form: new FormData(),
    query: { auto_predict: true },
    headers: { 'idempotency-key': 'k' },
  });
  const [, json_, form] = asked.mock.calls;
  expect(json_[1]).toMatchObject({
    body: '{"email":"a@b.c"}',
    headers: { 'content-type': 'application/json', authorization: 'ApiKey k' },
  });
  expect(form[0]).toBe('/v1/annotate?auto_predict=true');
  expect(form[1].headers).not.toHaveProperty('content-type');
  expect(form[1].headers).toMatchObject({ 'idempotency-key': 'k' });
});

it('writes a streamed form again for each attempt', async () => {
  const bodies: string[] = [];
  const limited = { status: 429, headers: { 'retry-after': '0' } };
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_address, init) => {
    let text = '';
    for await (const piece of init?.body as unknown as AsyncIterable<Uint8Array>) text += piece;
    bodies.push(text);
    expect(init).toMatchObject({
      duplex: 'half',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    return bodies.length === 1 ? new Response('', limited) : new Response(null, { status: 204 });
  });
  const form = {
    type: 'multipart/form-data; boundary=b',
    async *bytes() {
      yield 'one ' as unknown as Uint8Array;
      yield 'two' as unknown as Uint8Array;
    },
  };
  await new Client({ waitWhenLimited: true }).post('/references/files', { form });
  expect(bodies).toEqual(['one two', 'one two']);
});

it('refuses a reply that is not what the contracts declare, naming the field', async () => {
  answerWith(json({ ...job, progress_current: 'half' }));
  const client = new Client({ check: checkReply });
  const problem = await refusal(client.get('/jobs/:id', { params: { id: jobId } }));
  expect(problem.document.code).toBe('invalid_reply');
  expect(problem.message).toMatch(/GET \/jobs\/:id .*\/progress_current/);
  answerWith(json(job));
  expect(await client.get('/jobs/:id', { params: { id: jobId } })).toEqual(job);
});

it('finds the schema of every JSON reply', async () => {
  const declared = routeRows.flatMap(({ method, path, reply }) =>
    Object.entries(reply).flatMap(([status, one]) =>
      one instanceof z.ZodType || one?.content['application/json'] !== undefined
        ? [{ method, path, status: Number(status) }]
        : [],
    ),
  );
  expect(declared.length).toBeGreaterThan(100);
  for (const reply of declared) {
    const found = await checkReply(reply, Symbol('no JSON')).catch(String);
    expect(String(found), JSON.stringify(reply)).not.toContain('declares no JSON reply');
  }
  const absent = { method: 'GET', path: '/jobs/nowhere', status: 200 } as const;
  await expect(checkReply(absent, [])).rejects.toThrow('declares no JSON reply');
});

it('waits for a job over an outage, and throws its reason when it fails', async () => {
  const done = { ...job, status: 'SUCCEEDED', result: { n: 1 } };
  answerWith(json(job), new TypeError('fetch failed'), new Response('', { status: 503 }), json(done));
  const seen: string[] = [];
  vi.useFakeTimers();
  try {
    const finished = new Client().finish(jobId, { onUpdate: ({ status }) => seen.push(status) });
    await vi.runAllTimersAsync();
    expect((await finished).result).toEqual({ n: 1 });
  } finally {
    vi.useRealTimers();
  }
  expect(seen).toEqual(['RUNNING', 'SUCCEEDED']);
  answerWith(json({ ...job, status: 'FAILED', error_message: 'no such file' }));
  expect((await refusal(new Client().finish(jobId))).message).toMatch(/ping.*no such file/);
});

it('waits as long as a 429 says where that is wanted', async () => {
  const limited = () => json({ detail: 'slow down' }, { status: 429, headers: { 'retry-after': '0' } });
  answerWith(limited(), json([]));
  expect(await new Client({ waitWhenLimited: true }).get('/jobs')).toEqual([]);
  answerWith(limited(), json([]));
  expect((await refusal(new Client().get('/jobs'))).document.status).toBe(429);
});

it('asks again, without being asked to, while the service makes what the answer needs', async () => {
  const counting = (headers: Record<string, string>) =>
    json({ detail: 'counting', code: 'being_counted' }, { status: 503, headers });
  const asked = answerWith(counting({ 'retry-after': '0' }), counting({ 'retry-after': '0' }), json([]));
  expect(await new Client().get('/jobs')).toEqual([]);
  expect(asked).toHaveBeenCalledTimes(3);
  // A proxy that takes the header away must not make a client ask without a pause.
  answerWith(counting({}), json([]));
  expect((await refusal(new Client().get('/jobs'))).document.code).toBe('being_counted');
});

it('leaves no listener on a signal that outlives many polls', async () => {
  const { signal } = new AbortController();
  const listening = new Set<unknown>();
  vi.spyOn(signal, 'addEventListener').mockImplementation((_type, listener) => void listening.add(listener));
  vi.spyOn(signal, 'removeEventListener').mockImplementation(
    (_type, listener) => void listening.delete(listener),
  );
  const running = json(job);
  answerWith(running, running, running, json({ ...job, status: 'SUCCEEDED' }));
  await new Client().finish(jobId, { signal, pollMs: 1 });
  expect(signal.addEventListener).toHaveBeenCalledTimes(3);
  expect(listening.size).toBe(0);
});

it('stops at the next wait when the signal was aborted before', async () => {
  const asked = answerWith(json(job));
  const reason = new Error('the page was left');
  await expect(new Client().finish(jobId, { signal: AbortSignal.abort(reason), pollMs: 1 })).rejects.toBe(
    reason,
  );
  expect(asked).toHaveBeenCalledTimes(1);
});
