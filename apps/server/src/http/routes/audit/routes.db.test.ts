import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendAudit } from '../../../store/accounts/audit.repository.js';
import { inTransaction } from '../../../store/postgres/connection.js';
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
  admin = await test.account('admin');
});
afterAll(() => test?.close());

const list = (query: string) => test.call({ url: `/v1/admin/audit?${query}`, headers: admin.headers });
const login = (email: string, password: string) =>
  test.call({ method: 'POST', url: '/v1/auth/login', payload: { email, password } });

describe('GET /admin/audit', () => {
  it('shows logins, wrong ones and logouts with who and why, and no secret', async () => {
    const { user } = await test.account('researcher');
    await login(user.email, 'wrong password');
    const right = await login(user.email, testPassword);
    const cookie = String(right.headers['set-cookie']).split(';')[0];
    await test.call({ method: 'POST', url: '/v1/auth/logout', headers: { cookie } });
    await login('nobody-here@example.org', 'wrong password');
    const { body } = await list(`target=user:${user.id}`);
    expect(body.map((row: { action: string }) => row.action)).toEqual([
      'logout',
      'login_ok',
      'login_fail',
      'signup',
    ]);
    expect(body[2]).toEqual({
      id: expect.any(Number),
      actor_user_id: user.id,
      actor: user.username,
      action: 'login_fail',
      target: `user:${user.id}`,
      target_name: user.username,
      payload: { reason: 'invalid_credentials', address_hash: expect.stringMatching(/^[0-9a-f]{16}$/) },
      occurred_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
    });
    const failed = (await list('action=login_fail&limit=1')).body;
    expect(failed).toMatchObject([{ actor_user_id: null, actor: null, target: null, target_name: null }]);
    expect(JSON.stringify((await list('limit=500')).body)).not.toMatch(/wrong password|127\.0\.0\.1/);
  });

  it('filters by actor and time, and pages rows of one transaction without loss', async () => {
    const { user } = await test.account('guest');
    await inTransaction(test.db, async (trx) => {
      for (let n = 0; n < 7; n++)
        await appendAudit(trx, { actorUserId: user.id, action: 'logout', target: null, payload: { n } });
    });
    const seen: number[] = [];
    let url: string | undefined = `/v1/admin/audit?action=logout&actor_user_id=${user.id}&limit=3`;
    while (url !== undefined) {
      const page = await test.call({ url, headers: admin.headers });
      seen.push(...page.body.map((row: { payload: { n: number } }) => row.payload.n));
      url = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0]);
    const times = (await list(`actor_user_id=${user.id}&action=logout`)).body.map(
      (row: { occurred_at: string }) => row.occurred_at,
    );
    const [newest, , , , , , oldest] = times;
    const within = await list(`actor_user_id=${user.id}&action=logout&since=${oldest}&until=${newest}`);
    expect(within.body.map((row: { payload: { n: number } }) => row.payload.n)).toEqual([5, 4, 3, 2, 1, 0]);
    expect((await list(`since=${newest.replace('Z', '+00:00')}&actor_user_id=${user.id}`)).body).toHaveLength(
      1,
    );
  });

  it('names accounts and keys, also those that are gone, and finds them by a part of their names', async () => {
    const { user, headers, key: ownKey } = await test.account('operator');
    const made = await test.call({
      method: 'POST',
      url: '/v1/auth/api-keys',
      headers,
      payload: { name: 'pipeline 100%_a' },
    });
    const { id, prefix } = made.body;
    const named = async (query: string) =>
      (await list(query)).body.map((row: { action: string; actor: string; target_name: string }) => [
        row.action,
        row.actor,
        row.target_name,
      ]);
    const key = `pipeline 100%_a (${prefix}…)`;
    expect(await named(`target=api_key:${id}`)).toEqual([['api_key_mint', user.username, key]]);
    // The signs of patterns count as plain letters.
    expect(await named(`q=${encodeURIComponent('100%_A')}`)).toEqual([['api_key_mint', user.username, key]]);
    expect(await named(`q=${encodeURIComponent('10%a')}`)).toEqual([]);
    const gone = await test.call({
      method: 'DELETE',
      url: `/v1/users/${user.id}`,
      headers: admin.headers,
    });
    expect(gone.status).toBe(204);
    expect(await named(`q=${user.username.toUpperCase()}`)).toEqual([
      ['user_delete', admin.user.username, user.username],
      ['api_key_mint', user.username, key],
      ['api_key_mint', user.username, `${user.username} (${ownKey.slice(0, 8)}…)`],
      ['signup', null, user.username],
    ]);
    expect(await named(`target=api_key:${id}`)).toEqual([['api_key_mint', user.username, key]]);
  });

  it('refuses what it does not know', async () => {
    for (const query of [
      'action=sneeze',
      'actor_user_id=me',
      'since=yesterday',
      'before=2026-01-01T00:00:00Z',
    ])
      expect(problemIn(await list(query)).status).toBe(422);
  });
});

describe('GET /admin/audit/export', () => {
  it('gives administrators the whole log as lines of JSON, oldest first', async () => {
    const url = '/v1/admin/audit/export';
    // The list gives the rows as recorded, without the names that it looks up.
    const listed = (await list('limit=500')).body
      .reverse()
      .map(({ actor: _, target_name: __, ...recorded }: Record<string, unknown>) => recorded);
    const { status, body, headers } = await test.call({ url, headers: admin.headers });
    expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    const rows = (text: string) =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    expect(rows(body)).toEqual(listed);
    const since = listed[3].occurred_at;
    const rest = await test.call({ url: `${url}?since=${since}`, headers: admin.headers });
    expect(rows(rest.body)).toEqual(listed.slice(3));
    const { headers: operator } = await test.account('operator');
    expect(problemIn(await test.call({ url, headers: operator })).status).toBe(403);
    expect(problemIn(await test.call({ url: `${url}?since=soon`, headers: admin.headers })).status).toBe(422);
  });
});

describe('the log', () => {
  it('has no update, delete or truncate', async () => {
    for (const statement of [
      "update audit.audit_log set action = 'logout'",
      'delete from audit.audit_log',
      'truncate audit.audit_log',
    ])
      await expect(test.db.pool.query(statement)).rejects.toThrow(/append-only/);
  });

  it('keeps nothing of an act that did not happen', async () => {
    const before = (await list('limit=500')).body.length;
    const failed = inTransaction(test.db, async (trx) => {
      await appendAudit(trx, { actorUserId: null, action: 'role_change', target: null });
      throw new Error('the act failed');
    });
    await expect(failed).rejects.toThrow('the act failed');
    expect((await list('limit=500')).body).toHaveLength(before);
  });
});
