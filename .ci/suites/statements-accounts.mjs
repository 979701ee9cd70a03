// The statements of the specification on credentials, accounts, keys and the audit log.
import { createHmac } from 'node:crypto';
import { ask, is, places, post, problem, state, world } from './statements-lib.mjs';

const password = 'correct horse battery';
const encoded = (value) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Makes a token with the secret of the service, or another one. */
function token(claims, { secret = world.secret, alg = 'HS256' } = {}) {
  const signed = `${encoded({ alg, typ: 'JWT' })}.${encoded(claims)}`;
  return `${signed}.${alg === 'none' ? '' : createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
const now = () => Math.floor(Date.now() / 1000);
const claims = (more = {}) => ({
  sub: world.ids.ada,
  role: 'researcher',
  status: 'active',
  iat: now(),
  exp: now() + 600,
  ...more,
});
const bearer = (value) => ({ authorization: `Bearer ${value}` });

async function session(email = 'ada@example.org') {
  const { headers } = await post('/auth/login', { email, password });
  return headers.getSetCookie()[0].split(';')[0];
}

let people = 0;
async function signedUp() {
  const name = `walker${++people}`;
  const body = {
    email: `${name}@example.org`,
    username: name,
    display_name: name,
    password,
    intended_use: 'x',
  };
  return { name, body, reply: await post('/auth/signup', body) };
}

// The forms of credentials.
{
  const of = places.authentication;
  const me = (headers) => ask('GET', '/auth/me', { headers });
  const key = () => world.keys.ada.key;
  state(
    of,
    'Authorization: ApiKey',
    () => me({ authorization: `ApiKey ${key()}` }),
    is(200, ({ body }) => body.username === 'ada'),
  );
  state(of, 'X-Api-Key', () => me({ 'x-api-key': key() }), is(200));
  state(
    of,
    'Authorization: Bearer of an exchanged key',
    async () =>
      me(bearer((await post('/auth/api-key-login', { api_key: key(), ttl_seconds: 60 })).body.token)),
    is(200),
  );
  state(of, 'cookie svc_session', async () => me({ cookie: await session() }), is(200));
  state(of, 'no credential is 401', () => me({}), problem(401));
  for (const [says, value] of Object.entries({
    'signed with another secret': () => token(claims(), { secret: 'another secret of thirty-two bytes' }),
    'alg none': () => token(claims({ role: 'admin' }), { alg: 'none' }),
    'that has expired': () => token(claims({ exp: now() - 10 })),
    'without sub': () => token(claims({ sub: undefined })),
    'without iat': () => token(claims({ iat: undefined })),
    'without exp': () => token(claims({ exp: undefined })),
    'with an unknown jti': () => token(claims({ jti: '00000000-0000-4000-8000-000000000000' })),
    'that is none': () => 'a.b.c',
    'of an account that does not exist': () => token(claims({ sub: '00000000-0000-4000-8000-000000000000' })),
  }))
    state(of, `a token ${says} is 401`, () => me(bearer(value())), problem(401));
  state(
    of,
    'an unknown role is researcher',
    async () =>
      ask('GET', '/workers/status', {
        headers: bearer(token(claims({ sub: world.keys.adminId, role: 'emperor' }))),
      }),
    problem(403),
  );
  for (const [role, sub, path, status] of [
    ['viewer', 'adminId', '/admin/users', 403],
    ['operator', 'adminId', '/admin/users', 403],
    ['admin', 'adminId', '/admin/users', 200],
    ['admin', 'ada', '/admin/users', 403],
  ])
    state(
      of,
      `a token of role ${role} of ${sub === 'ada' ? 'a researcher' : 'an admin'} on an admin-only route gets ${status}`,
      () =>
        ask('GET', path, {
          headers: bearer(token(claims({ sub: sub === 'ada' ? world.ids.ada : world.keys.adminId, role }))),
        }),
      is(status),
    );
  state(
    of,
    'api-key-login returns token, token_type, expires_in, role, sub',
    () => post('/auth/api-key-login', { api_key: key(), ttl_seconds: 120 }),
    is(
      200,
      ({ body }) =>
        Object.keys(body).sort().join() === 'expires_in,role,sub,token,token_type' && body.expires_in === 120,
    ),
  );
  state(
    of,
    'api-key-login with a wrong key is 401',
    () => post('/auth/api-key-login', { api_key: 'w'.repeat(43), ttl_seconds: 60 }),
    problem(401),
  );
  for (const form of ['ApiKey', 'Bearer', 'Basic'])
    state(
      of,
      `a wrong credential in the form ${form} is 401`,
      () => me({ authorization: `${form} wrong` }),
      problem(401),
    );
}

// The statements on signup, login and sessions.
{
  const of = places.authentication;
  const admin = (path, body) => post(path, body, 'admin');
  state(
    places.states,
    'signup makes a pending user',
    async () => (await signedUp()).reply,
    is(201, ({ body }) => body.status === 'pending'),
  );
  for (const name of ['id', 'email', 'username', 'status'])
    state(
      of,
      `signup returns ${name}`,
      async () => (await signedUp()).reply,
      is(201, ({ body }) => typeof body[name] === 'string'),
    );
  for (const name of ['email', 'username'])
    state(
      places.errors,
      `signup with an existing ${name} is 409`,
      async () => {
        const { body } = await signedUp();
        return post('/auth/signup', {
          ...body,
          [name === 'email' ? 'username' : 'email']:
            `other${people}${name === 'email' ? '' : '@example.org'}`,
        });
      },
      problem(409),
    );
  for (const name of ['email', 'username', 'password'])
    state(
      of,
      `signup needs ${name}`,
      () =>
        post('/auth/signup', {
          email: 'x@example.org',
          username: 'x',
          display_name: 'x',
          password,
          intended_use: 'x',
          [name]: undefined,
        }),
      problem(422),
    );
  state(
    places.errors,
    'login of a pending account is 403 account_pending_approval',
    async () => post('/auth/login', { email: (await signedUp()).body.email, password }),
    problem(403, undefined, ({ code }) => code === 'account_pending_approval'),
  );
  state(
    places.errors,
    'login of a deactivated account is 403 account_deactivated',
    () => post('/auth/login', { email: 'dora@example.org', password }),
    problem(403, undefined, ({ code }) => code === 'account_deactivated'),
  );
  state(
    places.errors,
    'an invalid login is 401',
    () => post('/auth/login', { email: 'ben@example.org', password: 'wrong wrong' }),
    problem(401),
  );
  state(
    places.states,
    'approval makes a user active, a researcher',
    async () => admin(`/admin/users/${(await signedUp()).reply.body.id}/approve`),
    is(200, ({ body }) => body.status === 'active' && body.role === 'researcher'),
  );
  state(
    places.states,
    'approval may set operator',
    async () => admin(`/admin/users/${(await signedUp()).reply.body.id}/approve`, { role: 'operator' }),
    is(200, ({ body }) => body.role === 'operator'),
  );
  state(
    places.states,
    'deactivation',
    async () => {
      const { reply } = await signedUp();
      await admin(`/admin/users/${reply.body.id}/approve`);
      return admin(`/admin/users/${reply.body.id}/deactivate`);
    },
    is(200, ({ body }) => body.status === 'deactivated'),
  );
  state(
    'Authentication endpoints',
    'DELETE /v1/users/{id}',
    async () => ask('DELETE', `/users/${(await signedUp()).reply.body.id}`, { as: 'admin' }),
    ({ status }) => [200, 204].includes(status) || status,
  );
  for (const name of ['id', 'email', 'username', 'display_name', 'role', 'status']) {
    state(
      'Authentication endpoints',
      `login returns ${name}`,
      () => post('/auth/login', { email: 'ada@example.org', password }),
      is(200, ({ body }) => typeof body[name] === 'string'),
    );
    state(
      'Authentication endpoints',
      `me has ${name}`,
      () => ask('GET', '/auth/me', { as: 'ada' }),
      is(200, ({ body }) => typeof body[name] === 'string'),
    );
  }
  for (const [name, pattern] of Object.entries({
    HttpOnly: /HttpOnly/i,
    Secure: /Secure/i,
    'SameSite=Strict': /SameSite=Strict/i,
    'Max-Age of 30 days': /Max-Age=2592000/i,
    'the name svc_session': /^svc_session=/,
  }))
    state(
      of,
      `the cookie has ${name}`,
      () => post('/auth/login', { email: 'ada@example.org', password }),
      is(200, ({ headers }) => pattern.test(headers.getSetCookie()[0]) || headers.getSetCookie()[0]),
    );
  for (const name of ['sub', 'jti', 'role', 'status', 'exp', 'iat'])
    state(
      of,
      `the session token has the claim ${name}`,
      async () => JSON.parse(Buffer.from((await session()).split('.')[1], 'base64url')),
      (found) => found[name] !== undefined,
    );
  state(of, 'logout is 204, also without a cookie', () => post('/auth/logout'), is(204));
  state(
    of,
    'after logout the session is 401',
    async () => {
      const cookie = await session();
      await post('/auth/logout', undefined, 'viewer', { headers: { cookie, origin: world.url } });
      return ask('GET', '/auth/me', { headers: { cookie } });
    },
    problem(401),
  );
  state(
    places.states,
    'revoke-sessions ends the sessions of a user',
    async () => {
      const cookie = await session('ben@example.org');
      await admin(`/auth/admin/revoke-sessions/${world.keys.ben.id}`);
      return ask('GET', '/auth/me', { headers: { cookie } });
    },
    problem(401),
  );
}

// The statements on API keys.
{
  const of = 'Authentication endpoints';
  const mint = (as, body = { name: 'walk' }) => post('/auth/api-keys', body, as);
  const made = (as = 'admin', role = 'researcher') =>
    mint(as, {
      name: `walk ${Math.random()}`,
      role,
      ...(as === 'admin' ? { user_id: world.keys.cleo.id } : {}),
    });
  for (const name of ['id', 'prefix', 'name', 'key', 'created_at', 'role', 'revoked_at', 'last_used_at'])
    state(
      of,
      `a new key has ${name}`,
      () => made(),
      is(201, ({ body }) => name in body),
    );
  state(
    places.limits,
    'the prefix has 8 characters',
    () => made(),
    is(201, ({ body }) => body.prefix.length === 8 && body.key.startsWith(body.prefix)),
  );
  state(
    of,
    'the raw key is in no list',
    () => ask('GET', '/auth/api-keys', { as: 'admin' }),
    is(200, ({ body }) => body.length > 0 && body.every((row) => !('key' in row) && !('key_hash' in row))),
  );
  state(
    places.states,
    'a revoked key is 401, and its row stays',
    async () => {
      const { body } = await made();
      await ask('DELETE', `/auth/api-keys/${body.id}`, { as: 'admin' });
      const used = await ask('GET', '/auth/me', { headers: { authorization: `ApiKey ${body.key}` } });
      const rows = await ask('GET', '/auth/api-keys?include_revoked=true&limit=500', { as: 'admin' });
      return { status: used.status, row: rows.body.find(({ id }) => id === body.id) };
    },
    ({ status, row }) =>
      (status === 401 && typeof row?.revoked_at === 'string') || `${status} ${JSON.stringify(row)}`,
  );
  state(places.authentication, 'a researcher has one key', () => mint('ada'), problem(409));
  state(
    places.authentication,
    'a researcher mints no key of a higher role',
    () => mint('ada', { name: 'x', role: 'admin' }),
    problem(403),
  );
  state(
    places.authentication,
    "a researcher mints no other's key",
    () => mint('ada', { name: 'x', user_id: world.keys.ben.id }),
    problem(403),
  );
}

// The statements on the audit log, and on mail.
{
  for (const action of [
    'signup',
    'login_ok',
    'login_fail',
    'logout',
    'user_approve',
    'user_deactivate',
    'api_key_mint',
    'api_key_revoke',
    'admin_session_revoke',
  ])
    state(
      places.authentication,
      `the audit log has ${action}`,
      () => ask('GET', `/admin/audit?action=${action}`, { as: 'admin' }),
      is(200, ({ body }) => body.length > 0 && body.every((row) => row.action === action)),
    );
  state(
    places.authentication,
    'a change of role is audited',
    async () => {
      const { reply } = await signedUp();
      await post(`/admin/users/${reply.body.id}/approve`, undefined, 'admin');
      for (const role of ['operator', 'researcher'])
        await post(`/admin/users/${reply.body.id}/role`, { role }, 'admin');
      return ask('GET', '/admin/audit?action=role_change', { as: 'admin' });
    },
    is(200, ({ body }) => body.length >= 2),
  );
  for (const [method, path] of [
    ['POST', '/auth/magic-link/request'],
    ['POST', '/auth/password-reset/request'],
    ['POST', '/auth/password-reset/consume'],
    ['GET', '/auth/magic-link/consume'],
  ])
    state(
      places.authentication,
      `without SVC_SMTP_* ${method} ${path} is disabled`,
      () =>
        ask(method, path + (method === 'GET' ? `?token=${'x'.repeat(43)}` : ''), {
          body:
            method === 'GET'
              ? undefined
              : path.endsWith('request')
                ? { email: 'a@example.org' }
                : { token: 'x'.repeat(43), new_password: password },
        }),
      problem(404, undefined, ({ code }) => code === 'smtp_not_configured'),
    );
}
