import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { trace } from '@opentelemetry/api';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Memory } from '../ground/memory.js';
import type { PluginRegistry } from '../ground/plugins/registry.js';
import { createLog } from '../telemetry/log.js';
import { removePropagation } from '../telemetry/propagation.js';
import { startTracing } from '../telemetry/tracing.js';
import { buildApp } from './app.js';
import { startTestApp, type TestApp } from '../testing/test-app.js';
import { createMetrics } from '../telemetry/metrics.js';

const address = '198.51.100.23';
const passwords = ['a first password', 'a wrong password', 'Zq9!kk7'];

let test: TestApp;
let app: FastifyInstance;
let collector: Server;
const logged: string[] = [];
const traces: string[] = [];
const answers: string[] = [];
beforeAll(async () => {
  test = await startTestApp();
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      logged.push(String(chunk));
      done();
    },
  });
  const plugins = {
    sources: async () => Promise.reject(new Error('the source is broken')),
  } as unknown as PluginRegistry;
  const { db, broker, settings } = test;
  const log = createLog('debug', 'api', destination);
  const { artifacts, compute } = test;
  app = await buildApp({
    db,
    broker,
    plugins,
    artifacts,
    compute,
    memory: new Memory(),
    checkAddress: async () => {},
    checkWebhookAddress: () => {},
    settings,
    log,
    metrics: createMetrics(db),
    mail: null,
  });
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const packed = request.headers['content-encoding'] === 'gzip';
      traces.push((packed ? gunzipSync(body) : body).toString());
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  await app?.close();
  await test?.close();
  collector?.close();
});

/** Gives the text of all rows of all tables, as XML. */
async function dump(): Promise<string> {
  const { rows } = await test.db.pool.query(
    `select query_to_xml('select * from ' || quote_ident(table_schema) || '.' || quote_ident(table_name), true, false, '')::text as dump
     from information_schema.tables where table_schema in ('public', 'audit', 'broker') and table_type = 'BASE TABLE'`,
  );
  return rows.map((row) => row.dump).join('\n');
}

/** Uses the service in every way that carries a secret, and returns the secrets that it handed out. */
async function scenario(): Promise<string[]> {
  const call = async (options: InjectOptions, secretAnswer = false) => {
    const response = await app.inject({
      ...options,
      remoteAddress: address,
      headers: { 'x-forwarded-for': address, ...options.headers },
    });
    if (!secretAnswer) answers.push(response.payload);
    return response;
  };
  const post = (url: string, payload?: object, headers = {}, secretAnswer = false) =>
    call({ method: 'POST', url, payload, headers }, secretAnswer);
  const account = { email: 'traced@example.org', username: 'traced' };
  await post('/v1/auth/signup', { ...account, password: passwords[2] });
  const { id } = (await post('/v1/auth/signup', { ...account, password: passwords[0] })).json();
  await post('/v1/auth/signup', { ...account, password: passwords[0] });
  const admin = await test.account('admin');
  await post(`/v1/admin/users/${id}/approve`, {}, admin.headers);
  await post('/v1/auth/login', { email: account.email, password: passwords[1] });
  await post('/v1/auth/login', { email: account.email, password: passwords[0], extra: passwords[1] });
  const login = await post('/v1/auth/login', { email: account.email, password: passwords[0] });
  const token = String(login.headers['set-cookie']).split(';')[0].slice('svc_session='.length);
  const bearer = { authorization: `Bearer ${token}` };
  const { key } = (await post('/v1/auth/api-keys', { name: 'laptop' }, bearer, true)).json();
  const exchange = (await post('/v1/auth/api-key-login', { api_key: key }, {}, true)).json();
  for (const headers of [
    { authorization: `ApiKey ${key}` },
    { 'x-api-key': key },
    { authorization: `Bearer ${exchange.token}` },
    { cookie: `svc_session=${token}` },
    { authorization: `Basic ${key}` },
    { authorization: `ApiKey ${key}x` },
  ]) {
    await call({ url: '/v1/auth/me', headers });
    await call({ url: `/v1/jobs?api_key=${key}`, headers });
    // The service fails while the secret is in its memory.
    expect((await call({ url: '/v1/sources', headers })).statusCode).toBeGreaterThanOrEqual(400);
  }
  await post('/v1/jobs', { operation: 'ping', queue_name: 'svc.ping' }, bearer);
  await post('/v1/annotate', { fasta_text: '>a\nMKV\n', password: passwords[1] });
  await test.db.pool.query('alter table user_session rename to away');
  const fault = await post('/v1/auth/login', { email: account.email, password: passwords[0] });
  expect((await call({ url: '/v1/auth/me', headers: bearer })).statusCode).toBe(500);
  await test.db.pool.query('alter table away rename to user_session');
  expect(fault.statusCode).toBe(500);
  await post('/v1/auth/logout', undefined, { cookie: `svc_session=${token}` });
  return [key, token, exchange.token, admin.key];
}

it('keeps no password, key, token or address in a table, the log, a trace or an error', async () => {
  const { port } = collector.address() as AddressInfo;
  const tracing = await startTracing(
    {
      otelEnabled: true,
      otelEndpoint: `http://127.0.0.1:${port}`,
      otelServiceName: null,
      otelSampleRatio: 1,
    },
    'svc-api',
  );
  const secrets = [...(await scenario()), ...passwords, address];
  await app.close();
  await tracing.shutdown();
  trace.disable();
  removePropagation();
  const places = {
    tables: await dump(),
    log: logged.join(''),
    traces: traces.join(''),
    errors: answers.join(''),
  };
  // Each place has its expected content, because an empty place proves nothing.
  expect(places.tables).toContain('traced@example.org');
  expect(places.tables).toContain('login_fail');
  expect(places.log).toContain('the source is broken');
  expect(places.traces).toContain('/v1/auth/login');
  expect(places.errors).toContain('credential_invalid');
  for (const [place, text] of Object.entries(places)) {
    for (const [index, secret] of secrets.entries())
      expect([place, index, text.includes(secret)]).toEqual([place, index, false]);
  }
});
