import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { evaluateCommand } from './evaluate.js';

let folder = '';
let notes = '';
let outputs: { mockRestore(): void }[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-evaluate-'));
  notes = '';
  const keep = (text: string | Uint8Array): boolean => {
    notes += text;
    return true;
  };
  outputs = [
    vi.spyOn(process.stderr, 'write').mockImplementation(keep),
    vi.spyOn(process.stdout, 'write').mockReturnValue(true),
  ];
});
afterEach(() => {
  for (const output of outputs) output.mockRestore();
  rmSync(folder, { recursive: true });
});

const inFolder = (...parts: string[]): string => join(folder, ...parts);
function put(files: Record<string, string | Uint8Array>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(inFolder(name)), { recursive: true });
    writeFileSync(inFolder(name), content);
  }
}
const term = (id: string, namespace: string, parent?: string): string =>
  `[Term]\nid: ${id}\nnamespace: ${namespace}\n${parent ? `is_a: ${parent}\n` : ''}\n`;
const small = {
  'go.obo': term('T:0', 'one') + term('T:1', 'one', 'T:0') + term('T:2', 'one', 'T:0') + term('U:0', 'two'),
  'truth.tsv': 'EntryID\tterm\taspect\nP1\tT:1\tP\nP2\tT:2\tP\n',
  'ia.tsv': 'T:1\t1.5\nT:2\t2\n',
  'methods/a.tsv': 'P1\tT:1\t0.9\nP2\tT:1\t0.4\n',
  'methods/deep/b.tsv.gz': gzipSync('P2\tT:2\t0.8\nP9\tT:2\t0.8\nP1\tT:77\t1\n'),
};
async function run(...flags: string[]): Promise<void> {
  const given = [
    '--obo',
    'go.obo',
    '--predictions',
    'methods',
    '--ground-truth',
    'truth.tsv',
    '--out-dir',
    'out',
  ];
  const paths = given.map((word, i) => (i % 2 === 1 ? inFolder(word) : word));
  const command = evaluateCommand().exitOverride();
  await command
    .configureOutput({ writeErr: (text) => void (notes += text) })
    .parseAsync([...paths, ...flags], { from: 'user' });
}
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n');
const out = (name: string): string[] => linesOf(inFolder('out', name));
const cellsOf = (name: string): string[][] => out(name).map((line) => line.split('\t'));

describe('kindred evaluate', () => {
  it('writes the published tables, the summary and the frame', async () => {
    put(small);
    await run('--ia', inFolder('ia.tsv'), '--full', '--th-step', '0.1');
    const metrics = ['f', 'f_micro', 'f_micro_w', 'f_w', 's', 's_w'];
    expect(readdirSync(inFolder('out')).sort()).toEqual(
      [
        'evaluation_all.full.tsv',
        'evaluation_all.tsv',
        ...metrics.map((m) => `evaluation_best_${m}.tsv`),
        'evaluation_frame.json',
        'evaluation_summary.tsv',
      ].sort(),
    );
    const rows = cellsOf('evaluation_all.tsv');
    expect(rows.length).toBe(1 + 9 + 8);
    expect(new Set(rows.slice(1).map(([name]) => name))).toEqual(new Set(['a.tsv', 'deep_b.tsv']));
    expect(rows[1].slice(0, 10)).toEqual([
      'a.tsv',
      'one',
      '0.10',
      '2.00',
      '1.50',
      '0.50',
      '0.50',
      '0.75',
      '0.75',
      '1.00',
    ]);
    expect(cellsOf('evaluation_best_f.tsv')[1].slice(0, 3)).toEqual(['a.tsv', 'one', '0.10']);
    const frame = JSON.parse(readFileSync(inFolder('out', 'evaluation_frame.json'), 'utf8'));
    expect(frame.options).toMatchObject({
      prop: 'max',
      norm: 'cafa',
      th_step: 0.1,
      no_orphans: false,
      compat: 'corrected',
    });
    expect(
      frame.namespaces.map(({ name, proteins }: { name: string; proteins: number }) => [name, proteins]),
    ).toEqual([
      ['one', 2],
      ['two', 0],
    ]);
    expect(notes).toContain('two: no ground truth; not evaluated');
    expect(notes).toContain('deep_b.tsv: 1 of 3 lines name a term that the ontology lacks');
  });

  it('says which lines of the ontology it left out', async () => {
    const context = 'is_a: T:1 {gci_relation="part_of", gci_filler="NCBITaxon:9606"}';
    put({ ...small, 'go.obo': `${small['go.obo']}${term('T:3', 'one', 'T:0').trimEnd()}\n${context}\n` });
    await run();
    expect(notes).toMatch(
      /go.obo: 1 unreadable lines are left out\n {2}line \d+ \(T:3\): holds only in the context/,
    );
  });

  it('reads a large file again where lines of a protein are far apart, and says so', async () => {
    // 2 million cells are as many as the command holds at once, so P1 is scored before its last line comes.
    const long = `${'P1\tT:1\t0.9\n'.repeat(2e6)}P2\tT:1\t0.4\nP1\tT:1\t0.9\n`;
    put({ ...small, 'methods/long.tsv.gz': gzipSync(long) });
    await run();
    expect(notes).toContain('long.tsv: read 2 times, because lines of one protein are far apart');
    expect(notes).not.toContain('a.tsv: read');
    const rowsOf = (name: string): string[][] =>
      cellsOf('evaluation_all.tsv').flatMap(([method, ...cells]) => (method === name ? [cells] : []));
    expect(rowsOf('long.tsv')).toEqual(rowsOf('a.tsv'));
    expect(rowsOf('a.tsv').length).toBeGreaterThan(0);
    const frame = JSON.parse(readFileSync(inFolder('out', 'evaluation_frame.json'), 'utf8'));
    expect(frame.methods.map(({ used }: { used: number }) => used)).toEqual([2, 1, 2_000_002]);
  });

  it('writes intervals and differences when asked for a bootstrap', async () => {
    put(small);
    await run('--bootstrap', '20', '--seed', '7');
    expect(cellsOf('evaluation_intervals.tsv').filter(([, , figure]) => figure === 'fmax').length).toBe(2);
    expect(
      cellsOf('evaluation_differences.tsv')
        .find(([, , , figure]) => figure === 'fmax')
        ?.slice(0, 2),
    ).toEqual(['a.tsv', 'deep_b.tsv']);
    const first = out('evaluation_intervals.tsv');
    await run('--bootstrap', '20', '--seed', '8');
    expect(out('evaluation_intervals.tsv')).not.toEqual(first);
  });

  it('keeps the other methods where one is empty, holds zeros, or misses an aspect', async () => {
    put({
      ...small,
      'methods/empty.tsv': '',
      'methods/zeros.tsv': 'P1\tT:1\t0\n',
      'methods/words.txt': 'no predictions here at all\n',
    });
    await run();
    expect(
      cellsOf('evaluation_best_f.tsv')
        .slice(1)
        .map(([name]) => name),
    ).toEqual(['a.tsv', 'deep_b.tsv']);
    for (const name of ['empty.tsv', 'zeros.tsv', 'words.txt'])
      expect(notes).toContain(`${name}: no usable prediction`);
  });

  it.each<[string, Record<string, string | Uint8Array>, string[], RegExp]>([
    [
      'a score that is not a number',
      { 'methods/a.tsv': 'P1\tT:1\t0.5\nP2\tT:1\thigh\n' },
      [],
      /methods\/a\.tsv, line 2: .*expected protein, term and score/,
    ],
    [
      'a truth line of one column',
      { 'truth.tsv': 'P1\tT:1\nP2\n' },
      [],
      /truth\.tsv, line 2: .*expected protein and term/,
    ],
    [
      'an IA value that is not a number',
      { 'ia.tsv': 'T:1\t1\nT:2\tx\n' },
      ['--ia', 'ia.tsv'],
      /ia\.tsv, line 2: .*information accretion/,
    ],
    ['an ontology without terms', { 'go.obo': 'hello\n' }, [], /go\.obo, line 1: no \[Term\] stanza/],
    ['a missing file', {}, ['--known', 'nowhere.tsv'], /nowhere\.tsv: cannot be read: there is no such file/],
    [
      'damaged gzip data',
      { 'methods/a.tsv': gzipSync('P1\tT:1\t0.5\n').subarray(0, 20) },
      [],
      /methods\/a\.tsv: damaged gzip data/,
    ],
    ['nothing usable anywhere', { 'truth.tsv': 'P7\tT:1\n' }, [], /no method has a usable prediction/],
    [
      'known terms for the program without them',
      {},
      ['--compat', 'upstream', '--known', 'truth.tsv'],
      /do not exist in the upstream program/,
    ],
    ['an option out of range', {}, ['--th-step', '1'], /expected a number between 0 and 1/],
    ['an unknown choice', {}, ['--prop', 'min'], /Allowed choices are max, fill/],
  ])('says what to correct: %s', async (_, files, flags, message) => {
    put({ ...small, ...files });
    const paths = flags.map((word, i) =>
      flags[i - 1] === '--ia' || flags[i - 1] === '--known' ? inFolder(word) : word,
    );
    await expect(run(...paths)).rejects.toThrow(message);
  });

  it.skipIf(!existsSync(new URL('../../dist/cli/evaluate-threads.js', import.meta.url)))(
    'gives the same on several threads',
    async () => {
      put(small);
      await run('--bootstrap', '5', '--full');
      const alone = readdirSync(inFolder('out')).map((name) => [name, out(name)]);
      await run('--bootstrap', '5', '--full', '--threads', '2');
      expect(readdirSync(inFolder('out')).map((name) => [name, out(name)])).toEqual(alone);
      put({ 'methods/a.tsv': 'P1\tT:1\thigh\n' });
      await expect(run('--threads', '2')).rejects.toThrow(/a\.tsv, line 1/);
    },
  );
});

const oracles = sharedData('oracles', 'cafa', 'small');

describe.skipIf(!oracles)('kindred evaluate beside the published programs', () => {
  const commands = oracles
    ? linesOf(join(oracles, 'expected', 'COMMANDS.tsv'))
        .slice(1)
        .map((line) => line.split('\t'))
    : [];
  const flagNames: Record<string, string> = {
    '-ia': '--ia',
    '-known': '--known',
    '-toi': '--toi',
    '-prop': '--prop',
    '-norm': '--norm',
    '-th_step': '--th-step',
    '-max_terms': '--max-terms',
    '-no_orphans': '--no-orphans',
  };
  const isFile = new Set(['-ia', '-known', '-toi']);

  it.each(commands)('%s (%s): the same files, rows and numbers', async (set, program, text) => {
    const words = text.split(' ').slice(4);
    const flags = words.flatMap((word, i) => {
      if (word in flagNames) return [flagNames[word]];
      const flag = words[i - 1];
      if (!(flag in flagNames) || flag === '-no_orphans') return [];
      return [isFile.has(flag) ? join(oracles!, word) : word];
    });
    const inputs = [
      '--obo',
      'ontology.obo',
      '--predictions',
      'predictions',
      '--ground-truth',
      'ground_truth.tsv',
    ].map((word, i) => (i % 2 ? join(oracles!, word) : word));
    const compat = program === 'pk' ? 'partial-knowledge' : 'upstream';
    const all = [...inputs, ...flags, '--compat', compat, '--full', '--out-dir', inFolder('out')];
    await evaluateCommand().exitOverride().parseAsync(all, { from: 'user' });
    const expected = join(oracles!, 'expected', set);
    const tables = readdirSync(expected).filter((name) => name.startsWith('evaluation_'));
    expect(
      readdirSync(inFolder('out'))
        .filter((name) => /_(all|best)/.test(name))
        .sort(),
    ).toEqual(tables.sort());
    const key = ([name, ns, tau]: string[]): string => `${name} ${ns} ${Number(tau).toFixed(6)}`;
    const found = new Map(cellsOf('evaluation_all.full.tsv').map((row) => [key(row), row]));
    const wanted = linesOf(join(expected, 'evaluation_all.full.tsv')).map((line) => line.split('\t'));
    expect(found.size).toBe(wanted.length);
    for (const row of wanted.slice(1)) {
      const mine = found.get(key(row))!;
      row.slice(2).forEach((cell, i) => {
        expect(Math.abs(Number(mine[i + 2]) - Number(cell))).toBeLessThanOrEqual(
          1e-9 * Math.max(1e-3, Math.abs(Number(cell))),
        );
      });
    }
  });
});
