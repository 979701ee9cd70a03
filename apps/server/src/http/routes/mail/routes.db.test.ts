import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMailLinks, type MailLinks } from '../../../accounts/mail-links.js';
import type { MailSettings } from '../../../accounts/settings.js';
import { closeDatabase, type Database, openDatabase } from '../../../store/postgres/connection.js';
import { problemIn, startTestApp, type TestApp, testPassword } from '../../../testing/test-app.js';

interface Received {
  from: string;
  to: string[];
  user: string | undefined;
  text: string;
}

let server: SMTPServer;
let received: Received[];
let settings: MailSettings;
let test: TestApp;
let mailDb: Database;
let warnings: unknown[];
/** A test sets this flag to make the server refuse the mail. */
let refusing = false;
const login = { user: 'kindred', password: 'the password of the mail account' };
const links: { current?: MailLinks } = {};

beforeAll(async () => {
  server = new SMTPServer({
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) =>
      username === login.user && password === login.password
        ? done(null, { user: username })
        : done(new Error('wrong password')),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refusing) return done(new Error('mailbox of someone@example.org is full'));
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map((address) => address.address),
          user: session.user,
          text: decode(Buffer.concat(chunks).toString()),
        });
        return done();
      });
    },
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.server.address() as AddressInfo;
  settings = {
    host: '127.0.0.1',
    port,
    security: 'none',
    login,
    from: 'Kindred <kindred@lab.example>',
    baseUrl: 'https://kindred.lab.example/',
  };
  const mail: MailLinks = {
    request: (purpose, email) => links.current?.request(purpose, email),
    settled: async () => links.current?.settled(),
  };
  test = await startTestApp({}, mail);
  mailDb = openDatabase(test.url, 4);
});
beforeEach(() => {
  received = [];
  warnings = [];
  refusing = false;
  links.current = createMailLinks(mailDb, settings, {
    warn: (fields, text) => warnings.push([fields, text]),
  });
});
afterAll(async () => {
  await closeDatabase(mailDb);
  await test?.close();
  await new Promise<void>((closed) => server.close(closed));
});

/** Decodes quoted-printable, as far as these mails need it. */
function decode(message: string): string {
  return message
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
const post = (url: string, payload: object) => test.call({ method: 'POST', url, payload });
const ask = async (kind: 'magic-link' | 'password-reset', email: string) => {
  const answer = await post(`/v1/auth/${kind}/request`, { email });
  await links.current?.settled();
  return answer;
};
const tokenIn = (mail: Received) => /token=([A-Za-z0-9_-]{43})/.exec(mail.text)?.[1] as string;
const consume = (token: string) => test.call({ url: `/v1/auth/magic-link/consume?token=${token}` });
const reset = (token: string, new_password: string) =>
  post('/v1/auth/password-reset/consume', { token, new_password });
const logIn = (email: string, password: string) => post('/v1/auth/login', { email, password });
const age = (interval: string) =>
  test.db.pool.query(`update mail_token set expires_at = expires_at - interval '${interval}'`);

describe('the login link', () => {
  it('arrives by mail, logs in once, and is recorded', async () => {
    const { user } = await test.account('researcher');
    expect((await ask('magic-link', user.email.toUpperCase())).status).toBe(204);
    expect(received).toMatchObject([{ from: 'kindred@lab.example', to: [user.email], user: 'kindred' }]);
    const token = tokenIn(received[0]);
    expect(received[0].text).toContain(
      `https://kindred.lab.example/v1/auth/magic-link/consume?token=${token}`,
    );
    const head = await test.app.inject({ method: 'HEAD', url: `/v1/auth/magic-link/consume?token=${token}` });
    expect(head.statusCode).toBe(404);
    const opened = await consume(token);
    expect([opened.status, opened.headers.location]).toEqual([302, '/']);
    expect(String(opened.headers['set-cookie'])).toMatch(/HttpOnly.*Secure.*SameSite=Strict/);
    const cookie = String(opened.headers['set-cookie']).split(';')[0];
    expect((await test.call({ url: '/v1/auth/me', headers: { cookie } })).body.id).toBe(user.id);
    expect(problemIn(await consume(token))).toMatchObject({ status: 401, code: 'credential_invalid' });
    const rows = await test.db
      .selectFrom('audit.audit_log')
      .select(['action', 'payload'])
      .orderBy('id', 'desc')
      .limit(2)
      .execute();
    expect(rows).toEqual([
      { action: 'login_fail', payload: { reason: 'link_invalid' } },
      { action: 'login_ok', payload: { by: 'magic_link' } },
    ]);
  });

  it('opens one session when used many times at once', async () => {
    const { user } = await test.account('researcher');
    await ask('magic-link', user.email);
    const token = tokenIn(received[0]);
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => consume(token)))).map(
      (answer) => answer.status,
    );
    expect(statuses.sort()).toEqual([302, 401, 401, 401, 401, 401, 401, 401]);
  });

  it('ends after fifteen minutes, and with the account', async () => {
    const [one, two] = [await test.account('researcher'), await test.account('researcher')];
    await ask('magic-link', one.user.email);
    await age('14 minutes 50 seconds');
    expect((await consume(tokenIn(received[0]))).status).toBe(302);
    await ask('magic-link', one.user.email);
    await age('15 minutes');
    expect((await consume(tokenIn(received[1]))).status).toBe(401);
    await ask('magic-link', two.user.email);
    await test.db
      .updateTable('user_account')
      .set({ status: 'deactivated' })
      .where('id', '=', two.user.id)
      .execute();
    expect(problemIn(await consume(tokenIn(received[2]))).code).toBe('account_deactivated');
  });
});

describe('the password link', () => {
  it('sets a new password once, ends sessions, other links and the wait for failures', async () => {
    const { user, headers } = await test.account('researcher');
    const session = await logIn(user.email, testPassword);
    const cookie = String(session.headers['set-cookie']).split(';')[0];
    for (let n = 0; n < 10; n++) await logIn(user.email, `wrong ${n}`);
    expect((await logIn(user.email, 'wrong')).status).toBe(429);
    await ask('magic-link', user.email);
    await ask('password-reset', user.email);
    expect(received[1].text).toContain('https://kindred.lab.example/password-reset#token=');
    const [magic, token] = received.map(tokenIn);
    expect(problemIn(await reset(token, 'short')).errors?.[0].path).toBe('/new_password');
    expect(problemIn(await reset(token, user.email)).errors?.[0].code).toBe('weak_password');
    expect((await reset(token, 'a brand new password')).status).toBe(204);
    expect(problemIn(await reset(token, 'one more password')).status).toBe(401);
    expect((await consume(magic)).status).toBe(401);
    expect((await test.call({ url: '/v1/auth/me', headers: { cookie } })).status).toBe(401);
    expect((await test.call({ url: '/v1/auth/me', headers })).status).toBe(200);
    expect((await logIn(user.email, testPassword)).status).toBe(401);
    expect((await logIn(user.email, 'a brand new password')).status).toBe(200);
    const row = await test.db
      .selectFrom('audit.audit_log')
      .select(['actor_user_id', 'payload'])
      .where('action', '=', 'password_reset')
      .executeTakeFirst();
    expect(row).toEqual({ actor_user_id: user.id, payload: { sessions_revoked: 1 } });
  });

  it('is not a login link, nor the other way round', async () => {
    const { user } = await test.account('researcher');
    await ask('password-reset', user.email);
    await ask('magic-link', user.email);
    const [forPassword, forLogin] = received.map(tokenIn);
    expect((await consume(forPassword)).status).toBe(401);
    expect((await reset(forLogin, 'a brand new password')).status).toBe(401);
    expect((await reset(forPassword, 'a brand new password')).status).toBe(204);
  });
});

describe('a request', () => {
  it('is answered alike for every address, and mails only active accounts', async () => {
    const pending = { email: 'waits@example.org', username: 'waits', password: testPassword };
    await post('/v1/auth/signup', pending);
    const stopped = await test.account('researcher');
    await test.db
      .updateTable('user_account')
      .set({ status: 'deactivated' })
      .where('id', '=', stopped.user.id)
      .execute();
    const known = await test.account('researcher');
    const strip = ({ status, body, headers }: Awaited<ReturnType<typeof ask>>) => {
      const { date, 'x-request-id': _id, ratelimit, ...rest } = headers;
      return { status, body, rest };
    };
    const answers = [];
    for (const email of [known.user.email, pending.email, stopped.user.email, 'nobody@example.org'])
      answers.push(strip(await ask('password-reset', email)), strip(await ask('magic-link', email)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(received.map((mail) => mail.to)).toEqual([[known.user.email], [known.user.email]]);
  });

  it('fills no mailbox: five an hour for one account', async () => {
    const { user } = await test.account('researcher');
    for (let n = 0; n < 8; n++) expect((await ask('magic-link', user.email)).status).toBe(204);
    expect(received).toHaveLength(5);
  });

  it('keeps neither token nor address: not in a table, not in the log', async () => {
    const { user } = await test.account('researcher');
    await ask('magic-link', user.email);
    refusing = true;
    await ask('password-reset', user.email);
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(warnings)).not.toMatch(/example\.org|token/);
    const { rows } = await test.db.pool.query('select * from mail_token');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(tokenIn(received[0]));
  });

  it('sends nothing in the clear where encryption is required', async () => {
    const { user } = await test.account('researcher');
    // The server made its certificate itself, and anybody between the two could make a similar one.
    links.current = createMailLinks(
      mailDb,
      { ...settings, security: 'starttls' },
      {
        warn: (fields) => warnings.push(fields),
      },
    );
    expect((await ask('magic-link', user.email)).status).toBe(204);
    expect(received).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it('refuses what is not an address or a token', async () => {
    expect(problemIn(await post('/v1/auth/magic-link/request', { email: 'x' })).status).toBe(422);
    expect(problemIn(await consume('short')).status).toBe(422);
    expect(problemIn(await consume('x'.repeat(43))).status).toBe(401);
  });
});

it('is a 404 everywhere without a mail server', async () => {
  const plain = await startTestApp();
  try {
    const token = 'x'.repeat(43);
    const calls = [
      { method: 'POST', url: '/v1/auth/magic-link/request', payload: { email: 'a@example.org' } },
      { method: 'GET', url: `/v1/auth/magic-link/consume?token=${token}` },
      { method: 'POST', url: '/v1/auth/password-reset/request', payload: { email: 'a@example.org' } },
      {
        method: 'POST',
        url: '/v1/auth/password-reset/consume',
        payload: { token, new_password: 'long enough' },
      },
    ] as const;
    for (const call of calls)
      expect(problemIn(await plain.call(call))).toMatchObject({ status: 404, code: 'smtp_not_configured' });
  } finally {
    await plain.close();
  }
});
