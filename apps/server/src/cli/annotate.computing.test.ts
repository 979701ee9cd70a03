import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Random } from '@kindred/kernels/arrays';
import { patience } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { answerEnd } from '@kindred/kernels/combined';
import { examplesFolder } from '../ground/folders.js';
import { sampleProteins } from '../run/supervise/first-start.js';
import { startStubServer } from '../testing/stub-server.js';
import { callApi, Command } from '../testing/supervise/command.js';
import { annotateCommand } from './annotate.js';
import { exportColumns } from '@kindred/contracts/resources/exports';
import { isListed, textOf } from './annotation-table.js';
import type { AnswerLine } from '@kindred/kernels/answer';

let folder: string;
let dataDir: string;
let service: Command;
const started: Command[] = [];
const queries = readFileSync(join(examplesFolder, 'queries.fasta'), 'utf8').slice(1).split('\n>');

function run(args: string[], env: NodeJS.ProcessEnv = {}): Command {
  const command = Command.run(args, { SVC_DATA_DIR: dataDir, SVC_LOAD_EXAMPLES: 'small', ...env });
  started.push(command);
  return command;
}
async function annotate(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Command & { code: unknown }> {
  const command = run(['annotate', '--quiet', ...args], env);
  return Object.assign(command, { code: await command.ended });
}
async function fasta(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}
const firstQueries = (count: number) =>
  fasta(`first-${count}.fasta`, `>${queries.slice(0, count).join('\n>')}\n`);
const firstReferences = (count: number) =>
  `>${unpackedExample('reference.fasta.gz').slice(1).split('\n>').slice(0, count).join('\n>')}\n`;
const unpackedExample = (name: string) =>
  gunzipSync(readFileSync(join(examplesFolder, name))).toString('latin1');

/**
 * Follows what a command says and writes, up to `most` changes or its end.
 * @returns the number of changes
 */
async function momentsOf(command: Command, outDir: string, most: number): Promise<number> {
  let count = 0;
  let last = '';
  const isOver = () => command.child.exitCode !== null || command.child.signalCode !== null;
  await vi.waitUntil(async () => {
    const names = await readdir(outDir).catch(() => []);
    const sizes = await Promise.all(
      names.map((name) =>
        stat(join(outDir, name)).then(
          ({ size }) => `${name} ${size}`,
          () => name,
        ),
      ),
    );
    const state = `${command.stderr.length} ${sizes.join(' ')}`;
    if (state !== last) count++;
    last = state;
    return count >= most || isOver();
  }, patience);
  return count;
}

/**
 * Removes from a file of a run everything that names the run itself: its prediction set, its times, and the
 * digests of files that hold them.
 */
const withoutRun = (text: string) =>
  text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|sha256:[0-9a-f]{64}/g, '');
const rowsOf = (tsv: string) =>
  tsv
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t'));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-annotate-'));
  dataDir = join(folder, 'data');
});
afterAll(async () => {
  await Promise.all(started.map(async (command) => command.child.exitCode === null && (await command.end())));
  await rm(folder, { recursive: true, force: true });
});

/** The first start names the example set so. */
const small = 'human-4000@2022-09';
/** Waits until the service has a row of this list, which a step of its first start loads. */
const untilLoaded = (list: string) =>
  vi.waitUntil(
    () =>
      callApi<unknown[]>(dataDir, list).then(
        ({ length }) => length > 0,
        () => false,
      ),
    patience,
  );

describe.runIf(process.platform === 'linux')('a first start', () => {
  it('that is cut off while it loads the examples is completed by the next ones', async () => {
    const killed = await run(['serve', '--port', '0']).until(({ stderr }) => stderr.includes(`${small}:`));
    await untilLoaded('/v1/annotations/snapshots');
    await killed.end('SIGKILL');
    const stopped = await run(['serve', '--port', '0']).until(({ stderr }) => stderr.includes(`${small}:`));
    expect(stopped.stderr).toContain('Loading the rest of the example set');
    await untilLoaded('/v1/annotations/sets');
    expect(await stopped.end()).toBe(0);
    expect(stopped.ready).toBeNull();
    service = await run(['serve', '--port', '0']).untilReady();
    expect(service.stderr).toContain('Loading the rest of the example set');
    await expectWholeExampleSet();
    expect(existsSync(join(dataDir, 'examples-loading'))).toBe(false);
  });

  it('is not repeated, and says that it is too late for another', async () => {
    await service.end();
    service = await run(['start', '--small', '--port', '0']).untilReady();
    expect(service.stderr).not.toMatch(/oading the/);
    expect(service.stderr).toContain('has data already, which stay as they are');
  });

  it('leaves a reference like any other, which answers again after another was the default', async () => {
    const command = async (args: string[]) => {
      const ran = run(args);
      expect(await ran.ended, ran.stderr).toBe(0);
      return ran;
    };
    const few = await fasta('few.fasta', firstReferences(30));
    await command(
      ['reference', 'build', '--quiet', '--use', '--name', 'few', '--version', '1', '--fasta', few].concat(
        ['--gaf', join(examplesFolder, 'reference.gaf.gz')],
        ['--obo', join(examplesFolder, 'go-basic-2022-07-01.obo.gz')],
      ),
    );
    const { stdout } = await command(['reference', 'list']);
    expect(
      rowsOf(stdout).flatMap(
        ([line]) => /^(\S+@\S+)(?: \(default\))? +complete +([\d,]+)/.exec(line)?.slice(1) ?? [],
      ),
    ).toEqual(['few@1', '30', small, '4,000']);
    const first = await firstQueries(1);
    expect((await command(['annotate', first])).stderr).toContain('Reference: few@1');
    await command(['reference', 'use', 'human-4000']);
    expect((await command(['annotate', first])).stderr).toContain(`Reference: ${small}`);
    await command(['reference', 'remove', '--dependents', 'few']);
  });
});

async function expectWholeExampleSet(): Promise<void> {
  const records = unpackedExample('reference.fasta.gz').slice(1).split('\n>');
  const sequences = new Set(records.map((record) => record.split('\n').slice(1).join('')));
  const rows = unpackedExample('reference.gaf.gz')
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('!'));
  expect(await callApi(dataDir, '/v1/proteins/stats')).toMatchObject({ total: records.length });
  const sets = await callApi<{ annotation_count: number }[]>(dataDir, '/v1/annotations/sets');
  expect(sets.map((set) => set.annotation_count)).toEqual([rows.length]);
  const configs = await callApi<{ embedding_count: number }[]>(dataDir, '/v1/embeddings/configs');
  expect(configs).toHaveLength(1);
  // The sample run of the first page may not be finished; it has other sequences.
  const more = configs[0].embedding_count - sequences.size;
  expect(more).toBeGreaterThanOrEqual(0);
  expect(more).toBeLessThanOrEqual(sampleProteins);
}

describe('the options of kindred annotate', () => {
  it.each([
    ['a score that is none', ['--min-score', 'high', 'x'], /--min-score.*'high'.*number from 0 to 1/],
    ['a count that is none', ['--top', '0', 'x'], /--top.*'0'.*whole number from 1 on/],
    ['a folder option without a folder', ['--slim', 'x', 'x'], /--slim goes with --out-dir/],
    ['a table where GFF3 is written', ['--gff', 'x', '--format', 'tsv', 'x'], /leave --format out/],
    ['a number of lines of GFF3', ['--gff', 'x', '--top', '3', 'x'], /leave --top out/],
    ['a file of features that is absent', ['--gff', 'no.gff3', 'x'], /no\.gff3 does not exist/],
    [
      'to overwrite its own input',
      ['--gff', 'package.json', '-o', './package.json', 'x'],
      /are both package.json/,
    ],
    ['a format that is none', ['--format', 'xml', 'x'], /tsv, json, table/],
  ])('refuse %s', async (_name, args, message) => {
    const command = annotateCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    await expect(command.parseAsync(args, { from: 'user' })).rejects.toThrow(message);
  });
});

/** The map leads from a column's name to its position. */
const at = Object.fromEntries(exportColumns.map((name, place) => [name, place]));

const codonOf: Record<string, string> = {
  ...{ A: 'GCT', C: 'TGT', D: 'GAT', E: 'GAA', F: 'TTT', G: 'GGT', H: 'CAT', I: 'ATT', K: 'AAA', L: 'CTG' },
  ...{ M: 'ATG', N: 'AAT', P: 'CCT', Q: 'CAA', R: 'CGT', S: 'TCT', T: 'ACT', V: 'GTT', W: 'TGG', Y: 'TAT' },
};

describe.runIf(process.platform === 'linux')('kindred annotate', () => {
  let all: AnswerLine[];

  it("writes the genome's own file with the terms of each protein", async () => {
    const gff = await fasta(
      'genes.gff3',
      `##gff-version 3\n${queries
        .slice(1)
        .map((query, at) => {
          const accession = query.split('|')[1];
          return `chr1\tx\tCDS\t${1 + 10 * at}\t${9 + 10 * at}\t.\t+\t0\tID=cds-${accession};Note=mine\n`;
        })
        .join('')}chr1\tx\tCDS\t1\t9\t.\t+\t0\tID=other\n`,
    );
    const out = join(folder, 'annotated.gff3');
    const { code, stderr } = await annotate([
      join(examplesFolder, 'queries.fasta'),
      ...['--gff', gff, '-o', out],
    ]);
    expect(code).toBe(0);
    expect(stderr).toContain(`${queries.length - 1} of ${queries.length} proteins have lines in genes.gff3.`);
    expect(stderr).toContain('CDS lines that name none of the proteins: 1.');
    const [before, after] = [await readFile(gff, 'utf8'), await readFile(out, 'utf8')].map((text) =>
      text.split('\n'),
    );
    expect(after).toHaveLength(before.length);
    for (const [place, line] of before.entries()) expect(after[place]).toContain(line);
    const lines = after.filter((line) => line.includes('Ontology_term=GO:') && line.includes('Note=mine,'));
    expect(lines.length).toBeGreaterThan(queries.length / 2);
  });

  it('calls the genes of contigs, keeps them, and writes the terms into them', async () => {
    const residues = queries[1].split('\n').slice(1).join('');
    const dna = Array.from(residues, (letter) => codonOf[letter]).join('');
    const contigs = await fasta('contigs.fna', `>ctg\n${dna}TAA\n`);
    const line = `ctg\tProdigal_v2.6.3\tCDS\t1\t${dna.length + 3}\t9\t+\t0\tID=1_1;partial=10;`;
    const called = await fasta('called.gff3', `##gff-version 3\n${line}\n`);
    const program = await fasta('gene-finder', `#!/bin/sh\ncp '${called}' "$6"\n`);
    await chmod(program, 0o755);
    const env = { SVC_GENE_FINDER_COMMAND: program };
    const outDir = join(folder, 'from-contigs');
    const whole = await annotate([contigs, '--genes', '--out-dir', outDir, '--json'], env);
    expect([whole.code, whole.stderr]).toEqual([0, expect.stringContaining('called 1 gene in 1 contig')]);
    expect(JSON.parse(whole.stdout).genes).toEqual({ program: 'Prodigal v2.6.3', called: 1, cut: ['ctg_1'] });
    const read = (name: string) => readFile(join(outDir, name), 'utf8');
    expect(await read('genes.gff3')).toBe(`##gff-version 3\n${line}\n`);
    expect(await read('annotated.gff3')).toContain(`${line}Ontology_term=GO:`);
    expect(await read('report.html')).toContain('cuts 1 of them');
    const manifest = JSON.parse(await read('ro-crate-metadata.json')) as { '@graph': { '@id': string }[] };
    expect(manifest['@graph'].map((one) => one['@id'])).toContain('genes.gff3');
    const kept = join(folder, 'kept.gff3');
    const decorated = join(folder, 'decorated.gff3');
    expect((await annotate([contigs, '--genes', '--gff', kept, '-o', decorated], env)).code).toBe(0);
    expect(await readFile(kept, 'utf8')).toBe(`##gff-version 3\n${line}\n`);
    expect(await readFile(decorated, 'utf8')).toContain(`${line}Ontology_term=GO:`);
    const again = await annotate([contigs, '--genes', '--gff', kept], env);
    expect([again.code, again.stderr]).toEqual([75, expect.stringContaining('kept.gff3 exists')]);
    const both = await annotate([contigs, '--genes', '--gff', 'x.gff3', '--out-dir', 'x'], env);
    expect([both.code, both.stderr]).toEqual([64, expect.stringContaining('leave --gff out')]);
  });

  it('writes TSV, the best terms of each protein first', async () => {
    const { code, stdout } = await annotate([join(examplesFolder, 'queries.fasta')]);
    expect(code).toBe(0);
    const [header, ...rows] = rowsOf(stdout);
    expect(header).toEqual([...exportColumns]);
    expect(new Set(rows.map(([protein]) => protein)).size).toBe(queries.length);
    const predicted = rows.filter((row) => row[at.kind] === 'predicted');
    expect(predicted.length).toBeGreaterThan(100);
    expect(new Set(predicted.map(([protein, term]) => `${protein} ${term}`)).size).toBe(predicted.length);
    expect(
      predicted.every(([, term, name, aspect]) => /^GO:\d{7}$/.test(term) && name && 'PFC'.includes(aspect)),
    ).toBe(true);
    for (const row of predicted) {
      const [score, probability] = [row[at.score], row[at.probability]];
      const [value, end] =
        probability === '' ? [score, answerEnd.score] : [probability, answerEnd.probability];
      expect(Number(value)).toBeGreaterThanOrEqual(end);
      expect(Number(score)).toBeLessThanOrEqual(1);
    }
  });

  it('says which terms it left out, and writes them when asked', async () => {
    const file = await firstQueries(3);
    const short = run(['annotate', file]);
    expect(await short.ended).toBe(0);
    const leftOut = Number(/^(\d+) less certain or contradicted terms are left out/m.exec(short.stderr)?.[1]);
    expect(leftOut).toBeGreaterThan(0);
    const long = await annotate(['--all', file]);
    const terms = (tsv: string) => rowsOf(tsv).filter((row) => row[at.kind] === 'predicted').length;
    expect(terms(long.stdout)).toBe(terms(short.stdout) + leftOut);
  });

  it('shows what is known of a protein first, and why a sequence has no answer', async () => {
    const [known] = gunzipSync(readFileSync(join(examplesFolder, 'reference.fasta.gz')))
      .toString()
      .slice(1)
      .split('\n>', 1);
    const residues = known.split('\n').slice(1).join('');
    const file = await fasta('known.fasta', `>mine\n${residues}\n>short\nMKTAYI\n`);
    const { stdout } = await annotate(['--format', 'json', file]);
    const lines = JSON.parse(stdout) as AnswerLine[];
    const mine = lines.filter((line) => line.protein === 'mine');
    const kinds = mine.map((line) => line.kind);
    expect(kinds[0]).toBe('known');
    expect(kinds.at(-1)).toBe('predicted');
    expect(kinds).toEqual(kinds.toSorted());
    expect(mine[0]).toMatchObject({ source_id: known.split(' ', 1)[0], score: null });
    expect(mine[0].db_reference).toMatch(/:/);
    expect(lines.filter((line) => line.protein === 'short')).toEqual([
      expect.objectContaining({ kind: 'no_answer', go_id: null, no_answer: 'too_short' }),
    ]);
  });

  it('transfers the terms of the nearest sources when asked, with the score that this has', async () => {
    const { stdout } = await annotate(['--method', 'knn', '--neighbours', '3', await firstQueries(2)]);
    const rows = rowsOf(stdout).slice(1);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(Number(row[at.score])).toBeCloseTo(1 - Number(row[at.distance]) / 2, 5);
  });

  it('scores by a runner with its parameters, and names those installed instead of an unknown one', async () => {
    const file = await firstQueries(1);
    const parameters = await fasta('parameters.json', '{"minimum_score": 0.05}');
    const frequent = await annotate([
      '--runner',
      'baseline',
      '--runner-parameters',
      parameters,
      '--format',
      'json',
      file,
    ]);
    expect(frequent.code, frequent.stderr).toBe(0);
    const lines = (JSON.parse(frequent.stdout) as AnswerLine[]).filter(({ kind }) => kind === 'predicted');
    expect(lines.length).toBeGreaterThan(3);
    for (const { score, source_id, probability } of lines) {
      expect(score).toBeGreaterThanOrEqual(0.05);
      expect([source_id, probability]).toEqual([null, null]);
    }
    const unknown = await annotate(['--runner', 'nope', file]);
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain('No runner nope is installed. Installed: baseline, knn, lightgbm.');
  });

  it('writes the same as JSON and, cut to the best, as a table', async () => {
    const file = await firstQueries(3);
    const json = await annotate(['--format', 'json', file]);
    all = JSON.parse(json.stdout) as AnswerLine[];
    expect(new Set(all.map((line) => line.protein)).size).toBe(3);
    const tsv = await annotate([file]);
    expect(rowsOf(tsv.stdout).slice(1)).toEqual(
      all.map((line) => exportColumns.map((column) => textOf(line[column]))),
    );
    const table = await annotate(['--format', 'table', '--top', '1', file]);
    const lines = table.stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(
      /^protein +GO id +aspect +score +certainty +source +evidence +identity +similar +term$/,
    );
    expect(lines.slice(1).map((line) => line.split(/ +/).slice(0, 2))).toEqual(best(1));
  });

  it('keeps the first --top terms of each protein that lists show, and none below --min-score', async () => {
    const file = await firstQueries(3);
    const top = await annotate(['--top', '2', file]);
    expect(predictedIn(top.stdout)).toEqual(best(2, predicted()));
    const scores = predicted()
      .map((line) => Number(line.score))
      .sort((a, b) => a - b);
    const least = scores[Math.floor(scores.length / 2)];
    const output = join(folder, 'best.tsv');
    const high = await annotate(['--min-score', String(least), '-o', output, file]);
    expect(high.stdout).toBe('');
    const wanted = predicted().filter((line) => Number(line.score) >= least);
    expect(wanted.length).toBeLessThan(predicted().length);
    expect(predictedIn(await readFile(output, 'utf8'))).toHaveLength(wanted.length);
  });

  const predicted = () => all.filter((line) => line.kind === 'predicted');
  /** Lists protein and term of the predictions in a file. */
  const predictedIn = (tsv: string) =>
    rowsOf(tsv)
      .filter((row) => row[at.kind] === 'predicted')
      .map((row) => row.slice(0, 2));
  /** Lists protein and term of the first `count` lines of each kind and protein that lists show. */
  function best(count: number, lines: readonly AnswerLine[] = all): (string | null)[][] {
    const groups = new Map<string, AnswerLine[]>();
    for (const line of lines.filter(isListed)) {
      const key = `${line.protein} ${line.kind}`;
      groups.set(key, [...(groups.get(key) ?? []), line]);
    }
    return [...groups.values()].flatMap((group) =>
      group.slice(0, count).map((line) => [line.protein, line.go_id]),
    );
  }

  it('names the line of a bad FASTA, and places that it cannot read or write', async () => {
    const bad = await annotate([await fasta('bad.fasta', '>one\nMKT\n>two\nMK1AY\n')]);
    expect([bad.code, bad.stdout]).toEqual([64, '']);
    expect(bad.stderr).toMatch(/^kindred: bad\.fasta, line 4 \(record two\): "1" is not a residue[^/]*\n$/);
    const missing = await annotate(['no-such.fasta']);
    expect([missing.code, missing.stdout]).toEqual([64, '']);
    expect(missing.stderr).toMatch(/^kindred: The file no-such\.fasta does not exist/);
    const nowhere = await annotate(['-o', join(folder, 'none', 'x.tsv'), await firstQueries(1)]);
    expect(nowhere.code).toBe(64);
    expect(nowhere.stderr).toMatch(/none\/x\.tsv cannot be written: its folder does not exist\./);
  });

  it('says in every file of a folder what it left out of its input', async () => {
    const good = await readFile(await firstQueries(2), 'utf8');
    const file = join(folder, 'bad.fasta');
    await writeFile(file, `>first\nMK1\n${good}>first\nMKT\n>last\nMK?\n`);
    const outDir = join(folder, 'left-out');
    const chosen = ['--bad-records', 'leave_out', '--quiet', '--json'];
    const found = await annotate([...chosen, '--out-dir', outDir, file]);
    expect(found.code, found.stderr).toBe(0);
    expect(found.stderr).toContain('3 records have no protein and are left out:\n  Line 2: "1" is not');
    const said = JSON.parse(found.stdout) as Record<string, unknown>;
    expect(said).toMatchObject({ proteins: 2, left_out_reasons: { unreadable: 3 } });
    const read = (name: string) => readFile(join(outDir, name), 'utf8');
    const listed = rowsOf(await read('left_out.tsv')).filter((row) => row[1] === 'unreadable');
    expect(listed.map((row) => row[0])).toEqual(['first', 'first', 'last']);
    expect(await read('report.html')).toContain('unreadable: 3');
    expect(await read('ro-crate-metadata.json')).toContain('3 unreadable');
  });

  it('annotates into a folder, and after a kill goes on to the same files', async () => {
    const file = await firstQueries(4);
    const outDir = join(folder, 'results');
    const args = ['annotate', '--quiet', '--out-dir', outDir, file];
    const killed = run(args);
    await vi.waitUntil(() => existsSync(join(outDir, 'run.json')), patience);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const again = await annotate(['--out-dir', outDir, file]);
    expect([again.code, again.stderr]).toEqual([64, expect.stringContaining('add --resume')]);
    const resumed = await annotate(['--out-dir', outDir, '--resume', '--json', file]);
    expect(resumed.code, resumed.stderr).toBe(0);
    const said = JSON.parse(resumed.stdout) as { files: string[]; proteins: number; with_terms: number };
    expect(said).toMatchObject({ proteins: 4, with_terms: expect.any(Number), slim: null });
    const contents = () => Promise.all(said.files.map((name) => readFile(join(outDir, name), 'utf8')));
    const before = await contents();
    expect(new Set(said.files).size).toBe(10);
    await Promise.all(said.files.slice(2).map((name) => rm(join(outDir, name))));
    await writeFile(join(outDir, said.files[0]), 'cut off');
    expect((await annotate(['--out-dir', outDir, '--resume', file])).code).toBe(0);
    expect(await contents()).toEqual(before);
    const gaf = before[said.files.indexOf('terms.gaf')];
    const [head, ...terms] = rowsOf(before[said.files.indexOf('terms.tsv')]);
    const [kind, isKnown] = [head.indexOf('kind'), head.indexOf('is_known')];
    // GAF has a line for each annotation of a known term, and for each predicted term that is not known.
    const isBeyond = (row: string[]) => row[kind] === 'known' || row[isKnown] !== 'yes';
    const pairsOf = (rows: string[][]) => [...new Set(rows.map((row) => row.join(' ')))].sort();
    const annotated = rowsOf(gaf).filter((row) => row.length > 1);
    expect(pairsOf(annotated.map((row) => [row[1], row[4]]))).toEqual(
      pairsOf(terms.filter(isBeyond).map((row) => row.slice(0, 2))),
    );
  });

  it('writes its files without the comparison that the service cannot make, says so, and makes it up', async () => {
    const file = await firstQueries(4);
    const outDir = join(folder, 'results');
    const isTable = (name: string) => name === 'enriched.tsv' || name === 'slim.tsv';
    const before = await readdir(outDir);
    const detail = 'The answer took longer than the service gives to one question.';
    const busy = await startStubServer((request, response) => {
      if (!request.url?.endsWith('/enrichment'))
        return void response.writeHead(307, { location: `${service.ready}${request.url}` }).end();
      const problem = {
        type: '/problems/service-unavailable',
        title: 'x',
        status: 503,
        detail,
        instance: '/',
      };
      response
        .writeHead(503, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ ...problem, code: 'service_unavailable' }));
    });
    try {
      const args = ['--url', busy.url, '--out-dir', outDir, '--resume', '--json', file];
      const without = await annotate(args);
      expect(without.code, without.stderr).toBe(0);
      const said = JSON.parse(without.stdout);
      expect(said).toMatchObject({ proteins: 4, enriched: null, not_compared: detail });
      expect(busy.requests).toContainEqual(expect.stringMatching(/enrichment$/));
      expect(said.files.filter(isTable)).toEqual([]);
      expect(await readdir(outDir)).toEqual(before.filter((name) => !isTable(name)));
      expect(await readFile(join(outDir, 'report.html'), 'utf8')).toContain(
        `Not compared, so there are no enriched.tsv and slim.tsv: ${detail}`,
      );
      expect(await readFile(join(outDir, 'ro-crate-metadata.json'), 'utf8')).not.toContain('enriched.tsv');
    } finally {
      await busy.close();
    }
    const again = await annotate(['--out-dir', outDir, '--resume', '--json', file]);
    expect(JSON.parse(again.stdout)).toMatchObject({ not_compared: null, enriched: expect.any(Number) });
    expect(await readdir(outDir)).toEqual(before);
  });

  it('killed twice at random moments of a proteome, goes on to the files of an undisturbed run', async () => {
    const seed = process.env.KINDRED_SEED ?? '1';
    const random = new Random(seed);
    const file = process.env.KINDRED_PROTEOME ?? (await fasta('proteome.fasta', firstReferences(100)));
    const [whole, outDir, kept] = ['whole', 'killed', 'kept'].map((name) => join(folder, name));
    const undisturbed = run(['annotate', '--json', '--out-dir', whole, file]);
    const moments = await momentsOf(undisturbed, whole, Number.POSITIVE_INFINITY);
    expect(undisturbed.child.exitCode, undisturbed.stderr).toBe(0);

    const resume: string[] = [];
    for (const kill of ['first', 'second']) {
      await mkdir(outDir, { recursive: true });
      await cp(outDir, kept, { recursive: true });
      for (let moment = 1 + random.integer(moments - 1), isKilled = false; !isKilled; moment >>= 1) {
        expect(moment, `the ${kill} kill with seed ${seed} came too late`).toBeGreaterThan(0);
        await rm(outDir, { recursive: true });
        await cp(kept, outDir, { recursive: true });
        const killed = run(['annotate', '--out-dir', outDir, ...resume, file]);
        await momentsOf(killed, outDir, moment);
        await killed.end('SIGKILL');
        // A run with less to do ends before its moment.
        isKilled = killed.child.signalCode === 'SIGKILL' && existsSync(join(outDir, 'run.json'));
      }
      resume[0] = '--resume';
    }
    const resumed = await annotate(['--json', '--out-dir', outDir, ...resume, file]);
    expect(resumed.code, resumed.stderr).toBe(0);
    const [said, wanted] = [resumed, undisturbed].map(
      ({ stdout }) => JSON.parse(stdout) as { files: string[] },
    );
    expect(said).toEqual({ ...wanted, folder: outDir, prediction_set_id: expect.any(String) });
    for (const name of said.files) {
      const texts = [outDir, whole].map(async (from) => withoutRun(await readFile(join(from, name), 'utf8')));
      const [found, expected] = await Promise.all(texts);
      expect(found === expected, `${name} with seed ${seed}`).toBe(true);
    }
  });

  it('without a key has the quota of anonymous callers, and may choose how to predict', async () => {
    const url = ['--url', service.ready as string];
    const few = await annotate([...url, '--top', '1', await firstQueries(3)]);
    expect(few.code).toBe(0);
    expect(predictedIn(few.stdout)).toEqual(best(1, predicted()));
    const many = await annotate([...url, await firstQueries(12)]);
    expect(many.code).toBe(75);
    expect(many.stderr).toMatch(/10 .*sequences.* --api-key or SVC_API_KEY\.\n/);
    const own = await annotate([...url, '--neighbours', '3', await firstQueries(1)]);
    expect(own.code).toBe(0);
    const wrong = await annotate([...url, '--api-key', 'x'.repeat(43), await firstQueries(1)]);
    expect(wrong.code).toBe(77);
    expect(wrong.stderr).toMatch(/^kindred: .* --api-key or SVC_API_KEY\.\n$/m);
  });

  it('says how to start a service where none answers', async () => {
    const { code, stderr } = await annotate(['--url', 'http://127.0.0.1:9', await firstQueries(1)]);
    expect(code).toBe(69);
    expect(stderr).toMatch(
      /No answer from http:\/\/127\.0\.0\.1:9: start it with "npm start", or give --url/,
    );
  });

  it('on its own starts a service, gives the same, and leaves nothing running', async () => {
    await service.end();
    const { code, stdout, stderr } = await annotate(['--format', 'json', await firstQueries(3)]);
    expect(code).toBe(0);
    expect(stderr).toContain('Kindred is not running; starting it for this command ...');
    expect(JSON.parse(stdout)).toEqual(all);
    for (const left of ['service.json', 'service.lock', 'postgres/data/postmaster.pid'])
      expect(existsSync(join(dataDir, left))).toBe(false);
  });
});
