import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../test-app.js';
import { isAsset } from './visits.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
beforeEach(() => test.db.deleteFrom('visitor_event').execute());
afterAll(() => test?.close());

const visits = () => test.db.selectFrom('visitor_event').selectAll().orderBy('id').execute();

it('writes one row for each GET of a page or of data, and for nothing else', async () => {
  const app = await test.sibling();
  const counted = ['/v1/jobs', '/jobs', '/health', '/docs/', '/v1/nothing', '/v1/proteins?limit=1'];
  const before = new Date(Date.now() - 1).toISOString();
  for (const url of counted) await app.inject({ url, remoteAddress: '198.51.100.7' });
  await app.inject({ url: '/docs/static/swagger-ui.css', remoteAddress: '198.51.100.7' });
  await app.inject({ method: 'HEAD', url: '/v1/jobs', remoteAddress: '198.51.100.7' });
  await app.inject({ method: 'POST', url: '/v1/auth/logout', remoteAddress: '198.51.100.7' });
  await app.inject({ url: '/v1/jobs', remoteAddress: '198.51.100.8' });
  await app.close();
  const rows = await visits();
  expect(rows).toHaveLength(counted.length + 1);
  expect(Object.keys(rows[0]).sort()).toEqual(['id', 'occurred_at', 'visitor_hash']);
  expect(new Set(rows.slice(0, -1).map((row) => row.visitor_hash)).size).toBe(1);
  expect(rows.at(-1)?.visitor_hash).not.toBe(rows[0].visitor_hash);
  for (const row of rows) {
    expect(row.visitor_hash).toMatch(/^[0-9a-f]{16}$/);
    expect(row.occurred_at >= before).toBe(true);
  }
  expect(JSON.stringify(rows)).not.toContain('198.51.100');
});

it('knows a visitor again in every process of the day, whatever the visitor claims', async () => {
  const apps = [await test.sibling(), await test.sibling()];
  for (const [n, app] of apps.entries()) {
    const headers = { 'x-forwarded-for': `203.0.113.${n}` };
    await app.inject({ url: '/v1/jobs', remoteAddress: '198.51.100.7', headers });
    await app.close();
  }
  const hashes = (await visits()).map((row) => row.visitor_hash);
  expect(hashes).toHaveLength(2);
  expect(hashes[0]).toBe(hashes[1]);
});

it('loses none of many at once, and forgets none of a batch', async () => {
  const app = await test.sibling();
  await Promise.all(Array.from({ length: 1203 }, () => app.inject({ url: '/health' })));
  await app.close();
  expect(await visits()).toHaveLength(1203);
});

it.each([
  ['/assets/index-abc.js', true],
  ['/favicon.ico', true],
  ['/docs/static/swagger-ui.css?v=1', true],
  ['/v1/embeddings/prediction-sets/x/predictions.tsv', false],
  ['/v1/proteins?search=a.js', false],
  ['/', false],
])('%s is an asset: %s', (url, expected) => {
  expect(isAsset(url)).toBe(expected);
});
