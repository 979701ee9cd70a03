import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const out = mkdtempSync(join(tmpdir(), 'kindred-bare-run-'));
afterAll(() => rmSync(out, { recursive: true }));

const script = fileURLToPath(new URL('../training/combined/bare-run.mjs', import.meta.url));
function run(...options: string[]) {
  const folders = ['--shared', out, '--goa', out, '--out', out];
  const { status, stderr } = spawnSync(process.execPath, [script, ...folders, ...options], {
    encoding: 'utf8',
  });
  return { status, stderr };
}

it.each([
  [['--known'], '--known needs --models'],
  [['--known', '--models', out, '--with-network'], '--with-network does not go with --known'],
  [['--with-network', '--learnt', out], '--with-network does not go with --learnt'],
  [['--than', out], '--than needs --learnt'],
])('the training of models of eukaryotes refuses %j', (options, words) => {
  const { status, stderr } = run(...options);
  expect(stderr).toContain(words);
  expect(status).toBe(64);
});

it('refuses a folder with another kind of run, whose finished steps it would skip', () => {
  writeFileSync(join(out, 'run.json'), JSON.stringify({ known: true, network: false, learnt: null }));
  const { status, stderr } = run();
  expect(stderr).toContain('has a run with other options, {"known":true');
  expect(status).toBe(64);
});
