import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, testPassword, type TestApp } from '../testing/test-app.js';

const browser = { accept: 'text/html,*/*;q=0.8' };
const document =
  '<html lang="en" data-root="./" data-base-path="/"><script type="module" src="./assets/app-1.js"></script><div id="root"></div>';
let root: string;
let test: TestApp;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'kindred-web-'));
  await writeFile(join(root, 'index.html'), document);
  await writeFile(join(root, 'example.fasta'), '>one');
  await writeFile(join(root, 'pages.json'), JSON.stringify(['/', '/jobs', '/jobs/$jobId']));
  test = await startTestApp({
    webRoot: root,
    basePath: '/kindred',
    allowedOrigins: ['https://lab.example'],
  });
});
afterAll(async () => {
  await test?.close();
  await rm(root, { recursive: true, force: true });
});

const page = async (app: FastifyInstance, url: string, headers: Record<string, string> = browser) => {
  const { statusCode, body } = await app.inject({ url, headers });
  return { status: statusCode, body };
};

it('answers the same with its path, as a proxy passes it on, and without, as a proxy takes it away', async () => {
  for (const url of ['/kindred/v1/jobs', '/v1/jobs', '/kindred/health', '/health', '/kindred/example.fasta'])
    expect([url, (await test.call({ url })).status]).toEqual([url, 200]);
  for (const url of ['/kindred/docs', '/docs']) {
    const { status, body } = await page(test.app, url);
    expect([status, body.includes('src="/kindred/docs/static/swagger-ui-bundle.js"')]).toEqual([200, true]);
  }
});

it('names its files as they are from each page', async () => {
  for (const [url, prefix] of [
    ['/kindred/', './'],
    ['/kindred/jobs', './'],
    ['/kindred/jobs/0f8fad5b-d9cb-469f-a165-70867728950e', '../'],
    ['/jobs/0f8fad5b-d9cb-469f-a165-70867728950e', '../'],
  ] as const) {
    const { status, body } = await page(test.app, url);
    expect([url, status]).toEqual([url, 200]);
    expect(body).toContain(`data-root="${prefix}" data-base-path="/kindred/"`);
    expect(body).toContain(`src="${prefix}assets/app-1.js"`);
  }
  const bare = await test.call({ url: '/kindred?repeat=1', headers: browser });
  expect([bare.status, bare.headers.location]).toEqual([302, '/kindred/?repeat=1']);
});

it('gives addresses with its path: links, locations, problems, the cookie, the description', async () => {
  const { app, call } = test;
  const { user, headers: credential } = await test.account('operator');
  const login = await app.inject({
    method: 'POST',
    url: '/kindred/v1/auth/login',
    payload: { email: user.email, password: testPassword },
  });
  expect(String(login.headers['set-cookie'])).toContain('Path=/kindred;');
  for (const _ of [1, 2]) {
    const made = await call({
      method: 'POST',
      url: '/kindred/v1/jobs',
      headers: credential,
      payload: { operation: 'ping', queue_name: 'svc.ping', payload: {} },
    });
    expect(made.headers.location).toMatch(/^\/kindred\/v1\/jobs\//);
  }
  const jobs = await call({ url: '/v1/jobs?limit=1', headers: credential });
  expect(jobs.headers.link).toMatch(/^<\/kindred\/v1\/jobs\?limit=1&after=/);
  expect((await call({ url: '/kindred/jobs' })).headers.link).toBe(
    '</kindred/v1/jobs>; rel="successor-version"',
  );
  const refused = await call({ url: '/v1/jobs/nothing' });
  expect(refused.body).toMatchObject({
    type: '/kindred/problems/unprocessable-entity',
    instance: '/kindred/v1/jobs/nothing',
  });
  const description = await call({ url: '/kindred/v1/openapi.json' });
  expect(description.body).toMatchObject({ servers: [{ url: '/kindred' }] });
});

it('says which setting is missing below a path that it does not know', async () => {
  const plain = await test.sibling({ webRoot: root, basePath: '' });
  const api = await page(plain, '/tools/kindred/v1/jobs', {});
  expect(api.status).toBe(404);
  expect(api.body).toMatch(
    /below \/tools\/kindred, its operator sets SVC_BASE_URL .*https:\/\/lab\.example\/tools\/kindred/,
  );
  const elsewhere = await page(plain, '/tools/kindred/');
  expect([elsewhere.status, elsewhere.body.includes('its operator sets SVC_BASE_URL')]).toEqual([404, true]);
  expect((await page(plain, '/jobs')).body).not.toContain('SVC_BASE_URL');
  expect((await page(plain, '/nothing', {})).body).toContain('See /docs.');
});
