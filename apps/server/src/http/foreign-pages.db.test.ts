import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  problemIn,
  startTestApp,
  type TestAccount,
  type TestApp,
  testPassword,
} from '../testing/test-app.js';

let test: TestApp;
let researcher: TestAccount;
let open: TestApp['app'];
beforeAll(async () => {
  test = await startTestApp({ allowedOrigins: ['https://kindred.lab.example'] });
  researcher = await test.account('researcher');
  open = await test.sibling({ authnRequired: false });
});
afterAll(() => test?.close());

/** Browsers send these headers with a write of a foreign page. */
const foreign: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'null' },
  { origin: 'http://kindred.lab.example' },
  { origin: 'https://kindred.lab.example:8443' },
  { origin: 'https://kindred.lab.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example', host: 'kindred.lab.example' },
  { origin: 'http://127.0.0.1:8000', host: '127.0.0.1:8000' },
];
const ours = { origin: 'https://kindred.lab.example', 'sec-fetch-site': 'same-origin' };

const accounts = async () =>
  (await test.db.selectFrom('user_account').select('id').orderBy('id').execute()).map((row) => row.id);

describe('a page of another service', () => {
  it('wipes nothing where authentication is off', async () => {
    const before = await accounts();
    for (const mount of ['/v1', '']) {
      for (const headers of foreign) {
        for (const url of [`${mount}/admin/reset-db`, `${mount}/maintenance/vacuum-sequences`]) {
          const reply = await open.inject({ method: 'POST', url, headers });
          expect([headers, url, reply.statusCode, reply.json().code]).toEqual([
            headers,
            url,
            403,
            'origin_refused',
          ]);
        }
      }
    }
    expect(await accounts()).toEqual(before);
    const vacuum = { method: 'POST', url: '/v1/maintenance/vacuum-sequences' } as const;
    expect((await open.inject({ ...vacuum, headers: ours })).statusCode).toBe(200);
    expect((await open.inject(vacuum)).statusCode).toBe(200);
  });

  it('neither logs in nor out, and writes with no credential', async () => {
    const login = { email: researcher.user.email, password: testPassword };
    const cookie = async () => {
      const reply = await test.call({ method: 'POST', url: '/v1/auth/login', payload: login, headers: ours });
      expect(reply.status).toBe(200);
      return String(reply.headers['set-cookie']).split(';')[0];
    };
    const session = await cookie();
    const job = { operation: 'ping', queue_name: 'svc.ping' };
    for (const headers of foreign) {
      const replies = [
        await test.call({ method: 'POST', url: '/v1/auth/login', payload: login, headers }),
        await test.call({ method: 'POST', url: '/v1/auth/logout', headers: { ...headers, cookie: session } }),
        await test.call({ method: 'POST', url: '/v1/annotate', headers }),
        await test.call({ method: 'POST', url: '/v1/support', payload: {}, headers }),
        await test.call({
          method: 'POST',
          url: '/v1/jobs',
          payload: job,
          headers: { ...headers, ...researcher.headers },
        }),
        await test.call({
          method: 'DELETE',
          url: `/v1/jobs/${crypto.randomUUID()}`,
          headers: { ...headers, cookie: session },
        }),
      ];
      for (const reply of replies)
        expect([headers, problemIn(reply).code]).toEqual([headers, 'origin_refused']);
      expect(replies[0].headers['set-cookie']).toBeUndefined();
    }
    // The refused request left the session alive.
    expect((await test.call({ url: '/v1/auth/me', headers: { cookie: session } })).status).toBe(200);
    const out = { method: 'POST', url: '/v1/auth/logout', headers: { ...ours, cookie: session } } as const;
    expect((await test.call(out)).status).toBe(204);
    expect((await test.call({ url: '/v1/auth/me', headers: { cookie: session } })).status).toBe(401);
  });

  it('may read and be linked from', async () => {
    for (const headers of foreign)
      expect((await test.call({ url: '/v1/sources', headers })).status).toBe(200);
  });
});

describe('a page of the service itself', () => {
  it('writes from the address that it listens on, whatever Host it sends', async () => {
    const app = await test.sibling({ allowedOrigins: [] });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = new URL(url);
    const logout = async (origin: string) =>
      (await fetch(`${url}/v1/auth/logout`, { method: 'POST', headers: { origin } })).status;
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      expect([name, await logout(`http://${name}:${port}`)]).toEqual([name, 204]);
      expect([name, await logout(`http://${name}:${Number(port) - 1}`)]).toEqual([name, 403]);
    }
    expect(await logout(`http://evil.example:${port}`)).toBe(403);
  });

  it('writes from the hosts that an operator lists', async () => {
    const app = await test.sibling({ allowedHosts: ['tunnel.example:9000', '*'] });
    const logout = async (origin: string) =>
      (await app.inject({ method: 'POST', url: '/v1/auth/logout', headers: { origin } })).statusCode;
    expect(await logout('http://tunnel.example:9000')).toBe(204);
    expect(await logout('http://tunnel.example')).toBe(403);
    expect(await logout('http://anything.example')).toBe(403);
  });
});

describe('Strict-Transport-Security', () => {
  const policyOf = async (origin: string) => {
    const app = await test.sibling({ allowedOrigins: [origin] });
    const reply = await app.inject({ url: '/health' });
    return reply.headers['strict-transport-security'];
  };
  it('is sent where users come by https, and only there', async () => {
    expect(await policyOf('https://kindred.lab.example')).toBe('max-age=31536000');
    expect(await policyOf('http://kindred.lab.example')).toBeUndefined();
  });
});
