import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrapAdmin } from '../../../accounts/admin.js';
import { problemIn, startTestApp, type TestApp, testPassword, testSettings } from '../../test-app.js';

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

  it('refuses wrong passwords and unknown accounts alike, and stops after ten', async () => {
    const { user } = await test.account('researcher');
    const unknown = await post('/v1/auth/login', { email: 'nobody@example.org', password: 'x' });
    expect(problemIn(unknown)).toMatchObject({ status: 401, code: 'invalid_credentials' });
    for (let i = 0; i < 10; i++) {
      const wrong = await post('/v1/auth/login', { email: user.email, password: `wrong ${i}` });
      expect(problemIn(wrong).code).toBe('invalid_credentials');
    }
    const blocked = await post('/v1/auth/login', { email: user.email, password: testPassword });
    expect(problemIn(blocked)).toMatchObject({ status: 429, code: 'too_many_failures' });
    expect(Number(blocked.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('does not count logins that were right', async () => {
    const { user } = await test.account('guest');
    for (let i = 0; i < 11; i++) {
      expect((await post('/v1/auth/login', { email: user.email, password: testPassword })).status).toBe(200);
    }
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
