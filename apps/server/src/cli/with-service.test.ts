import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withStoredData } from './with-service.js';

const folder = mkdtempSync(join(tmpdir(), 'kindred-nothing-'));
const dataDir = join(folder, 'data');
beforeEach(() => {
  vi.stubEnv('SVC_DATA_DIR', dataDir);
  vi.stubEnv('SVC_URL', undefined);
  vi.stubEnv('SVC_DB_URL', undefined);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(folder, { recursive: true }));

it('starts nothing for a command that asks for stored data where there are none', async () => {
  const work = vi.fn();
  await expect(withStoredData({}, work)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(`There are no data in ${dataDir}. Set SVC_DATA_DIR`),
  });
  expect(work).not.toHaveBeenCalled();
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
});

it('asks a named service, whatever this machine has', async () => {
  const named = { url: 'http://127.0.0.1:9', apiKey: 'k' };
  expect(await withStoredData(named, async (service) => service)).toEqual(named);
});
