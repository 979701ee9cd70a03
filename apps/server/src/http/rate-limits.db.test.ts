import { fillCatalogue } from '../testing/tiny-catalogue.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestApp, testPassword, testSettings } from '../testing/test-app.js';

let test: TestApp;
beforeAll(async () => {
  const limited = {
    jobs: '1/day',
    api_keys: '1/day',
    api_key_login: '1/day',
    login: '1/day',
    support: '1/day',
    uploads: '8/day',
    previews: '1/day',
  };
  test = await startTestApp({ rateLimits: { ...testSettings.rateLimits, ...limited } });
});
afterAll(() => test?.close());

const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
  test.call({ method: 'POST', url, payload, headers });

it('count a job when it is valid, not what was refused before', async () => {
  const { headers } = await test.account('researcher');
  const ping = { operation: 'ping', queue_name: 'svc.ping' };
  const absent = { embedding_config_id: crypto.randomUUID() };
  const mistakes: [object, number][] = [
    [{ ...ping, colour: 'red' }, 422],
    [{ operation: 'ping' }, 422],
    [{ operation: 'nothing', queue_name: 'svc.ping' }, 422],
    [{ operation: 'compute_embeddings', queue_name: 'svc.embeddings', payload: absent }, 422],
    [{ operation: 'load_ontology_snapshot', queue_name: 'svc.jobs', payload: {} }, 403],
  ];
  for (const [body, status] of mistakes)
    expect([body, (await post('/v1/jobs', body, headers)).status]).toEqual([body, status]);
  expect((await post('/v1/jobs', ping, headers)).status).toBe(201);
  expect(problemIn(await post('/v1/jobs', ping, headers)).code).toBe('rate_limited');
});

it('count keys, exchanges and thumbs-up when they are valid', async () => {
  const { headers, key } = await test.account('operator');
  const tries: [string, object, object][] = [
    ['/v1/auth/api-keys', { name: '' }, { name: 'laptop' }],
    ['/v1/auth/api-key-login', { api_key: key, ttl_seconds: 1 }, { api_key: key }],
    ['/v1/support', { comment: 1 }, {}],
  ];
  for (const [url, mistake, right] of tries) {
    for (let i = 0; i < 3; i++) expect([url, (await post(url, mistake, headers)).status]).toEqual([url, 422]);
    expect([url, (await post(url, right, headers)).status]).toEqual([url, expect.toBeOneOf([200, 201])]);
    expect([url, problemIn(await post(url, right, headers)).code]).toEqual([url, 'rate_limited']);
  }
});

it('count score previews that were computed, for a caller without an account as well', async () => {
  const { predictionSetId } = await fillCatalogue(test.db);
  const url = `/v1/scoring/prediction-sets/${predictionSetId}/preview`;
  const tries = [{ proteins: 99 }, {}, {}];
  const statuses: number[] = [];
  for (const payload of tries) statuses.push((await post(url, payload)).status);
  expect(statuses).toEqual([422, 200, 429]);
});

it('count a wrong password', async () => {
  const { user } = await test.account('researcher');
  expect((await post('/v1/auth/login', { email: user.email })).status).toBe(422);
  expect((await post('/v1/auth/login', { email: user.email, password: 'wrong' })).status).toBe(401);
  expect(problemIn(await post('/v1/auth/login', { email: user.email, password: testPassword })).code).toBe(
    'rate_limited',
  );
});

it('are taken before the body is read', async () => {
  const { headers } = await test.account('researcher');
  const large = {
    headers: { ...headers, 'content-type': 'application/json' },
    payload: `"${'a'.repeat(1 << 20)}"`,
  };
  const send = () => test.call({ method: 'POST', url: '/v1/jobs', ...large });
  expect(problemIn(await send()).code).toBe('payload_too_large');
  expect((await post('/v1/jobs', { operation: 'ping', queue_name: 'svc.ping' }, headers)).status).toBe(201);
  expect(problemIn(await send()).code).toBe('rate_limited');
});

it('do not count the answer of an earlier request with the same Idempotency-Key', async () => {
  const { headers } = await test.account('operator');
  const app = await test.sibling({ rateLimits: { ...testSettings.rateLimits, jobs: '2/day' } });
  const ping = async (key: string) =>
    app.inject({
      method: 'POST',
      url: '/v1/jobs',
      payload: { operation: 'ping', queue_name: 'svc.ping' },
      headers: { ...headers, 'idempotency-key': key },
    });
  const answers = [];
  for (const key of ['a', 'a', 'a', 'b', 'c']) answers.push(await ping(key));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201, 429]);
  expect(answers[2].headers['idempotency-replayed']).toBe('true');
});

describe('of uploads', () => {
  const check = (fasta_text: string, remoteAddress: string) =>
    test.app.inject({ method: 'POST', url: '/v1/annotate/check', payload: { fasta_text }, remoteAddress });

  it('count those that are refused, for each caller apart', async () => {
    const statuses = async (address: string) => {
      const found = [];
      for (let i = 0; i < 9; i++) found.push((await check('>a\nMK4\n', address)).statusCode);
      return found;
    };
    const expected = [...Array(8).fill(422), 429];
    expect(await statuses('192.0.2.1')).toEqual(expected);
    expect(await statuses('192.0.2.2')).toEqual(expected);
  });

  it('are at most four at the same time for an anonymous caller', async () => {
    const statuses = (address: string, count: number) =>
      Promise.all(Array.from({ length: count }, async () => (await check('>a\nMK4\n', address)).statusCode));
    const [six, other] = await Promise.all([statuses('192.0.2.3', 6), statuses('192.0.2.4', 2)]);
    expect(six.sort()).toEqual([422, 422, 422, 422, 429, 429]);
    expect(other).toEqual([422, 422]);
    expect(await statuses('192.0.2.3', 2)).toEqual([422, 422]);
  });
});
