import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../testing/test-app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ allowedOrigins: ['https://kindred.lab.example'] });
});
afterAll(() => test.close());

const statusOf = async (host: string, url = '/v1/jobs', app = test.app) =>
  (await app.inject({ url, headers: { host } })).statusCode;

describe('the host of a request', () => {
  it.each([
    'kindred.lab.example',
    'KINDRED.lab.example:8443',
    'localhost:8000',
    'page.localhost',
    '127.0.0.1:8000',
    '[::1]:8000',
    '192.168.1.5',
  ])('may be %s', async (host) => {
    expect(await statusOf(host)).toBe(200);
  });

  it.each([
    'evil.example',
    'evil.example:8000',
    'localhost.evil.example',
    'kindred.lab.example.evil',
    'not a host',
  ])('is refused as %s, on reads and writes alike', async (host) => {
    const reply = await test.app.inject({ url: '/v1/jobs', headers: { host } });
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toMatchObject({
      code: 'malformed_request',
      detail: expect.stringContaining('SVC_ALLOWED_HOSTS'),
    });
    const write = await test.app.inject({ method: 'POST', url: '/v1/auth/logout', headers: { host } });
    expect(write.statusCode).toBe(400);
  });

  it('does not matter to health probes', async () => {
    expect(await statusOf('10-1-2-3.pods.cluster', '/health')).toBe(200);
  });

  it('is what SVC_ALLOWED_HOSTS lists instead of the base address; * allows all', async () => {
    const listed = await test.sibling({ allowedHosts: ['other.lab.example:8000'] });
    expect(await statusOf('other.lab.example', '/v1/jobs', listed)).toBe(200);
    expect(await statusOf('kindred.lab.example', '/v1/jobs', listed)).toBe(400);
    const open = await test.sibling({ allowedHosts: ['*'] });
    expect(await statusOf('evil.example', '/v1/jobs', open)).toBe(200);
  });
});
