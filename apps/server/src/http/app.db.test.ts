import { once } from 'node:events';
import { connect } from 'node:net';
import { ProblemError } from '@kindred/contracts';
import { routeRows } from '@kindred/contracts/routes';
import { refusalsOf } from '@kindred/contracts/route';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Memory } from '../ground/memory.js';
import type { PluginRegistry } from '../ground/plugins/registry.js';
import { closeDatabase, openDatabase } from '../store/postgres/connection.js';
import { createLog } from '../telemetry/log.js';
import { createMetrics } from '../telemetry/metrics.js';
import { buildApp } from './app.js';
import type { HttpDeps } from './deps.js';
import { problemIn, startTestApp, type TestApp } from '../testing/test-app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test?.close());

const id = '11111111-1111-4111-8111-111111111111';

describe('the shell', () => {
  it('answers health and readiness at the root only', async () => {
    expect((await test.call({ url: '/health' })).body).toEqual({ status: 'ok' });
    expect((await test.call({ url: '/health/ready' })).body).toEqual({ status: 'ready' });
    expect((await test.call({ url: '/v1/health' })).status).toBe(404);
    test.broker.reachable = false;
    const down = await test.call({ url: '/health/ready' });
    test.broker.reachable = true;
    expect(problemIn(down)).toMatchObject({ status: 503, code: 'service_unavailable' });
  });

  it('mounts each route twice: described at /v1, deprecated and undescribed bare', async () => {
    const description = (await test.call({ url: '/v1/openapi.json' })).body;
    expect(description.openapi).toMatch(/^3\.1/);
    const described = Object.entries(description.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const expected = routeRows.map((row) => `${row.method} /v1${row.path.replaceAll(/:([a-z_]+)/g, '{$1}')}`);
    expect(described.sort()).toEqual([...expected, 'GET /health', 'GET /health/ready'].sort());
    const bare = await test.call({ url: '/jobs' });
    expect(bare.status).toBe(200);
    expect(bare.headers.deprecation).toMatch(/^@\d+$/);
    expect(bare.headers.link).toContain('</v1/jobs>; rel="successor-version"');
    expect((await test.call({ url: '/v1/jobs' })).headers.deprecation).toBeUndefined();
  });

  it('writes the floors of the table into the description', async () => {
    const { paths } = (await test.call({ url: '/v1/openapi.json' })).body;
    for (const row of routeRows) {
      const operation = paths[`/v1${row.path.replaceAll(/:([a-z_]+)/g, '{$1}')}`][row.method.toLowerCase()];
      const open =
        operation.security.length === 0 ||
        operation.security.some((s: object) => Object.keys(s).length === 0);
      expect([row.path, open]).toEqual([row.path, row.floor === 'viewer']);
      const refusals = Object.entries<{ content: object }>(operation.responses).filter(
        ([status]) => status >= '4',
      );
      expect(refusals.map(([status]) => Number(status))).toEqual(refusalsOf(row));
      for (const [, { content }] of refusals)
        expect(Object.keys(content)).toEqual(['application/problem+json']);
    }
  });

  it('turns unknown paths and wrong methods into problems', async () => {
    expect(problemIn(await test.call({ url: '/v1/nothing' }))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    const wrong = await test.call({ method: 'PUT', url: '/v1/jobs' });
    expect(problemIn(wrong)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(wrong.headers.allow).toBe('POST, GET, HEAD');
    expect((await test.call({ method: 'PATCH', url: `/jobs/${id}/events` })).headers.allow).toBe('GET, HEAD');
    expect(problemIn(await test.call({ url: '/v1/jobs/%ZZ' }))).toMatchObject({ status: 400 });
    expect(problemIn(await test.call({ url: '/v1/proteins/%00' }))).toMatchObject({ status: 422 });
  });

  it('explains each problem on a page, and shows the reference under a strict policy', async () => {
    const page = await test.call({ url: '/problems/unprocessable-entity' });
    expect(page.status).toBe(200);
    expect(page.body).toContain('bad_fasta');
    expect((await test.call({ url: '/problems/nothing' })).status).toBe(404);
    const docs = await test.call({ url: '/docs/' });
    expect(docs.status).toBe(200);
    expect(docs.body).not.toMatch(/https?:\/\//);
    const policy = String(docs.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    for (const asset of ['swagger-ui-bundle.js', 'swagger-ui.css', 'swagger-initializer.js']) {
      expect((await test.call({ url: `/docs/static/${asset}` })).status).toBe(200);
    }
  });

  it('counts requests by route template', async () => {
    await test.call({ url: `/v1/jobs/${id}` });
    const text = (await test.call({ url: '/v1/metrics' })).body;
    expect(text).toContain('http_requests_total{method="GET",route="/v1/jobs/:id",status="404"} 1');
    expect(text).toContain('http_requests_in_flight 1');
    expect((await test.call({ url: '/metrics' })).status).toBe(200);
  });
});

describe('faults', () => {
  const faulty = async (changes: Partial<HttpDeps>) => {
    const plugins = {
      sources: async () => Promise.reject(new Error('secret path /etc/kindred')),
    } as unknown as PluginRegistry;
    return buildApp({
      db: test.db,
      broker: test.broker,
      plugins,
      artifacts: test.artifacts,
      checkAddress: async () => {},
      checkWebhookAddress: () => {},
      compute: test.compute,
      memory: new Memory(),
      settings: test.settings,
      log: null,
      metrics: null,
      mail: null,
      ...changes,
    });
  };

  it('have the id of their request in the document, the reply and the log, also where the caller chose it', async () => {
    const lines: string[] = [];
    const log = createLog('debug', 'http', { write: (line) => lines.push(line) });
    const app = await faulty({ log });
    const ask = async (url: string, id?: string) => {
      const headers = id === undefined ? {} : { 'x-request-id': id };
      const response = await app.inject({ url, headers });
      expect(response.json().request_id).toBe(response.headers['x-request-id']);
      return [response.statusCode, response.json().request_id];
    };
    expect(await ask('/v1/sources', 'mine-1')).toEqual([500, 'mine-1']);
    expect(await ask('/v1/jobs/none', 'mine-2')).toEqual([422, 'mine-2']);
    expect(await ask('/v1/%zz', 'mine-3')).toEqual([400, 'mine-3']);
    const [, own] = await ask('/v1/nowhere', 'not <harmless>');
    expect(own).toMatch(/^[0-9a-f-]{36}$/);
    await app.close();
    const logged = lines.map((line) => JSON.parse(line)).filter((line) => line.request_id !== undefined);
    expect(logged.map(({ level, request_id }) => [level, request_id])).toEqual([
      ['error', 'mine-1'],
      ['debug', 'mine-2'],
      ['debug', 'mine-3'],
      ['debug', own],
    ]);
  });

  it('leak nothing but an id for the log', async () => {
    const app = await faulty({});
    const response = await app.inject({ url: '/v1/sources' });
    await app.close();
    expect(response.statusCode).toBe(500);
    expect(response.headers['content-type']).toContain('application/problem+json');
    expect(response.payload).not.toContain('secret');
    expect(response.json()).toMatchObject({
      code: 'internal_error',
      request_id: response.headers['x-request-id'],
    });
  });

  it('show no folder of the server below operator', async () => {
    const message = 'file:///srv/import/goa.gaf cannot be opened: there is no such file.';
    const plugins = {
      sources: async () => Promise.reject(new ProblemError('fetch_failed', message)),
    } as unknown as PluginRegistry;
    const app = await faulty({ plugins });
    const detail = async (headers = {}) => (await app.inject({ url: '/v1/sources', headers })).json().detail;
    expect(await detail()).toBe('goa.gaf cannot be opened: there is no such file.');
    expect(await detail((await test.account('operator')).headers)).toBe(message);
    await app.close();
  });

  it('are a 503 where the database, the broker or the metrics are away', async () => {
    const db = openDatabase('postgres://nobody@127.0.0.1:1/none', 1);
    const app = await faulty({ db });
    const response = await app.inject({ url: '/v1/jobs' });
    expect(response.json()).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect((await app.inject({ url: '/health/ready' })).statusCode).toBe(503);
    expect((await app.inject({ url: '/health' })).statusCode).toBe(200);
    expect((await app.inject({ url: '/v1/metrics' })).json().code).toBe('service_unavailable');
    await app.close();
    const counting = await faulty({ db, metrics: createMetrics(db) });
    await counting.inject({ url: '/v1/jobs' });
    const scrape = await counting.inject({ url: '/metrics' });
    expect(scrape.statusCode).toBe(200);
    expect(scrape.body).toContain('worker_totals_up 0\n');
    expect(scrape.body).toContain('http_requests_total{method="GET",route="/v1/jobs",status="503"} 1\n');
    expect(scrape.body).not.toContain('jobs_total{');
    await counting.close();
    await closeDatabase(db);
  });

  it('of the HTTP syntax are problems too', async () => {
    const app = await faulty({});
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('this is not HTTP\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    await app.close();
    const text = Buffer.concat(chunks).toString();
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toContain('application/problem+json');
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
      status: 400,
      code: 'malformed_request',
    });
  });

  it('of too many connections end those alone, with one line in the log', async () => {
    const lines: string[] = [];
    const app = await faulty({ log: createLog('warn', 'http', { write: (line) => lines.push(line) }) });
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    expect(app.server.maxConnections).toBe(4000);
    app.server.maxConnections = 1;
    const first = connect(Number(port), '127.0.0.1');
    await once(first, 'connect');
    for (const _more of [1, 2]) await once(connect(Number(port), '127.0.0.1').resume(), 'close');
    first.write('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of first) chunks.push(chunk as Buffer);
    await app.close();
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1.1 200 /);
    expect(lines.filter((line) => line.includes('too many connections'))).toHaveLength(1);
  });

  it('are none for HEAD', async () => {
    const response = await test.app.inject({ method: 'HEAD', url: '/v1/jobs' });
    expect(response.statusCode).toBe(200);
    expect(response.payload).toBe('');
  });
});

// The tests cover the gate; access-matrix.db.test.ts has every route, caller and mount.
describe('the gate', () => {
  it('refuses an invalid credential also where none is needed', async () => {
    for (const headers of [
      { authorization: 'ApiKey nonsense' },
      { authorization: 'Bearer nonsense' },
      { authorization: 'Basic dXNlcjpwYXNz' },
      { 'x-api-key': 'nonsense' },
      { cookie: 'svc_session=nonsense' },
    ]) {
      const response = await test.call({ url: '/v1/jobs', headers });
      expect(problemIn(response)).toMatchObject({ status: 401, code: 'credential_invalid' });
    }
  });

  it('passes everyone as admin when authentication is off', async () => {
    const open = await test.sibling({ authnRequired: false });
    expect((await open.inject({ url: '/v1/admin/dlq' })).statusCode).toBe(200);
    const made = await open.inject({
      method: 'POST',
      url: '/v1/jobs',
      payload: { operation: 'ping', queue_name: 'svc.ping' },
    });
    expect(made.statusCode).toBe(201);
    // The page offers only what this role may do.
    const me = await open.inject({ url: '/v1/auth/me' });
    expect([me.statusCode, me.json()]).toMatchObject([200, { role: 'admin', username: 'development' }]);
    const { headers, user } = await test.account('researcher');
    const own = await open.inject({ url: '/v1/auth/me', headers });
    expect(own.json()).toMatchObject({ role: 'admin', username: user.username });
  });
});
