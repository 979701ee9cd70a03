import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeQuota, takeRate } from '../../../accounts/limits.js';
import { anonymous } from '../../../accounts/principal.js';
import { inTransaction } from '../../../store/postgres/connection.js';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';

let test: TestApp;
let admin: TestAccount;
beforeAll(async () => {
  test = await startTestApp({ maxSequences: 77, roleRates: { operator: { jobs: '50/minute' } } });
  admin = await test.account('admin');
});
afterAll(() => test?.close());

const quotas = (headers: Record<string, string> = admin.headers) =>
  test.call({ url: '/v1/admin/quotas', headers });

const take = (who: TestAccount | null, resource: 'sequences' | 'jobs', units: number) => {
  const principal =
    who === null
      ? anonymous
      : { ...anonymous, kind: 'account' as const, role: 'researcher' as const, user: who.user };
  const key = who === null ? 'ip:0123456789abcdef' : `user:${who.user.id}`;
  return inTransaction(test.db, (trx) =>
    takeQuota(trx, test.settings, { principal, key }, { resource, units }),
  );
};

it('shows the limits that apply, with the settings that change them', async () => {
  const { status, body } = await quotas();
  expect(status).toBe(200);
  expect(body.daily).toContainEqual({ role: 'viewer', sequences_per_day: 10, jobs_per_day: 0 });
  expect(body.daily).toContainEqual({ role: 'admin', sequences_per_day: null, jobs_per_day: null });
  expect(body.rates).toContainEqual({
    name: 'jobs',
    routes: expect.stringMatching(/^POST \/jobs, .*POST \/references\/install/),
    setting: 'SVC_RATELIMIT_JOBS',
    rate: test.settings.rateLimits.jobs,
    of_roles: [{ role: 'operator', rate: '50/minute' }],
  });
  expect(body.sizes).toContainEqual({
    setting: 'SVC_MAX_SEQUENCES',
    meaning: 'Maximum number of sequences per upload',
    value: 77,
  });
  expect(Date.parse(body.today.resets_at)).toBeGreaterThan(Date.now());
});

it('shows who used how much today, the most first; rates and other days do not count', async () => {
  const [one, other] = [await test.account('researcher'), await test.account('researcher')];
  await take(one, 'sequences', 3);
  await take(other, 'sequences', 8);
  await take(other, 'jobs', 2);
  await take(null, 'sequences', 5);
  await takeRate(test.db, 'jobs', [{ limit: 9, periodSeconds: 60 }], `user:${admin.user.id}`);
  await test.db
    .insertInto('quota')
    .values({
      ...{ key: `user:${admin.user.id}`, resource: 'sequences_per_day', count: 100, limit: 1000 },
      period_start: new Date(Date.now() - 30 * 3_600_000).toISOString(),
    })
    .execute();
  const { today } = (await quotas()).body;
  expect(today.caller_count).toBe(3);
  expect(today.callers).toEqual([
    {
      ...{ user_id: other.user.id, username: other.user.username, email: other.user.email },
      ...{ role: 'researcher', sequences: { used: 8, limit: 1000 }, jobs: { used: 2, limit: 100 } },
    },
    {
      ...{ user_id: null, username: null, email: null, role: 'viewer' },
      ...{ sequences: { used: 5, limit: 10 }, jobs: { used: 0, limit: 0 } },
    },
    {
      ...{ user_id: one.user.id, username: one.user.username, email: one.user.email },
      ...{ role: 'researcher', sequences: { used: 3, limit: 1000 }, jobs: { used: 0, limit: 100 } },
    },
  ]);
});

it('is for administrators', async () => {
  expect(problemIn(await quotas({})).status).toBe(401);
  const { headers } = await test.account('operator');
  expect(problemIn(await quotas(headers)).status).toBe(403);
});
