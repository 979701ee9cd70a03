import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryRoot } from '@kindred/testkit';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { addPluginCommands } from './plugin-commands.js';

const golden = join(
  repositoryRoot(dirname(fileURLToPath(import.meta.url))),
  'plugins/backend-plm/golden/protbert',
);
let data: string;
let printed: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'kindred-cli-models-'));
  printed = '';
  vi.stubEnv('SVC_DATA_DIR', data);
  vi.stubEnv('SVC_MODEL_HUB_URL', 'http://127.0.0.1:9');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(data, { recursive: true });
});

async function models(...words: string[]): Promise<string> {
  printed = '';
  const program = new Command();
  await addPluginCommands(program);
  await program.parseAsync(['models', ...words], { from: 'user' });
  return printed;
}

it('lists what is known, adds a folder, lists it as installed, and checks it', async () => {
  expect(await models('list')).toMatch(/esm2_t33_650M_UR50D +no +1280 +33 +650 M +2\.6 GB +MIT +Lin2023/);
  expect(await models('add', golden, '--name', 'our-bert')).toContain(
    `our-bert is installed in ${join(data, 'models')}`,
  );
  expect(await models('list')).toMatch(/our-bert +yes +32/);
  const first = await models('check', 'our-bert');
  expect(first).toMatch(
    /passed its check\n {2}files: 3 as they were added\n {2}dimension: 32\n {2}speed: \d/,
  );
  expect(first).toContain('its vector was stored now');
  expect(await models('check', 'our-bert', '--int8')).toMatch(
    /known sequence: cosine 1\.0{6} .*\n {2}int8: cosine to float32 0\.99/,
  );
});

it('says what to do without a hub, and for a model that is not there', async () => {
  await expect(models('pull', 'esm2_t6_8M_UR50D')).rejects.toThrow(/cannot be reached.*kindred models add/);
  await expect(models('check', 'esm2_t6_8M_UR50D')).rejects.toThrow(/None is installed.*kindred models pull/);
});
