import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examplesFolder } from '../ground/folders.js';
import { Command } from '../testing/supervise/command.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-others-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileOf(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

/** Runs a command, each on a service of its own with the same data. */
async function run(...args: string[]): Promise<Command & { code: unknown }> {
  const env = { SVC_DATA_DIR: join(folder, 'data'), SVC_LOAD_EXAMPLES: 'small' };
  const command = Command.run(args, env);
  return Object.assign(command, { code: await command.ended });
}

it('puts the terms of another program beside those of a run, and says what it leaves out', async () => {
  const queries = (await readFile(join(examplesFolder, 'queries.fasta'), 'utf8')).slice(1).split('\n>');
  const file = await fileOf('two.fasta', `>${queries.slice(0, 2).join('\n>')}\n`);
  const annotated = await run('annotate', '--quiet', '--json', '--out-dir', join(folder, 'out'), file);
  const set = JSON.parse(annotated.stdout).prediction_set_id as string;
  const [first, second] = queries.map((text) => text.split('|')[1]);
  const table = (await readFile(join(folder, 'out', 'terms.gaf'), 'utf8')).split('\n');
  const goId = table.find((line) => line.split('\t')[1] === first)?.split('\t')[4] as string;
  const head = '#query\tseed_ortholog\tevalue\tGOs\n';
  const stated = `sp|${first}|X\t9606.A\t1e-80\t${goId}\n${second}\t-\t-\tGO:9999999\nnosuch\ts\t1\tGO:0005515\n`;
  const compared = await run('others', set, await fileOf('x.emapper.annotations', head + stated));
  expect(compared.code, compared.stderr).toBe(0);
  const rows = compared.stdout.split('\n').map((line) => line.split('\t'));
  expect(rows[0].slice(0, 5)).toEqual(['protein', 'go_id', 'go_name', 'aspect', 'agreement']);
  const both = rows.find((row) => row[0] === first && row[1] === goId);
  expect(both?.[4]).toBe('both');
  expect(both?.slice(10)).toEqual(['eggNOG-mapper', goId, '', '9606.A (E-value 1e-80)']);
  expect(rows.some((row) => row[0] === second && row[4] === 'only_kindred')).toBe(true);
  expect(compared.stderr).toContain('1 protein that the run lacks, such as nosuch.\nTerms of proteins');
  expect(compared.stderr).toContain(
    'Left out: 1 term that the ontology of the run lacks, such as GO:9999999.',
  );
  expect(compared.stderr).toContain('No other program changes a score of Kindred');
  const again = await run('others', set);
  expect(again.stdout).toBe(compared.stdout);
  expect((await run('others', set, '--remove', 'eggNOG-mapper')).code).toBe(0);
  expect((await run('others', set)).stderr).toContain('has no file of another program: give one');
  const none = await run('others', set, await fileOf('none.txt', 'nothing here\n'));
  expect(none.stderr).toContain('is none of the files that are read here');
});
