import { afterEach, expect, it, vi } from 'vitest';
import { Problem, sentencesOf } from './problem.js';
import { apiPath, getJson, nextCursor, post, submissionKey } from './request.js';

afterEach(() => vi.unstubAllGlobals());

function answerWith(response: Response | Error) {
  const asked = vi.fn(async (..._call: [string, RequestInit]) => {
    if (response instanceof Error) throw response;
    return response;
  });
  vi.stubGlobal('fetch', asked);
  return asked;
}

async function refusal(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => null,
    (caught: unknown) => caught,
  );
  if (!(error instanceof Problem)) throw new Error(`no problem but ${String(error)}`);
  return error;
}

it('writes addresses below /v1', () => {
  expect(apiPath('/jobs', { status: undefined, limit: 5, operation: 'a b' })).toBe(
    '/v1/jobs?limit=5&operation=a+b',
  );
  expect(apiPath('/jobs')).toBe('/v1/jobs');
});

it('reads the cursor out of a Link header', () => {
  const link = '</v1/jobs>; rel="successor-version", </v1/jobs?limit=50&after=2026_a%2Bb>; rel="next"';
  expect(nextCursor(link)).toBe('2026_a+b');
  expect(nextCursor('</v1/jobs>; rel="prev"')).toBeNull();
  expect(nextCursor(null)).toBeNull();
});

it('turns a problem document into sentences', async () => {
  const body = {
    title: 'Unprocessable Entity',
    status: 422,
    detail: '/name: too long (and 1 more)',
    code: 'validation_failed',
    errors: [
      { path: '/name', message: 'too long', code: 'too_big' },
      { path: '/x', message: 'unknown key; remove it', code: 'unrecognized_key' },
    ],
  };
  answerWith(new Response(JSON.stringify(body), { status: 422, headers: { 'retry-after': '7' } }));
  const problem = await refusal(getJson('/jobs'));
  expect(problem.document).toMatchObject({ status: 422, code: 'validation_failed', retryAfterSeconds: 7 });
  expect(sentencesOf(problem).sentences).toEqual([
    '/name: too long (and 1 more)',
    '/x: unknown key; remove it',
  ]);
});

it('has a sentence for answers of something else, and for none', async () => {
  answerWith(new Response('<html>Bad gateway</html>', { status: 502 }));
  expect((await refusal(getJson('/jobs'))).message).toMatch(/HTTP 502/);
  answerWith(new TypeError('fetch failed'));
  expect((await refusal(getJson('/jobs'))).document).toMatchObject({ status: 0, code: 'no_answer' });
});

it('sends JSON as JSON and a form as a form, and takes an empty answer', async () => {
  const asked = answerWith(new Response(null, { status: 204 }));
  expect(await post('/auth/logout')).toBeUndefined();
  await post('/auth/login', { email: 'a' });
  await post('/annotate', new FormData(), {
    query: { auto_predict: true },
    headers: { 'idempotency-key': 'k' },
  });
  const [, json, form] = asked.mock.calls;
  expect(json[1]).toMatchObject({ body: '{"email":"a"}', headers: { 'content-type': 'application/json' } });
  expect(form[0]).toBe('/v1/annotate?auto_predict=true');
  expect(form[1].headers).toEqual({ accept: 'application/json', 'idempotency-key': 'k' });
});

it('makes a new key for each submission', () => {
  expect(submissionKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(submissionKey()).not.toBe(submissionKey());
});
