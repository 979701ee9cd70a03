import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeQuota } from '../../../accounts/limits.js';
import { inTransaction } from '../../../store/postgres/connection.js';
import { startTestApp, type TestApp } from '../../../testing/test-app.js';
import { anonymous } from '../../../accounts/principal.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ maxSequences: 77, maxResidues: 999 });
});
afterAll(() => test?.close());

const limits = (headers: Record<string, string> = {}) =>
  test.call({ method: 'GET', url: '/v1/annotate/limits', headers });

it('tells the limits of an upload and who may save', async () => {
  const nobody = await limits();
  expect(nobody.status).toBe(200);
  expect(nobody.body).toMatchObject({ max_sequences: 77, max_residues: 999, may_save: false });
  expect(nobody.body.sequences_today).toEqual({ limit: 10, used: 0 });
  const { headers } = await test.account('researcher');
  expect((await limits(headers)).body).toMatchObject({
    may_save: true,
    default_visibility: 'link',
    sequences_today: { limit: 1000, used: 0 },
  });
  const operator = await test.account('operator');
  expect((await limits(operator.headers)).body.sequences_today).toBeNull();
});

it('shows what is used up, and asking takes nothing', async () => {
  const { user, headers } = await test.account('researcher');
  const subject = {
    principal: { ...anonymous, kind: 'account' as const, role: 'researcher' as const, user },
    key: `user:${user.id}`,
  };
  await inTransaction(test.db, (trx) =>
    takeQuota(trx, test.settings, subject, { resource: 'sequences', units: 4 }),
  );
  for (const _again of [1, 2]) expect((await limits(headers)).body.sequences_today.used).toBe(4);
});
