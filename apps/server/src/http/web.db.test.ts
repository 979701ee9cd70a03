import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../testing/test-app.js';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
let root: string;
let test: TestApp;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'kindred-web-'));
  await mkdir(join(root, 'assets'));
  await writeFile(join(root, 'index.html'), '<!doctype html><html lang="en"><title>Kindred</title>');
  await writeFile(join(root, 'assets', 'app-1.js'), 'console.log(1)');
  await writeFile(join(root, 'assets', 'app-1.js.gz'), gzipSync('console.log("packed")'));
  await writeFile(join(root, 'pages.json'), JSON.stringify(['/', '/jobs', '/jobs/$jobId', '/results']));
  test = await startTestApp({ webRoot: root });
});
afterAll(async () => {
  await test?.close();
  await rm(root, { recursive: true, force: true });
});

it('sends the page to browsers where a page and a bare path are the same', async () => {
  for (const url of ['/', '/jobs', '/jobs/0f8fad5b-d9cb-469f-a165-70867728950e', '/results']) {
    const page = await test.call({ url, headers: browser });
    expect([url, page.status, String(page.body).includes('<title>Kindred</title>')]).toEqual([
      url,
      200,
      true,
    ]);
    expect(page.headers.vary).toContain('Accept');
    expect(page.headers['cache-control']).toBe('no-cache');
  }
});

it('marks the page of a browser without a session, and lets no browser keep the mark', async () => {
  const send = async (headers: Record<string, string>) => {
    const page = await test.call({ url: '/', headers: { ...browser, 'sec-fetch-site': 'none', ...headers } });
    return [String(page.body).includes('<html data-visitor lang="en">'), page.headers['cache-control']];
  };
  expect(await send({})).toEqual([true, 'no-store']);
  expect(await send({ cookie: 'another=1' })).toEqual([true, 'no-store']);
  expect(await send({ cookie: 'svc_session=anything' })).toEqual([false, 'no-cache']);
  // A link on another site brings no cookie of a session, whoever is signed in.
  expect(await send({ 'sec-fetch-site': 'cross-site' })).toEqual([false, 'no-cache']);
});

it('sends the page to whoever asks the bare address for anything', async () => {
  for (const headers of [{ accept: '*/*' }, {}]) {
    const page = await test.call({ url: '/', headers });
    expect([page.status, String(page.body).includes('<title>Kindred</title>')]).toEqual([200, true]);
  }
  expect((await test.call({ url: '/', headers: { accept: 'application/json' } })).status).toBe(404);
});

it('sends the page with 404 where the client has none, and never caches it', async () => {
  for (const url of ['/annotate/new', '/nothing', '/results/1/2', '/jobs/a/b', '/index.php']) {
    const page = await test.call({ url, headers: browser });
    expect([url, page.status, String(page.body).includes('<title>Kindred</title>')]).toEqual([
      url,
      404,
      true,
    ]);
    expect(page.headers['cache-control']).toBe('no-cache');
  }
  expect((await test.call({ url: '/jobs/?status=FAILED', headers: browser })).status).toBe(200);
});

it('sends the API to everyone else, and always under /v1', async () => {
  expect((await test.call({ url: '/jobs', headers: { accept: '*/*' } })).body).toEqual([]);
  expect((await test.call({ url: '/jobs' })).body).toEqual([]);
  expect((await test.call({ url: '/v1/jobs', headers: browser })).body).toEqual([]);
  // These paths have no page: a browser would show "No such page" for something that exists.
  for (const url of [
    '/proteins',
    '/proteins/stats',
    '/stack',
    '/datasets',
    '/annotations/sets',
    '/query-sets',
  ])
    expect([url, (await test.call({ url, headers: browser })).headers['content-type']]).toEqual([
      url,
      expect.stringContaining('application/json'),
    ]);
  expect((await test.call({ url: '/proteins/P12345', headers: browser })).status).toBe(404);
  expect((await test.call({ url: '/v1/nothing', headers: browser })).headers['content-type']).toContain(
    'problem+json',
  );
  expect((await test.call({ url: '/nothing' })).status).toBe(404);
});

it('serves the files of the build, cached for ever, and none beside it', async () => {
  const script = await test.call({ url: '/assets/app-1.js' });
  expect(script.body).toBe('console.log(1)');
  expect(script.headers['cache-control']).toContain('immutable');
  for (const url of [
    '/../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/etc/passwd',
  ]) {
    expect((await test.call({ url })).status).toBe(404);
  }
});

it('sends a file packed to browsers that take it, and plain to others', async () => {
  const headers = (encoding: string) => ({ ...browser, 'accept-encoding': encoding });
  const url = '/assets/app-1.js';
  const packed = await test.call({ url, headers: headers('gzip, br') });
  expect([packed.headers['content-encoding'], packed.headers['content-type']]).toEqual([
    'gzip',
    'application/javascript; charset=utf-8',
  ]);
  const plain = await test.call({ url, headers: headers('identity') });
  expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, 'console.log(1)']);
});
