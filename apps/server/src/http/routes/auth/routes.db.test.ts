import { SignJWT, UnsecuredJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrapAdmin } from '../../../accounts/admin.js';
import { takeLoginAttempt } from '../../../store/accounts/logins.repository.js';
import {
  problemIn,
  startTestApp,
  type TestApp,
  testPassword,
  testSettings,
} from '../../../testing/test-app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test?.close());

const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
  test.call({ method: 'POST', url, payload, headers });
const cookieOf = (headers: Record<string, unknown>) => String(headers['set-cookie']).split(';')[0];
const audits = () =>
  test.db.selectFrom('audit.audit_log').select(['action', 'target']).orderBy('id').execute();

describe('signup', () => {
  const body = { email: 'New.User@Example.org', username: 'newuser', password: 'long enough' };

  it.each([
    ['an invisible character', 'new\u200Buser'],
    ['a change of direction', 'admin\u202E'],
    ['a numeral for a letter', 'a\u{216E}min'],
    ['a wide letter', '\uFF41dmin'],
    ['a Cyrillic letter among Latin ones', '\u0430dmin'],
    ['a tag', 'a b<script>'],
    ['a line end', 'a\nb'],
  ])('refuses a user name with %s', async (_what, username) => {
    const email = 'look.alike@example.org';
    expect(problemIn(await post('/v1/auth/signup', { ...body, email, username })).errors).toMatchObject([
      { path: '/username' },
    ]);
  });

  it.each(['Zoë O’Neil', "Zoë O'Neil", 'Мария', '李小龍', 'r.d-2_x@lab+1'])(
    'takes the user name %s',
    async (username) => {
      const email = `${crypto.randomUUID()}@example.org`;
      expect((await post('/v1/auth/signup', { ...body, email, username })).status).toBe(201);
    },
  );

  it('makes a pending account, once', async () => {
    const made = await post('/v1/auth/signup', body);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      email: 'new.user@example.org',
      username: 'newuser',
      status: 'pending',
    });
    expect(problemIn(await post('/v1/auth/signup', body))).toMatchObject({
      status: 409,
      code: 'already_exists',
    });
    expect(problemIn(await post('/v1/auth/signup', { ...body, email: 'other@example.org' }))).toMatchObject({
      status: 409,
    });
    const shouted = { ...body, email: 'other@example.org', username: body.username.toUpperCase() };
    expect(problemIn(await post('/v1/auth/signup', shouted)).status).toBe(409);
    expect(await audits()).toContainEqual({ action: 'signup', target: `user:${made.body.id}` });
    const login = await post('/v1/auth/login', { email: body.email, password: body.password });
    expect(problemIn(login)).toMatchObject({ status: 403, code: 'account_pending_approval' });
  });

  it('refuses unknown keys, weak passwords and what is not an address', async () => {
    const extra = problemIn(await post('/v1/auth/signup', { ...body, role: 'admin' }));
    expect(extra.errors).toEqual([{ path: '/role', message: expect.any(String), code: 'unrecognized_key' }]);
    expect(problemIn(await post('/v1/auth/signup', { ...body, password: 'short' })).errors?.[0].path).toBe(
      '/password',
    );
    const same = { email: 'someone@example.org', username: 'someone', password: 'someone@example.org' };
    expect(problemIn(await post('/v1/auth/signup', same)).errors?.[0].code).toBe('weak_password');
    expect(problemIn(await post('/v1/auth/signup', { ...body, email: 'nobody' })).errors?.[0].path).toBe(
      '/email',
    );
  });
});

describe('a change of password', () => {
  it('needs the present one, ends all other sessions and is recorded', async () => {
    const { user } = await test.account('researcher');
    const logIn = (password: string) => post('/v1/auth/login', { email: user.email, password });
    const [own, other] = [await logIn(testPassword), await logIn(testPassword)].map((reply) => ({
      cookie: cookieOf(reply.headers),
      origin: 'http://localhost:80',
    }));
    const change = (password: string, new_password: string) =>
      post('/v1/auth/password', { password, new_password }, own);
    expect(problemIn(await change('not the password', 'a brand new password')).errors?.[0]).toMatchObject({
      path: '/password',
      code: 'wrong_password',
    });
    expect(problemIn(await change(testPassword, 'short')).errors?.[0].code).toBe('weak_password');
    expect((await change(testPassword, 'a brand new password')).status).toBe(204);
    expect((await test.call({ url: '/v1/auth/me', headers: own })).status).toBe(200);
    expect((await test.call({ url: '/v1/auth/me', headers: other })).status).toBe(401);
    expect((await logIn(testPassword)).status).toBe(401);
    expect((await logIn('a brand new password')).status).toBe(200);
    expect(await audits()).toContainEqual({ action: 'password_reset', target: `user:${user.id}` });
    expect((await post('/v1/auth/password', { password: 'a', new_password: 'b' })).status).toBe(401);
  });
});

describe('login', () => {
  it('opens a session that logout closes', async () => {
    const { user } = await test.account('researcher');
    const login = await post('/v1/auth/login', { email: user.email, password: testPassword });
    expect(login.body).toMatchObject({
      id: user.id,
      role: 'researcher',
      status: 'active',
      username: user.username,
    });
    expect(String(login.headers['set-cookie'])).toMatch(/HttpOnly.*Secure.*SameSite=Strict/);
    expect(String(login.headers['set-cookie'])).toContain('Max-Age=2592000');
    const cookie = cookieOf(login.headers);
    expect((await test.call({ url: '/v1/auth/me', headers: { cookie } })).body).toMatchObject({
      id: user.id,
    });
    expect((await test.call({ method: 'POST', url: '/auth/logout', headers: { cookie } })).status).toBe(204);
    expect(problemIn(await test.call({ url: '/v1/auth/me', headers: { cookie } }))).toMatchObject({
      status: 401,
    });
    expect((await test.call({ method: 'POST', url: '/v1/auth/logout' })).status).toBe(204);
    const seen = (await audits()).filter((row) => row.target === `user:${user.id}`).map((row) => row.action);
    expect(seen).toEqual(['signup', 'login_ok', 'logout']);
  });

  it('keeps no password, token or key in any table', async () => {
    const account = await test.account('researcher');
    const login = await post('/v1/auth/login', { email: account.user.email, password: testPassword });
    const token = cookieOf(login.headers).slice('svc_session='.length);
    const { rows } = await test.db.pool.query(
      `select query_to_xml('select * from ' || quote_ident(table_schema) || '.' || quote_ident(table_name), true, false, '')::text as dump
       from information_schema.tables where table_schema in ('public', 'audit', 'broker') and table_type = 'BASE TABLE'`,
    );
    const dump = rows.map((row) => row.dump).join('\n');
    expect(dump).toContain(account.user.email);
    for (const secret of [testPassword, token, account.key, '127.0.0.1'])
      expect(dump.includes(secret)).toBe(false);
  });

  it('refuses wrong passwords and unknown accounts alike', async () => {
    const { user } = await test.account('researcher');
    const unknown = await post('/v1/auth/login', { email: 'nobody@example.org', password: 'x' });
    expect(problemIn(unknown)).toMatchObject({ status: 401, code: 'invalid_credentials' });
    const wrong = await post('/v1/auth/login', { email: user.email, password: 'wrong' });
    expect(problemIn(wrong)).toMatchObject({ status: 401, code: 'invalid_credentials' });
    expect(wrong.body.detail).toBe(unknown.body.detail);
  });

  it('does not count logins that were right', async () => {
    const { user } = await test.account('guest');
    for (let i = 0; i < 11; i++) {
      expect((await post('/v1/auth/login', { email: user.email, password: testPassword })).status).toBe(200);
    }
  });
});

describe('failed logins', () => {
  const [home, elsewhere] = ['198.51.100.1', '203.0.113.9'];
  const attempt = async (email: string, password: string, remoteAddress: string) => {
    const payload = { email, password };
    return test.call({ method: 'POST', url: '/v1/auth/login', payload, remoteAddress });
  };
  const failTimes = async (count: number, email: string, from: string) => {
    for (let i = 0; i < count; i++) {
      const { body } = await attempt(email, `wrong ${i}`, from);
      expect(body.code).toBe('invalid_credentials');
      // The wait is over after this update.
      await test.db.updateTable('login_failure').set({ blocked_until: '2026-01-01T00:00:00Z' }).execute();
    }
  };

  it('make the next wait longer, for the account from that address alone', async () => {
    const { user } = await test.account('researcher');
    await failTimes(9, user.email, elsewhere);
    expect((await attempt(user.email, 'wrong', elsewhere)).status).toBe(401);
    const blocked = await attempt(user.email, testPassword, elsewhere);
    expect(problemIn(blocked)).toMatchObject({ status: 429, code: 'too_many_failures' });
    // The tenth failure waits 10 s doubled five times, minus the time that this test has taken.
    expect(Number(blocked.headers['retry-after'])).toBeGreaterThan(20);
    expect(Number(blocked.headers['retry-after'])).toBeLessThanOrEqual(320);
    expect((await attempt(user.email, testPassword, home)).status).toBe(200);
    const other = await test.account('researcher');
    expect((await attempt(other.user.email, testPassword, elsewhere)).status).toBe(200);
  });

  it('never lock the right password from an address that it came from before', async () => {
    const { user } = await test.account('admin');
    expect((await attempt(user.email, testPassword, home)).status).toBe(200);
    await failTimes(9, user.email, home);
    expect((await attempt(user.email, 'wrong', home)).status).toBe(401);
    expect(problemIn(await attempt(user.email, 'wrong', home)).code).toBe('too_many_failures');
    expect((await attempt(user.email, testPassword, home)).status).toBe(200);
    // The right password ended the wait.
    expect((await attempt(user.email, 'wrong', home)).status).toBe(401);
  });

  it('wait for nothing four times, then for 10 s and each time twice as long, at most 15 minutes', async () => {
    const source = { accountHash: 'waits', addressHash: 'waits' };
    const mine = () => test.db.updateTable('login_failure').where('account_hash', '=', 'waits');
    const stored = () =>
      test.db
        .selectFrom('login_failure')
        .select(['failures', sql<number>`extract(epoch from blocked_until - failed_at)::int`.as('wait')])
        .where('account_hash', '=', 'waits')
        .executeTakeFirstOrThrow();
    const waits: number[] = [];
    for (let i = 0; i < 13; i++) {
      expect(await takeLoginAttempt(test.db, source)).toBeNull();
      waits.push((await stored()).wait);
      await mine().set({ blocked_until: sql<string>`failed_at` }).execute();
    }
    expect(waits).toEqual([0, 0, 0, 0, 10, 20, 40, 80, 160, 320, 640, 900, 900]);
    // A day has passed without a failure, by the clock of the database.
    const yesterday = sql<string>`now() - interval '25 hours'`;
    await mine().set({ failed_at: yesterday, blocked_until: yesterday }).execute();
    await takeLoginAttempt(test.db, source);
    expect(await stored()).toEqual({ failures: 1, wait: 0 });
  });

  it('of many at once pass only until the wait begins', async () => {
    const { user } = await test.account('researcher');
    // The next wait is long enough for any machine to send all requests.
    await failTimes(8, user.email, elsewhere);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => attempt(user.email, `wrong ${i}`, elsewhere)),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(11);
  });

  it('are audited, refused ones too, with a hash of the address', async () => {
    const { user } = await test.account('researcher');
    await failTimes(9, user.email, elsewhere);
    await attempt(user.email, 'wrong', elsewhere);
    await attempt(user.email, 'wrong', elsewhere);
    const rows = await test.db
      .selectFrom('audit.audit_log')
      .select(['action', 'payload'])
      .where('target', '=', `user:${user.id}`)
      .where('action', '=', 'login_fail')
      .orderBy('id')
      .execute();
    expect(rows).toHaveLength(11);
    const { address_hash } = rows[0].payload as { address_hash: string };
    expect(address_hash).toMatch(/^[0-9a-f]{16}$/);
    expect(rows.at(-1)?.payload).toEqual({ reason: 'too_many_failures', address_hash });
  });
});

describe('the session cookie', () => {
  it('writes only from our own origin', async () => {
    const { user } = await test.account('researcher');
    const login = await post('/v1/auth/login', { email: user.email, password: testPassword });
    const cookie = cookieOf(login.headers);
    const job = { operation: 'ping', queue_name: 'svc.ping' };
    const foreign: Record<string, string>[] = [{}, { origin: 'https://evil.example' }, { origin: 'null' }];
    for (const origin of foreign) {
      expect(problemIn(await post('/v1/jobs', job, { cookie, ...origin }))).toMatchObject({
        code: 'origin_refused',
      });
    }
    expect((await post('/v1/jobs', job, { cookie, origin: 'http://localhost:80' })).status).toBe(201);
  });
});

describe('tokens', () => {
  const key = new TextEncoder().encode(testSettings.jwtSecret);
  const signed = (subject: string, role = 'admin', alg = 'HS256', secret = key) =>
    new SignJWT({ role })
      .setProtectedHeader({ alg })
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(secret);
  const me = (token: string) =>
    test.call({ url: '/v1/auth/me', headers: { authorization: `Bearer ${token}` } });

  it('exchanges a key for a Bearer that ends with the key', async () => {
    const account = await test.account('operator');
    const exchange = await post('/v1/auth/api-key-login', { api_key: account.key, ttl_seconds: 60 });
    expect(exchange.body).toMatchObject({ token_type: 'Bearer', expires_in: 60, role: 'operator' });
    expect((await me(exchange.body.token)).body.id).toBe(account.user.id);
    await test.call({
      method: 'DELETE',
      url: `/v1/auth/api-keys/${exchange.body.sub}`,
      headers: account.headers,
    });
    expect((await me(exchange.body.token)).status).toBe(401);
    expect(problemIn(await post('/v1/auth/api-key-login', { api_key: account.key })).status).toBe(401);
    expect(
      problemIn(await post('/v1/auth/api-key-login', { api_key: account.key, ttl_seconds: 59 })).status,
    ).toBe(422);
  });

  it('bounds the role of a token by the owner, and unknown roles by researcher', async () => {
    const { user } = await test.account('researcher');
    expect((await me(await signed(user.id))).body.role).toBe('researcher');
    const admin = await test.account('admin');
    expect((await me(await signed(admin.user.id, 'emperor'))).body.role).toBe('researcher');
    for (const role of ['viewer', 'guest']) {
      const token = await signed(admin.user.id, role);
      const headers = { authorization: `Bearer ${token}` };
      const job = { operation: 'ping', queue_name: 'svc.ping' };
      expect(problemIn(await post('/v1/jobs', job, headers))).toMatchObject({ code: 'role_too_low' });
      expect(problemIn(await post('/v1/experiment-runs', { name: role }, headers)).status).toBe(403);
    }
    await test.db.updateTable('user_account').set({ role: 'guest' }).where('id', '=', user.id).execute();
    expect((await me(await signed(user.id))).body.role).toBe('guest');
    await test.db
      .updateTable('user_account')
      .set({ status: 'deactivated' })
      .where('id', '=', user.id)
      .execute();
    expect((await me(await signed(user.id))).status).toBe(401);
  });

  it('refuses other algorithms, other secrets, missing claims and expired ones', async () => {
    const { user } = await test.account('admin');
    const bare = (claims: object) =>
      new SignJWT(claims as never).setProtectedHeader({ alg: 'HS256' }).setSubject(user.id);
    const bad = [
      new UnsecuredJWT({ role: 'admin' }).setSubject(user.id).setIssuedAt().setExpirationTime('5m').encode(),
      await signed(user.id, 'admin', 'HS512'),
      await signed(
        user.id,
        'admin',
        'HS256',
        new TextEncoder().encode('another secret of thirty-two bytes!'),
      ),
      await bare({}).setIssuedAt().sign(key),
      await bare({}).setExpirationTime('5m').sign(key),
      await bare({}).setIssuedAt(1).setExpirationTime(2).sign(key),
      await bare({ jti: '22222222-2222-4222-8222-222222222222' })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(key),
      await signed('nobody'),
      await signed('22222222-2222-4222-8222-222222222222'),
    ];
    for (const token of bad)
      expect(problemIn(await me(token))).toMatchObject({ status: 401, code: 'credential_invalid' });
  });

  it('takes Bearer before keys, and never falls back to another', async () => {
    const { key: raw } = await test.account('admin');
    const headers = { authorization: 'Bearer nonsense', 'x-api-key': raw };
    expect(problemIn(await test.call({ url: '/v1/auth/me', headers })).status).toBe(401);
    expect((await test.call({ url: '/v1/auth/me', headers: { 'x-api-key': raw } })).status).toBe(200);
  });
});

describe('bootstrap', () => {
  it('makes one administrator, with a password for the terminal', async () => {
    const fresh = await startTestApp();
    try {
      const settings = { email: 'Root@Example.org', password: null, passwordMinLength: 8 };
      expect(await bootstrapAdmin(fresh.db, { ...settings, email: null })).toEqual({ created: false });
      const outcomes = await Promise.all([1, 2, 3].map(() => bootstrapAdmin(fresh.db, settings)));
      const made = outcomes.filter((outcome) => outcome.created);
      expect(made).toEqual([
        { created: true, email: 'root@example.org', generatedPassword: expect.any(String) },
      ]);
      const login = await fresh.call({
        method: 'POST',
        url: '/v1/auth/login',
        payload: { email: 'root@example.org', password: made[0].created ? made[0].generatedPassword : null },
      });
      expect(login.body.role).toBe('admin');
      expect(await bootstrapAdmin(fresh.db, { ...settings, email: 'other@example.org' })).toEqual({
        created: false,
      });
    } finally {
      await fresh.close();
    }
  });
});
