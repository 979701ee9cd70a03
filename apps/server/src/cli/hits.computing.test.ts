import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportColumns } from '@kindred/contracts/resources/exports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examplesFolder } from '../ground/folders.js';
import { Command } from '../testing/supervise/command.js';

let folder: string;
let queries: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-hits-'));
  queries = (await readFile(join(examplesFolder, 'queries.fasta'), 'utf8')).slice(1).split('\n>');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const at = Object.fromEntries(exportColumns.map((name, place) => [name, place]));
const rowsOf = (tsv: string) =>
  tsv
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t'));
async function fileOf(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}
const firstQueries = (count: number) =>
  fileOf(`first-${count}.fasta`, `>${queries.slice(0, count).join('\n>')}\n`);

/** Runs a command, each on a service of its own with the same data. */
async function run(...args: string[]): Promise<Command & { code: unknown }> {
  const env = { SVC_DATA_DIR: join(folder, 'data'), SVC_LOAD_EXAMPLES: 'small' };
  const command = Command.run(args, env);
  return Object.assign(command, { code: await command.ended });
}
const annotate = (...args: string[]) => run('annotate', '--quiet', ...args);

it('takes hits of another program as relatives, and names them where a term rests on them', async () => {
  const accession = queries[0].split('|')[1];
  const plain = rowsOf((await annotate('--all', await firstQueries(2))).stdout).slice(1);
  const foundBy = at.source_found_by;
  expect(plain.every((row) => row[foundBy] === '')).toBe(true);
  // The best relative of another query is none of this one.
  const target = plain.find((row) => row[0] !== accession && row[at.kind] === 'predicted')?.[at.source_id];
  const line = (name: string) => `${accession}.pdb\t${name}\t0.2\t90\t70\t2\t1\t90\t1\t90\t1e-40\t300\n`;
  const file = await fileOf('hits.m8', line(`AF-${target}-F1-model_v4`) + line('NOSUCH'));
  const hits = ['--hits', file, '--hits-program', 'Foldseek 10'];
  const changed = await annotate('--all', ...hits, await firstQueries(2));
  expect(changed.stderr).toContain(
    'Of 2 hits in hits.m8 (Foldseek 10), 1 joins the relatives that the service finds; left out: 1 of targets that the references lack, such as NOSUCH.',
  );
  const rows = rowsOf(changed.stdout).slice(1);
  const mine = rows.filter((row) => row[0] === accession);
  expect(mine.some((row) => row[foundBy] === 'hit of hits.m8 (Foldseek 10)')).toBe(true);
  expect(mine.every((row) => row[at.probability] === '')).toBe(true);
  const others = (table: string[][]) => table.filter((row) => row[0] !== accession);
  expect(others(rows)).toEqual(others(plain));
  const outDir = join(folder, 'with-hits');
  const whole = await annotate(...hits, '--out-dir', outDir, '--json', await firstQueries(2));
  expect(JSON.parse(whole.stdout).not_checked.join()).toContain('the hits of hits.m8 change');
  expect(await readFile(join(outDir, 'terms.gaf'), 'utf8')).toContain('!hits: Of 2 hits in hits.m8');
  expect(await readFile(join(outDir, 'report.html'), 'utf8')).toContain('1 joins the relatives');
  const set = JSON.parse(whole.stdout).prediction_set_id as string;
  const [, term] = mine.find((row) => row[foundBy] !== '') as string[];
  const explained = await run('explain', set, accession, term);
  expect(explained.code, explained.stderr).toBe(0);
  expect(explained.stdout).toContain('hit of hits.m8 (Foldseek 10)');
  const alone = await annotate('--hits-program', 'BLAST', await firstQueries(1));
  expect([alone.code, alone.stderr]).toEqual([
    64,
    expect.stringContaining('--hits-program names the program of'),
  ]);
});
