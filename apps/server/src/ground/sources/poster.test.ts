import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StubServer, startStubServer } from '../../testing/stub-server.js';
import { createPoster, type PosterSettings } from './poster.js';

const posterWith = (settings: Partial<PosterSettings>) =>
  createPoster({ allowedHosts: null, userAgent: 'kindred/test', ...settings });
const message = { headers: { 'webhook-id': 'one' }, json: '{"type":"ping"}' };

describe('addresses that users give', () => {
  const { check } = posterWith({ allowedHosts: null });
  it.each([
    'http://example.org/',
    'https://example.org:8443/',
    'https://me:word@example.org/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data',
    'ftp://example.org/',
    'nonsense',
  ])('refuses %s', (address) => {
    expect(() => check(address)).toThrow(expect.objectContaining({ code: 'address_refused' }));
  });

  it('takes public hosts by https, and what the operator names', () => {
    expect(() => check('https://example.org/hook?key=1')).not.toThrow();
    const named = posterWith({ allowedHosts: ['build.lab.example:8080'] });
    expect(() => named.check('http://build.lab.example:8080/hook')).not.toThrow();
    expect(() => named.check('https://example.org/')).toThrow('SVC_WEBHOOK_ALLOWED_HOSTS');
  });
});

describe('post', () => {
  let stub: StubServer;
  const bodies: string[] = [];
  beforeAll(async () => {
    stub = await startStubServer((request, response) => {
      if (request.url === '/silent') return;
      if (request.url === '/moved') return void response.writeHead(307, { location: '/hook' }).end();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(`${request.headers['webhook-id']} ${Buffer.concat(chunks)}`);
        response.end('thanks');
      });
    });
  });
  afterAll(() => stub?.close());

  it('sends headers and body, and gives the status', async () => {
    const poster = posterWith({ allowedHosts: [stub.host] });
    await expect(poster.post(`${stub.url}/hook`, message)).resolves.toEqual({ status: 200, error: null });
    expect(bodies).toEqual(['one {"type":"ping"}']);
  });

  it('follows no redirect', async () => {
    const poster = posterWith({ allowedHosts: [stub.host] });
    await expect(poster.post(`${stub.url}/moved`, message)).resolves.toEqual({ status: 307, error: null });
    expect(stub.requests.filter((path) => path === '/hook')).toHaveLength(1);
  });

  it('gives up a silent receiver', async () => {
    const poster = posterWith({ allowedHosts: [stub.host], timeoutMs: 20 });
    const { status, error } = await poster.post(`${stub.url}/silent`, message);
    expect(status).toBeNull();
    expect(error).toContain('no answer');
  });

  it('tells the user nothing of the network behind a name that leads inside', async () => {
    const poster = posterWith({ resolve: async () => [{ address: '10.11.12.13', family: 4 }] });
    const { status, error } = await poster.post('https://example.org/', message);
    expect(status).toBeNull();
    expect(error).toContain('SVC_WEBHOOK_ALLOWED_HOSTS');
    expect(error).not.toContain('10.11');
  });
});
