import { afterAll, beforeAll, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test?.close());

const mint = (headers: Record<string, string>, payload: object) =>
  test.call({ method: 'POST', url: '/v1/auth/api-keys', payload, headers });

it('shows a key once, stores its hash, and stops it when revoked', async () => {
  const owner = await test.account('operator');
  const made = await mint(owner.headers, { name: 'laptop' });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    name: 'laptop',
    role: 'operator',
    revoked_at: null,
    user_id: owner.user.id,
  });
  expect(made.body.key).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(made.body.prefix).toBe(made.body.key.slice(0, 8));
  const use = { authorization: `ApiKey ${made.body.key}` };
  expect((await test.call({ url: '/v1/auth/me', headers: use })).status).toBe(200);
  const mine = await test.call({ url: '/v1/auth/me/api-keys', headers: owner.headers });
  expect(mine.body.map((key: { id: string }) => key.id)).toContain(made.body.id);
  expect(mine.body[0].key).toBeUndefined();
  const gone = await test.call({
    method: 'DELETE',
    url: `/v1/auth/api-keys/${made.body.id}`,
    headers: owner.headers,
  });
  expect(gone.body.revoked_at).toMatch(/Z$/);
  expect(problemIn(await test.call({ url: '/v1/jobs', headers: use })).status).toBe(401);
  const again = await test.call({
    method: 'DELETE',
    url: `/v1/auth/api-keys/${made.body.id}`,
    headers: owner.headers,
  });
  expect(again.body.revoked_at).toBe(gone.body.revoked_at);
});

it('never gives more than the owner or the caller has', async () => {
  const owner = await test.account('researcher');
  expect(problemIn(await mint(owner.headers, { name: 'up', role: 'admin' }))).toMatchObject({ status: 403 });
  const admin = await test.account('admin');
  const forOther = { name: 'up', role: 'operator', user_id: owner.user.id };
  expect(problemIn(await mint(admin.headers, forOther))).toMatchObject({ code: 'role_too_low' });
  expect(problemIn(await mint(owner.headers, { name: 'x', user_id: admin.user.id }))).toMatchObject({
    code: 'role_too_low',
  });
  const operator = await test.account('operator');
  const given = await mint(admin.headers, { name: 'x', role: 'researcher', user_id: operator.user.id });
  expect(given.body).toMatchObject({ role: 'researcher', user_id: operator.user.id });
  const low = await mint(admin.headers, { name: 'low', role: 'researcher' });
  const throughLow = { authorization: `ApiKey ${low.body.key}` };
  expect(problemIn(await mint(throughLow, { name: 'rise', role: 'operator' }))).toMatchObject({
    code: 'role_too_low',
  });
});

it('is one for a researcher, also when two are asked for at once, and one stays when a role falls', async () => {
  const owner = await test.account('researcher');
  const admin = await test.account('admin');
  const own = async () => (await test.call({ url: '/v1/auth/me/api-keys', headers: owner.headers })).body;
  for (const [headers, body] of [
    [owner.headers, { name: 'second' }],
    [admin.headers, { name: 'second', role: 'researcher', user_id: owner.user.id }],
  ] as const) {
    const refused = await mint(headers, body);
    expect(problemIn(refused)).toMatchObject({ status: 409, code: 'conflict' });
    expect(refused.body.detail).toContain('Revoke it first');
  }
  const [key] = await own();
  await test.call({ method: 'DELETE', url: `/v1/auth/api-keys/${key.id}`, headers: owner.headers });
  const forOwner = { name: 'next', role: 'researcher', user_id: owner.user.id };
  const both = await Promise.all([mint(admin.headers, forOwner), mint(admin.headers, forOwner)]);
  expect(both.map((answer) => answer.status).sort()).toEqual([201, 409]);

  const falling = await test.account('operator');
  const newest = await mint(falling.headers, { name: 'newest' });
  const url = `/v1/admin/users/${falling.user.id}/role`;
  await test.call({ method: 'POST', url, payload: { role: 'researcher' }, headers: admin.headers });
  const statusOf = async (headers: Record<string, string>) =>
    (await test.call({ url: '/v1/auth/me', headers })).status;
  expect(await statusOf(falling.headers)).toBe(401);
  expect(await statusOf({ 'x-api-key': newest.body.key })).toBe(200);
});

it("hides others' keys from those who are no admin", async () => {
  const [one, two, admin] = [
    await test.account('operator'),
    await test.account('operator'),
    await test.account('admin'),
  ];
  const made = await mint(one.headers, { name: 'private' });
  const url = `/v1/auth/api-keys/${made.body.id}`;
  expect(problemIn(await test.call({ method: 'DELETE', url, headers: two.headers })).status).toBe(404);
  expect(problemIn(await test.call({ url: '/v1/auth/api-keys', headers: two.headers })).status).toBe(403);
  const all = await test.call({ url: '/v1/auth/api-keys?limit=1', headers: admin.headers });
  expect(all.body).toMatchObject([{ owner: one.user.username }]);
  const next = /<([^>]+)>; rel="next"/.exec(String(all.headers.link))?.[1];
  const second = await test.call({ url: String(next), headers: admin.headers });
  expect(second.body[0].id).not.toBe(all.body[0].id);
  expect((await test.call({ method: 'DELETE', url, headers: admin.headers })).status).toBe(200);
});

it('follows the owner down, and ends with him', async () => {
  const owner = await test.account('admin');
  const role = async () => (await test.call({ url: '/v1/auth/me', headers: owner.headers })).body.role;
  expect(await role()).toBe('admin');
  await test.db.updateTable('user_account').set({ role: 'guest' }).where('id', '=', owner.user.id).execute();
  expect(await role()).toBe('guest');
  await test.db
    .updateTable('user_account')
    .set({ status: 'deactivated' })
    .where('id', '=', owner.user.id)
    .execute();
  expect(problemIn(await test.call({ url: '/v1/auth/me', headers: owner.headers })).status).toBe(401);
});
