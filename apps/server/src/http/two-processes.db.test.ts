import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Memory } from '../ground/memory.js';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { buildApp } from './app.js';
import { startTestApp, type TestApp, testSettings } from '../testing/test-app.js';
import { createMetrics } from '../telemetry/metrics.js';

const requests = 200;
let test: TestApp;
let otherDb: Database;
let other: FastifyInstance;
beforeAll(async () => {
  const settings = {
    rateLimits: { ...testSettings.rateLimits, api_keys: '9/hour' },
    roleRates: { operator: { api_keys: '14/hour' } },
    quotas: { ...testSettings.quotas, researcher: { sequencesPerDay: 37, jobsPerDay: 23 } },
  };
  test = await startTestApp(settings);
  // The second app works like a second process: it has its own connections and state, and shares the
  // database.
  otherDb = openDatabase(test.url, 8);
  const { broker } = test;
  other = await buildApp({
    db: otherDb,
    broker,
    plugins: undefined as never,
    artifacts: test.artifacts,
    compute: test.compute,
    memory: new Memory(),
    checkAddress: async () => {},
    checkWebhookAddress: () => {},
    settings: { ...test.settings, ...settings },
    log: null,
    metrics: createMetrics(otherDb),
    mail: null,
  });
});
afterAll(async () => {
  await other?.close();
  await closeDatabase(otherDb);
  await test?.close();
});

/** Counts how many of 200 requests, half at each app, got each status. */
async function storm(make: (n: number) => InjectOptions): Promise<Record<number, number>> {
  const answers = await Promise.all(
    Array.from({ length: requests }, (_, n) => (n % 2 === 0 ? test.app : other).inject(make(n))),
  );
  const counts: Record<number, number> = {};
  for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1;
  return counts;
}

describe('200 requests at once at two processes', () => {
  it.each([
    ['admin', 9],
    ['operator', 14],
  ] as const)('pass as often as the rate limit of a %s says', async (role, limit) => {
    const { headers } = await test.account(role);
    const counts = await storm((n) => ({
      method: 'POST',
      url: '/v1/auth/api-keys',
      headers,
      payload: { name: `key ${n}` },
    }));
    expect(counts).toEqual({ 201: limit, 429: requests - limit });
  });

  it('queue as many jobs as the daily quota has', async () => {
    const { headers } = await test.account('researcher');
    const payload = { operation: 'ping', queue_name: 'svc.ping' };
    const counts = await storm(() => ({ method: 'POST', url: '/v1/jobs', headers, payload }));
    expect(counts).toEqual({ 201: 23, 429: requests - 23 });
  });

  it('guess a password five times before the wait begins', async () => {
    const { user } = await test.account('researcher');
    const payload = { email: user.email, password: 'a guess' };
    const counts = await storm(() => ({ method: 'POST', url: '/v1/auth/login', payload }));
    expect(counts).toEqual({ 401: 5, 429: requests - 5 });
  });
});
