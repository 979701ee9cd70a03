import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../testing/test-app.js';
import { isAsset } from './visits.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
beforeEach(() => test.db.deleteFrom('visitor_event').execute());
afterAll(() => test?.close());

const visits = () => test.db.selectFrom('visitor_event').selectAll().orderBy('id').execute();

it('writes one row for each GET of a page or of data that is there, and for nothing else', async () => {
  const app = await test.sibling();
  const counted = ['/v1/jobs', '/jobs', '/health', '/docs/', '/v1/proteins?limit=1'];
  const absent = ['/v1/nothing', '/nothing', `/v1/jobs/${crypto.randomUUID()}`];
  const before = new Date(Date.now() - 1).toISOString();
  for (const url of counted) await app.inject({ url, remoteAddress: '198.51.100.7' });
  for (const url of absent) await app.inject({ url, remoteAddress: '198.51.100.7' });
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
  const from = (remoteAddress: string) =>
    Array.from({ length: 603 }, () => app.inject({ url: '/health', remoteAddress }));
  await Promise.all([...from('198.51.100.7'), ...from('198.51.100.8')]);
  await app.close();
  expect(await visits()).toHaveLength(1206);
});

it('writes at most 1,000 rows an hour of one address, or of one IPv6 network', async () => {
  const app = await test.sibling();
  const of = (address: (i: number) => string) =>
    Array.from({ length: 1100 }, (_, i) => app.inject({ url: '/health', remoteAddress: address(i) }));
  await Promise.all([...of(() => '198.51.100.7'), ...of((i) => `2001:db8::${i.toString(16)}`)]);
  await app.close();
  const hours = (await visits()).map((row) => row.occurred_at.slice(0, 13));
  // The visits fall into one hour, or into two if the hour changes meanwhile.
  const counts = [...new Set(hours)].map((hour) => hours.filter((other) => other === hour).length);
  expect(hours.length).toBeGreaterThanOrEqual(2000);
  expect(Math.max(...counts)).toBeLessThanOrEqual(2000);
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
