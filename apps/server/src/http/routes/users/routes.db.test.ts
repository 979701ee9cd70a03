import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  problemIn,
  startTestApp,
  type TestAccount,
  type TestApp,
  testPassword,
} from '../../../testing/test-app.js';

let test: TestApp;
let admin: TestAccount;
beforeAll(async () => {
  test = await startTestApp();
});
beforeEach(async () => {
  admin = await test.account('admin');
});
afterAll(() => test?.close());

const post = (url: string, payload?: object, headers: Record<string, string> = admin.headers) =>
  test.call({ method: 'POST', url, payload, headers });
const audits = async (query: string) =>
  (await test.call({ url: `/v1/admin/audit?${query}`, headers: admin.headers })).body;
const signup = async () => {
  const name = `u${randomUUID().slice(0, 8)}`;
  const payload = { email: `${name}@example.org`, username: name, password: testPassword };
  return (await post('/v1/auth/signup', { ...payload, intended_use: 'kinases' }, {})).body;
};
const login = (email: string) => post('/v1/auth/login', { email, password: testPassword }, {});
const onlyAdmin = async () => {
  await test.db
    .updateTable('user_account')
    .set({ role: 'operator' })
    .where('role', '=', 'admin')
    .where('id', '!=', admin.user.id)
    .execute();
};

describe('approval', () => {
  it('lets a pending account in, as researcher by default', async () => {
    const [one, two] = [await signup(), await signup()];
    const pending = await test.call({ url: '/v1/admin/users?status=pending', headers: admin.headers });
    expect(pending.body.map((user: { id: string }) => user.id)).toEqual([two.id, one.id]);
    expect(pending.body[1]).toEqual({
      ...one,
      display_name: null,
      role: 'researcher',
      intended_use: 'kinases',
      created_at: expect.stringMatching(/Z$/),
      last_login_at: null,
    });
    expect((await login(one.email)).status).toBe(403);
    expect((await post(`/v1/admin/users/${one.id}/approve`)).body).toMatchObject({
      role: 'researcher',
      status: 'active',
    });
    expect((await post(`/v1/admin/users/${two.id}/approve`, { role: 'operator' })).body.role).toBe(
      'operator',
    );
    expect((await login(one.email)).status).toBe(200);
    expect(problemIn(await post(`/v1/admin/users/${one.id}/approve`)).code).toBe('conflict');
    expect(await audits(`target=user:${two.id}`)).toMatchObject([
      { action: 'user_approve', actor_user_id: admin.user.id, payload: { role: 'operator' } },
      { action: 'signup', actor_user_id: two.id },
    ]);
    expect(problemIn(await post(`/v1/admin/users/${one.id}/approve`, { role: 'emperor' })).status).toBe(422);
    expect(problemIn(await post(`/v1/admin/users/${randomUUID()}/approve`)).status).toBe(404);
  });

  it('pages accounts without losing one', async () => {
    const ids = new Set<string>();
    let url: string | undefined = '/v1/admin/users?role=researcher&limit=1';
    await signup();
    await signup();
    while (url !== undefined) {
      const page = await test.call({ url, headers: admin.headers });
      for (const user of page.body) ids.add(user.id);
      url = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
    }
    const all = await test.db
      .selectFrom('user_account')
      .select('id')
      .where('role', '=', 'researcher')
      .execute();
    expect(ids).toEqual(new Set(all.map((row) => row.id)));
  });
});

describe('deactivation', () => {
  it('stops keys, tokens and sessions at once and for good', async () => {
    const account = await test.account('researcher');
    const cookie = String((await login(account.user.email)).headers['set-cookie']).split(';')[0];
    const exchange = await post('/v1/auth/api-key-login', { api_key: account.key }, {});
    const credentials: Record<string, string>[] = [
      account.headers,
      { cookie },
      { authorization: `Bearer ${exchange.body.token}` },
      { authorization: `Bearer ${cookie.slice('svc_session='.length)}` },
    ];
    const states = () =>
      Promise.all(
        credentials.map(async (headers) => (await test.call({ url: '/v1/auth/me', headers })).status),
      );
    expect(await states()).toEqual([200, 200, 200, 200]);
    const gone = await post(`/v1/admin/users/${account.user.id}/deactivate`);
    expect(gone.body.status).toBe('deactivated');
    expect(await states()).toEqual([401, 401, 401, 401]);
    expect(problemIn(await login(account.user.email)).code).toBe('account_deactivated');
    expect(problemIn(await post('/v1/auth/api-key-login', { api_key: account.key }, {})).status).toBe(401);
    expect((await post(`/v1/admin/users/${account.user.id}/deactivate`)).status).toBe(200);
    expect((await post(`/v1/admin/users/${account.user.id}/reactivate`)).body.status).toBe('active');
    expect(await states()).toEqual([401, 401, 401, 401]);
    expect((await login(account.user.email)).status).toBe(200);
    const seen = await audits(`target=user:${account.user.id}`);
    expect(seen.map((row: { action: string }) => row.action)).toEqual([
      'login_ok',
      'user_reactivate',
      'login_fail',
      'user_deactivate',
      'login_ok',
      'signup',
    ]);
    expect(seen[3].payload).toEqual({ sessions_revoked: 1, keys_revoked: 1 });
  });

  it('is neither for pending accounts nor is reactivation', async () => {
    const { id } = await signup();
    expect(problemIn(await post(`/v1/admin/users/${id}/deactivate`)).code).toBe('conflict');
    expect(problemIn(await post(`/v1/admin/users/${id}/reactivate`)).code).toBe('conflict');
  });
});

describe('roles', () => {
  it('change for the next request of a key, and are recorded once', async () => {
    const account = await test.account('operator');
    const role = async () => (await test.call({ url: '/v1/auth/me', headers: account.headers })).body.role;
    const url = `/v1/admin/users/${account.user.id}/role`;
    expect((await post(url, { role: 'researcher' })).body.role).toBe('researcher');
    expect((await post(url, { role: 'researcher' })).body.role).toBe('researcher');
    expect(await role()).toBe('researcher');
    expect(await audits(`action=role_change&target=user:${account.user.id}`)).toMatchObject([
      { payload: { from: 'operator', to: 'researcher' } },
    ]);
  });
});

describe('the last active administrator', () => {
  it('is neither demoted nor deactivated nor deleted', async () => {
    await onlyAdmin();
    const { id } = admin.user;
    const refused = [
      await post(`/v1/admin/users/${id}/role`, { role: 'operator' }),
      await post(`/v1/admin/users/${id}/deactivate`),
      await test.call({ method: 'DELETE', url: `/v1/users/${id}`, headers: admin.headers }),
    ];
    for (const answer of refused)
      expect(problemIn(answer)).toMatchObject({ status: 409, code: 'last_admin' });
    expect(await audits(`target=user:${id}&action=role_change`)).toEqual([]);
    expect(
      (await test.call({ url: `/v1/admin/users?role=admin&status=active`, headers: admin.headers })).body,
    ).toHaveLength(1);
  });

  it('stays when several take each other away at the same moment', async () => {
    await onlyAdmin();
    const admins = [admin, ...(await Promise.all([1, 2, 3].map(() => test.account('admin'))))];
    const acts = admins.flatMap((by, index) => {
      const { id } = admins[(index + 1) % admins.length].user;
      return [
        post(`/v1/admin/users/${id}/role`, { role: 'operator' }, by.headers),
        post(`/v1/admin/users/${id}/deactivate`, undefined, by.headers),
        test.call({ method: 'DELETE', url: `/v1/users/${id}`, headers: by.headers }),
      ];
    });
    const statuses = (await Promise.all(acts)).map((answer) => answer.status);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    const left = await test.db
      .selectFrom('user_account')
      .select('id')
      .where('role', '=', 'admin')
      .where('status', '=', 'active')
      .execute();
    expect(left).toHaveLength(1);
  });
});

describe('deletion', () => {
  it('takes the account with its keys and sessions, and leaves its jobs', async () => {
    const account = await test.account('researcher');
    await login(account.user.email);
    const job = await post('/v1/jobs', { operation: 'ping', queue_name: 'svc.ping' }, account.headers);
    const url = `/v1/users/${account.user.id}`;
    expect((await test.call({ method: 'DELETE', url, headers: admin.headers })).status).toBe(204);
    expect((await test.call({ url: '/v1/auth/me', headers: account.headers })).status).toBe(401);
    expect((await test.call({ url: `/v1/jobs/${job.body.id}` })).status).toBe(200);
    expect(problemIn(await test.call({ method: 'DELETE', url, headers: admin.headers })).status).toBe(404);
    expect((await audits(`action=user_delete&target=user:${account.user.id}`))[0].actor_user_id).toBe(
      admin.user.id,
    );
  });
});

describe('a password that an administrator sets', () => {
  it('replaces the lost one: sessions and waits end, keys stay, and the log says who did it', async () => {
    const account = await test.account('researcher');
    const cookie = String((await login(account.user.email)).headers['set-cookie']).split(';')[0];
    const signIn = (password: string) => post('/v1/auth/login', { email: account.user.email, password }, {});
    for (let tries = 0; tries < 12; tries++) await signIn('forgotten');
    expect((await signIn('forgotten')).status).toBe(429);
    const url = `/v1/admin/users/${account.user.id}/password`;
    const changed = await post(url, { new_password: 'handed over on paper' });
    expect(changed.body).toEqual({ user_id: account.user.id, revoked: 1 });
    expect((await test.call({ url: '/v1/auth/me', headers: { cookie } })).status).toBe(401);
    expect((await test.call({ url: '/v1/auth/me', headers: account.headers })).status).toBe(200);
    expect((await signIn(testPassword)).status).toBe(401);
    expect((await signIn('handed over on paper')).status).toBe(200);
    expect((await audits(`action=password_reset&target=user:${account.user.id}`))[0]).toMatchObject({
      actor_user_id: admin.user.id,
      payload: { by: 'administrator', sessions_revoked: 1 },
    });
  });

  it('is refused where it is weak, of nobody, or set by somebody else', async () => {
    const account = await test.account('operator');
    const url = `/v1/admin/users/${account.user.id}/password`;
    const weak = problemIn(await post(url, { new_password: account.user.username }));
    expect(weak.errors).toMatchObject([{ path: '/new_password', code: 'weak_password' }]);
    const nobody = await post(`/v1/admin/users/${randomUUID()}/password`, { new_password: testPassword });
    expect(nobody.status).toBe(404);
    expect((await post(url, { new_password: testPassword }, account.headers)).status).toBe(403);
  });
});

describe('revocation of sessions', () => {
  it('ends every session of one account and leaves its keys', async () => {
    const account = await test.account('researcher');
    const cookies = [await login(account.user.email), await login(account.user.email)].map(
      (answer) => String(answer.headers['set-cookie']).split(';')[0],
    );
    const revoked = await post(`/v1/auth/admin/revoke-sessions/${account.user.id}`);
    expect(revoked.body).toEqual({ user_id: account.user.id, revoked: 2 });
    for (const cookie of cookies)
      expect((await test.call({ url: '/v1/auth/me', headers: { cookie } })).status).toBe(401);
    expect((await test.call({ url: '/v1/auth/me', headers: account.headers })).status).toBe(200);
    expect((await post(`/v1/auth/admin/revoke-sessions/${account.user.id}`)).body.revoked).toBe(0);
    expect(await audits(`action=admin_session_revoke&target=user:${account.user.id}`)).toHaveLength(2);
  });
});
