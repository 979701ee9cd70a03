import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientHasher } from '../accounts/client-hash.js';
import { takeQuota } from '../accounts/limits.js';
import { anonymous } from '../accounts/principal.js';
import { inTransaction } from '../store/postgres/connection.js';
import { problemIn, startTestApp, type TestApp, testPassword, testSettings } from '../testing/test-app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test?.close());

const post = (url: string, payload?: object, headers: Record<string, string> = {}) =>
  test.call({ method: 'POST', url, payload, headers });
const stateOf = (id: string) =>
  test.db
    .selectFrom('user_account')
    .select(['role', 'status', 'email', 'password_hash'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
const sessionOf = async (email: string) => {
  const login = await post('/v1/auth/login', { email, password: testPassword });
  return String(login.headers['set-cookie']).split(';')[0];
};

describe('raising a role', () => {
  it("is an administrator's act alone, for oneself and for others", async () => {
    for (const role of ['guest', 'researcher', 'operator'] as const) {
      const { user, headers } = await test.account(role);
      const before = await stateOf(user.id);
      for (const mount of ['/v1', '']) {
        const acts = [
          await post(`${mount}/admin/users/${user.id}/role`, { role: 'admin' }, headers),
          await post(`${mount}/admin/users/${user.id}/approve`, { role: 'admin' }, headers),
        ];
        for (const answer of acts) expect(problemIn(answer)).toMatchObject({ status: 403 });
      }
      expect(await stateOf(user.id)).toEqual(before);
    }
  });

  it('is not possible through a key, made by oneself or by way of a weaker key', async () => {
    for (const [role, above] of [
      ['researcher', 'operator'],
      ['operator', 'admin'],
    ] as const) {
      const { headers } = await test.account(role);
      expect(problemIn(await post('/v1/auth/api-keys', { name: 'up', role: above }, headers))).toMatchObject({
        status: 403,
        code: 'role_too_low',
      });
    }
    const admin = await test.account('admin');
    const weak = await post('/v1/auth/api-keys', { name: 'weak', role: 'researcher' }, admin.headers);
    const headers = { authorization: `ApiKey ${weak.body.key}` };
    expect(problemIn(await test.call({ url: '/v1/admin/users', headers })).status).toBe(403);
    const exchange = await post('/v1/auth/api-key-login', { api_key: weak.body.key });
    const bearer = { authorization: `Bearer ${exchange.body.token}` };
    expect(problemIn(await test.call({ url: '/v1/admin/users', headers: bearer })).status).toBe(403);
  });

  it('is not possible for a guest, who makes no key at all', async () => {
    const { user, key, headers } = await test.account('guest');
    expect(problemIn(await post('/v1/auth/api-keys', { name: 'any' }, headers)).status).toBe(403);
    expect(key).toHaveLength(43);
    expect((await stateOf(user.id)).role).toBe('guest');
  });
});

describe('mass assignment', () => {
  it('is refused at signup, and leaves no account', async () => {
    const body = { email: 'mass@example.org', username: 'mass', password: testPassword };
    const extras = {
      role: 'admin',
      status: 'active',
      id: crypto.randomUUID(),
      password_hash: 'x',
      is_admin: true,
    };
    for (const [key, value] of Object.entries(extras)) {
      const answer = problemIn(await post('/v1/auth/signup', { ...body, [key]: value }));
      expect(answer.errors).toEqual([
        { path: `/${key}`, message: expect.any(String), code: 'unrecognized_key' },
      ]);
    }
    const polluted =
      '{"email":"mass@example.org","username":"mass","password":"correct horse","__proto__":{"role":"admin"}}';
    const answer = await test.app.inject({
      method: 'POST',
      url: '/v1/auth/signup',
      payload: polluted,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors).toMatchObject([{ path: '/__proto__', code: 'forbidden_key' }]);
    const rows = await test.db
      .selectFrom('user_account')
      .select('id')
      .where('email', '=', body.email)
      .execute();
    expect(rows).toEqual([]);
  });

  it('is refused where an account, a key or a job is written', async () => {
    const admin = await test.account('admin');
    const { user, headers } = await test.account('researcher');
    const job = { operation: 'ping', queue_name: 'svc.ping' };
    const tries: [string, object, Record<string, string>][] = [
      [`/v1/admin/users/${user.id}/role`, { role: 'operator', email: 'x@example.org' }, admin.headers],
      [`/v1/admin/users/${user.id}/deactivate`, { role: 'admin' }, admin.headers],
      ['/v1/auth/api-keys', { name: 'k', prefix: 'aaaaaaaa' }, headers],
      ['/v1/jobs', { ...job, owner_user_id: admin.user.id }, headers],
      ['/v1/jobs', { ...job, status: 'SUCCEEDED' }, headers],
    ];
    for (const [url, body, who] of tries) {
      expect(problemIn(await post(url, body, who)).errors?.[0].code).toBe('unrecognized_key');
    }
    expect(await stateOf(user.id)).toMatchObject({ role: 'researcher', status: 'active' });
  });
});

describe("another's job", () => {
  it('is neither cancelled nor deleted by a researcher, at either mount', async () => {
    const [owner, other] = [await test.account('researcher'), await test.account('researcher')];
    const { body } = await post('/v1/jobs', { operation: 'ping', queue_name: 'svc.ping' }, owner.headers);
    for (const mount of ['/v1', '']) {
      const acts = [
        await post(`${mount}/jobs/${body.id}/cancel`, undefined, other.headers),
        await test.call({ method: 'DELETE', url: `${mount}/jobs/${body.id}`, headers: other.headers }),
      ];
      for (const answer of acts) expect(problemIn(answer)).toMatchObject({ status: 403, code: 'not_owner' });
    }
    expect((await test.call({ url: `/v1/jobs/${body.id}` })).body.status).toBe('QUEUED');
  });
});

describe('a foreign page with the cookie', () => {
  it('writes nothing, whatever Origin it sends and whichever act it tries', async () => {
    const admin = await test.account('admin');
    const { user } = await test.account('researcher');
    const cookie = await sessionOf(admin.user.email);
    const origins: Record<string, string>[] = [
      {},
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: 'http://localhost.evil.example' },
      { origin: 'http://localhost:81' },
      { origin: 'http://evil.example/http://localhost' },
      { origin: 'https://evil.example', referer: 'http://localhost/' },
      { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
    ];
    for (const origin of origins) {
      const headers = { cookie, ...origin };
      const acts = [
        await post(`/v1/admin/users/${user.id}/role`, { role: 'admin' }, headers),
        await post(`/admin/users/${user.id}/deactivate`, undefined, headers),
        await test.call({ method: 'DELETE', url: `/v1/users/${user.id}`, headers }),
      ];
      for (const answer of acts) expect([origin, problemIn(answer).code]).toEqual([origin, 'origin_refused']);
    }
    expect(await stateOf(user.id)).toMatchObject({ role: 'researcher', status: 'active' });
    const ours = { cookie, origin: 'http://localhost' };
    expect((await post(`/v1/admin/users/${user.id}/role`, { role: 'guest' }, ours)).status).toBe(200);
  });

  it('cannot log a visitor in by a form, from which no body is read', async () => {
    const { user } = await test.account('researcher');
    for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
      const answer = await test.app.inject({
        method: 'POST',
        url: '/v1/auth/login',
        headers: { 'content-type': type },
        payload: JSON.stringify({ email: user.email, password: testPassword }),
      });
      expect([type, answer.statusCode]).toEqual([type, 415]);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });
});

describe('paths that look like others', () => {
  it('never reach a guarded handler without its gate', async () => {
    const guarded = '/admin/users';
    const paths = [
      guarded,
      `/v1${guarded}`,
      `/v1/v1${guarded}`,
      `//v1${guarded}`,
      `/v1/${guarded}`,
      `/v1${guarded}/`,
      `${guarded}/`,
      `/V1${guarded}`,
      '/v1/ADMIN/USERS',
      '/v1/admin%2fusers',
      '/%76%31/admin/users',
      '/v1/%61dmin/users',
      '/v1/./admin/users',
      '/v1/jobs/../admin/users',
      '/v1/jobs/..%2fadmin%2fusers',
      '/v1/auth/login/../../admin/users',
      '/v1\\admin\\users',
      `/v1${guarded};role=admin`,
      `/v1${guarded}#/v1/jobs`,
      `/health/..${guarded}`,
    ];
    const { headers } = await test.account('operator');
    for (const url of paths) {
      const anonymous = (await test.app.inject({ url })).statusCode;
      const operator = (await test.app.inject({ url, headers })).statusCode;
      expect([
        url,
        [400, 401, 404, 422].includes(anonymous),
        [400, 403, 404, 422].includes(operator),
      ]).toEqual([url, true, true]);
    }
  });

  it('get the same answer at both mounts, and no other method or query changes it', async () => {
    const { headers } = await test.account('operator');
    for (const mount of ['/v1', '']) {
      const head = await test.app.inject({ method: 'HEAD', url: `${mount}/admin/users`, headers });
      expect(head.statusCode).toBe(403);
      const override = { ...headers, 'x-http-method-override': 'GET', 'x-original-url': '/v1/jobs' };
      expect((await test.app.inject({ url: `${mount}/admin/users`, headers: override })).statusCode).toBe(
        403,
      );
      const byQuery = `${mount}/admin/users?api_key=x&access_token=y&role=admin`;
      expect((await test.app.inject({ url: byQuery })).statusCode).toBe(401);
    }
  });
});

describe('headers about where a request comes from', () => {
  const limited = { ...testSettings.rateLimits, login: '3/hour' };
  const attempt = async (app: TestApp['app'], headers: Record<string, string>) => {
    const payload = { email: `${crypto.randomUUID()}@example.org`, password: 'no' };
    return (await app.inject({ method: 'POST', url: '/v1/auth/login', payload, headers })).statusCode;
  };

  it('do not buy more attempts when no proxy is trusted', async () => {
    const app = await test.sibling({ rateLimits: limited });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      const forged = `198.51.100.${n}`;
      statuses.push(
        await attempt(app, {
          'x-forwarded-for': forged,
          'x-real-ip': forged,
          forwarded: `for=${forged}`,
          'true-client-ip': forged,
        }),
      );
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);
  });

  it('count only as far as trusted proxies wrote them', async () => {
    const app = await test.sibling({
      rateLimits: { ...limited, login: '2/hour' },
      trustedProxies: ['127.0.0.1/32', '10.0.0.0/8'],
    });
    const through = (n: number) => ({ 'x-forwarded-for': `198.51.100.${n}, 203.0.113.9, 10.0.0.7` });
    // The caller has the last address that does not belong to a trusted proxy; the caller may have invented
    // earlier addresses.
    expect([
      await attempt(app, through(1)),
      await attempt(app, through(2)),
      await attempt(app, through(3)),
    ]).toEqual([401, 401, 429]);
    expect(await attempt(app, { 'x-forwarded-for': '203.0.113.10, 10.0.0.7' })).toBe(401);
  });

  it('count a whole IPv6 network as one caller, for logins, signups, thumbs-up and quotas', async () => {
    const one = { ...limited, login: '1/hour', signup: '1/hour', support: '1/hour', api_key_login: '1/hour' };
    const app = await test.sibling({ rateLimits: one });
    const tries: [string, object][] = [
      ['/v1/auth/login', { email: 'six@example.org', password: 'no' }],
      ['/v1/auth/signup', { email: 'six@example.org', username: 'six', password: testPassword }],
      ['/v1/auth/api-key-login', { api_key: 'no such key' }],
      ['/v1/support', {}],
    ];
    for (const [url, payload] of tries) {
      const from = async (remoteAddress: string) =>
        (await app.inject({ method: 'POST', url, payload, remoteAddress })).statusCode;
      expect([url, (await from('2001:db8:5::1')) < 429]).toEqual([url, true]);
      expect([url, await from('2001:db8:5:0:9::2')]).toEqual([url, 429]);
      expect([url, (await from('2001:db8:5:1::1')) < 429]).toEqual([url, true]);
    }
    const used = async (remoteAddress: string) =>
      (await app.inject({ url: '/v1/annotate/limits', remoteAddress })).json().sequences_today.used;
    const key = `ip:${await new ClientHasher(test.db).hash('2001:db8:5::1')}`;
    await inTransaction(test.db, (trx) =>
      takeQuota(trx, test.settings, { principal: anonymous, key }, { resource: 'sequences', units: 3 }),
    );
    expect([await used('2001:db8:5::77'), await used('2001:db8:5:1::1')]).toEqual([3, 0]);
  });

  it('leave no address in the database', async () => {
    const { rows } = await test.db.pool.query(
      'select key from quota union all select target from audit.audit_log',
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toMatch(/198\.51\.100|203\.0\.113|127\.0\.0\.1/);
  });
});
