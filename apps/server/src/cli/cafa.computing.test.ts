import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examplesFolder } from '../ground/folders.js';
import { Command } from '../testing/supervise/command.js';

const unpacked = (name: string) => gunzipSync(readFileSync(join(examplesFolder, name))).toString('latin1');
const records = unpacked('reference.fasta.gz').slice(1).split('\n>').slice(0, 820);
const accessionOf = (record: string) => record.split(/[\s|]/)[record.includes('|') ? 1 : 0];
const asked = 20;
const obo = join(examplesFolder, 'go-basic-2022-07-01.obo.gz');

let folder: string;
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-cafa-'));
  const trained = new Set(records.slice(asked).map(accessionOf));
  const rows = unpacked('reference.gaf.gz')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter((cells) => cells.length > 14 && !cells[3].includes('NOT') && cells[6] !== 'ND');
  const table = (proteins: ReadonlySet<string>, aspect: boolean) =>
    rows
      .filter((cells) => proteins.has(cells[1]))
      .map((cells) => [cells[1], cells[4], ...(aspect ? [cells[8]] : [])].join('\t'));
  await writeFile(at('query.fasta'), `>${records.slice(0, asked).join('\n>')}\n`);
  await writeFile(at('train.fasta'), `>${records.slice(asked).join('\n>')}\n`);
  await writeFile(at('terms.tsv'), `EntryID\tterm\taspect\n${table(trained, true).join('\n')}\n`);
  const truth = table(new Set(records.slice(0, asked).map(accessionOf)), false);
  await writeFile(at('truth.tsv'), `${truth.join('\n')}\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<Command> {
  const command = Command.run(args, { SVC_DATA_DIR: at('data') });
  if ((await command.ended) !== 0) throw new Error(`kindred ${args[0]} said:\n${command.stderr}`);
  return command;
}

it('predicts 20 proteins from the files of a benchmark, twice alike, as our evaluator reads it', async () => {
  await mkdir(at('methods'));
  const training = ['--train_sequences', at('train.fasta'), '--annot_file', at('terms.tsv'), '--graph', obo];
  const { stderr } = await run('cafa', '-q', at('query.fasta'), ...training, '-o', at('methods/kindred.tsv'));
  const lines = (await readFile(at('methods/kindred.tsv'), 'utf8')).trimEnd().split('\n');
  const rows = lines.map((line) => line.split('\t'));
  const queries = new Set(records.slice(0, asked).map(accessionOf));
  const answered = new Map<string, number>();
  for (const [protein, , score] of rows) {
    expect(queries.has(protein)).toBe(true);
    expect(score).toMatch(/^(1|0\.0{0,2}[1-9]\d{0,2})$/);
    answered.set(protein, (answered.get(protein) ?? 0) + 1);
  }
  expect(Math.max(...answered.values())).toBeLessThanOrEqual(1500);
  // The others have no relative among the 800.
  expect(answered.size).toBeGreaterThanOrEqual(asked / 4);
  expect(stderr).toContain(`${rows.length} predictions of ${answered.size} of ${asked} proteins.`);

  // The second call finds the reference of the first.
  const again = await run(
    'cafa',
    '--query_file',
    at('query.fasta'),
    ...training,
    '--output_file',
    at('two.tsv.gz'),
  );
  expect(gunzipSync(await readFile(at('two.tsv.gz'))).toString()).toBe(`${lines.join('\n')}\n`);
  expect(again.stderr).not.toContain('measur');

  const files = [
    '--predictions',
    at('methods'),
    '--ground-truth',
    at('truth.tsv'),
    '--out-dir',
    at('results'),
  ];
  await run('evaluate', '--obo', obo, ...files);
  const [header, ...figures] = (await readFile(at('results/evaluation_best_f.tsv'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(new Set(figures.map((cells) => cells[header.indexOf('ns')])).size).toBe(3);
  for (const cells of figures) expect(Number(cells[header.indexOf('f')])).toBeGreaterThan(0.2);
});
