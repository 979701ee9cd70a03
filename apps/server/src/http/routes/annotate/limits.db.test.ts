import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeQuota } from '../../../accounts/limits.js';
import { inTransaction } from '../../../store/postgres/connection.js';
import { startTestApp, type TestApp } from '../../../testing/test-app.js';
import { anonymous } from '../../../accounts/principal.js';

let test: TestApp;
let web: string;
beforeAll(async () => {
  web = await mkdtemp(join(tmpdir(), 'kindred-web-'));
  test = await startTestApp({ maxSequences: 77, maxResidues: 999 });
});
afterAll(async () => {
  await test?.close();
  await rm(web, { recursive: true, force: true });
});

const limits = (headers: Record<string, string> = {}) =>
  test.call({ method: 'GET', url: '/v1/annotate/limits', headers });

it('tells the limits of an upload and who may save', async () => {
  const nobody = await limits();
  expect(nobody.status).toBe(200);
  expect(nobody.body).toMatchObject({ max_sequences: 77, max_residues: 999, may_save: false });
  expect(nobody.body.sequences_today).toEqual({ limit: 10, used: 0 });
  const { headers } = await test.account('researcher');
  expect((await limits(headers)).body).toMatchObject({
    may_save: true,
    default_visibility: 'link',
    sequences_today: { limit: 1000, used: 0 },
  });
  const operator = await test.account('operator');
  expect((await limits(operator.headers)).body.sequences_today).toBeNull();
});

it('shows what is used up, and asking takes nothing', async () => {
  const { user, headers } = await test.account('researcher');
  const subject = {
    principal: { ...anonymous, kind: 'account' as const, role: 'researcher' as const, user },
    key: `user:${user.id}`,
  };
  await inTransaction(test.db, (trx) =>
    takeQuota(trx, test.settings, subject, { resource: 'sequences', units: 4 }),
  );
  for (const _again of [1, 2]) expect((await limits(headers)).body.sequences_today.used).toBe(4);
});

it('offers the weights for the browser, and neither offers nor sends them where that is off', async () => {
  await mkdir(join(web, 'assets'));
  await writeFile(join(web, 'index.html'), '<!doctype html><title>Kindred</title>');
  await writeFile(join(web, 'pages.json'), '["/"]');
  await writeFile(join(web, 'assets', 'network-worker-a1B2.js'), 'close()');
  await writeFile(join(web, 'assets', 'app-1.js'), 'close()');
  const asked = async (settings: Parameters<TestApp['sibling']>[0]) => {
    const app = await test.sibling(settings);
    const { in_browser: offer } = (await app.inject({ url: '/v1/annotate/limits' })).json();
    const weights = await app.inject({ url: '/assets/network-e7c019bd198115ad.bin' });
    const policies = [];
    for (const name of ['network-worker-a1B2', 'app-1'])
      policies.push((await app.inject({ url: `/assets/${name}.js` })).headers['content-security-policy']);
    return { offer, weights, policies };
  };
  const on = await asked({ webRoot: web });
  const path = '/assets/network-e7c019bd198115ad.bin';
  expect(on.offer).toEqual({ weights: path, size_bytes: 12_622_992 });
  expect([on.weights.statusCode, on.weights.headers['content-length']]).toEqual([200, '12622992']);
  expect(on.weights.headers['cache-control']).toContain('immutable');
  // Only the worker may compile WebAssembly, and it can ask for nothing.
  expect(on.policies[0]).toBe("default-src 'none'; script-src 'wasm-unsafe-eval'");
  expect(on.policies[1]).not.toContain('wasm');
  for (const settings of [
    { webRoot: web, inBrowser: false },
    { webRoot: web, networkFolder: web },
  ]) {
    const off = await asked(settings);
    expect([off.offer, off.weights.statusCode]).toEqual([null, 404]);
  }
});
