import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
// @ts-expect-error: plain JavaScript
import { findData } from '../benchmarks/peers.mjs';
// @ts-expect-error: plain JavaScript
import { data, goals, peers, steps, tables } from '../benchmarks/plan.mjs';
// @ts-expect-error: plain JavaScript
import { coverage, judge, summaryLines } from '../benchmarks/summary.mjs';

interface Part {
  what: string;
  benchmark?: string;
  figure?: string;
  of?: Record<string, string | number>;
  atLeast?: number;
  atMost?: number;
  unmeasured?: string;
}
interface Goal {
  line: number;
  title: string;
  parts: Part[];
}
interface Step {
  benchmark: string;
  short?: string[];
  whole: string[];
  needs?: string[];
  peers?: string[];
}
type Judged = { line: number; met: string; parts: { met: boolean | null; why?: string; value?: number }[] };
const plan = { goals: goals as Goal[], steps: steps as Step[] };
const folder = new URL('../benchmarks/', import.meta.url);
const sourceOf = (benchmark: string) => readFileSync(new URL(`${benchmark}.bench.mjs`, folder), 'utf8');
const result = (benchmark: string, more: object) => ({
  benchmark,
  arguments: [],
  state: 'ran',
  seconds: 1,
  processorSeconds: 1,
  figures: [],
  ...more,
});
const judged = (ofGoals: object[], results: object[], isShort = true) =>
  judge(ofGoals, results, { isShort }) as Judged[];

describe('the plan of all benchmarks', () => {
  it('has a row for each of the nine lines, in order', () => {
    expect(plan.goals.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const lines = summaryLines(judged(plan.goals, [])) as string[];
    for (const { line, title } of plan.goals)
      expect(lines.filter((text) => text.startsWith(`| ${line} | ${title} | `))).toHaveLength(1);
  });

  it('decides about each line by figures that a benchmark of the plan keeps', () => {
    for (const { parts } of plan.goals) {
      expect(parts.some(({ unmeasured }) => unmeasured === undefined)).toBe(true);
      for (const { what, benchmark, figure, atLeast, atMost, unmeasured } of parts) {
        if (unmeasured !== undefined) continue;
        expect(plan.steps.map((step) => step.benchmark)).toContain(benchmark);
        const source = sourceOf(benchmark as string).replaceAll(/keep\(\s+/g, 'keep(');
        expect(
          [`keep('${figure}'`, `keep("${figure}"`].some((call) => source.includes(call)),
          what,
        ).toBe(true);
        expect([atLeast, atMost].filter((limit) => limit !== undefined)).toHaveLength(1);
      }
    }
  });

  it('runs every benchmark there is, and no other', () => {
    const there = readdirSync(folder).filter((name) => name.endsWith('.bench.mjs'));
    const run = new Set(plan.steps.map(({ benchmark }) => `${benchmark}.bench.mjs`));
    expect([...run].sort()).toEqual(there.sort());
  });

  it('knows the programs and data that each step names', () => {
    const known = new Set([...Object.keys(peers as object), ...Object.keys(data as object), 'avx2']);
    const named = plan.steps.flatMap((step) => [...(step.needs ?? []), ...(step.peers ?? [])]);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    const filled = plan.steps.flatMap((step) =>
      [...(step.short ?? []), ...step.whole].flatMap((text) => {
        const folderName = /^\{(\w+)\}/.exec(text)?.[1];
        return folderName === undefined || folderName === 'root' || step.needs?.includes(folderName)
          ? []
          : [text];
      }),
    );
    expect(filled).toEqual([]);
  });

  it('says of every heading of performance.md which benchmark makes its tables, or why none does', () => {
    const page = readFileSync(new URL('../docs/explanation/performance.md', import.meta.url), 'utf8');
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    const rows = tables as { heading: string; benchmark?: string; left?: string }[];
    expect(rows.map(({ heading }) => heading)).toEqual(headings);
    for (const { benchmark, left } of rows) {
      expect([benchmark, left].filter((one) => one !== undefined)).toHaveLength(1);
      if (benchmark !== undefined) expect(existsSync(new URL(`${benchmark}.bench.mjs`, folder))).toBe(true);
    }
  });
});

describe('the verdict on a line', () => {
  const parts = [
    { what: 'speed', benchmark: 'search', figure: 'times faiss', of: { k: 5 }, atLeast: 3 },
    { what: 'memory', benchmark: 'search', figure: 'MiB', atMost: 10 },
  ];
  const goal = { line: 2, title: 'Exact search', parts };
  const faiss = (k: number, value: number) => ({ figure: 'times faiss', value, of: { k } });
  const memory = { figure: 'MiB', value: 9, of: {} };

  it('takes the worst figure of a part, and only those that it names', () => {
    const [met] = judged([goal], [result('search', { figures: [faiss(5, 3.1), faiss(50, 1), memory] })]);
    expect(met.met).toBe('yes');
    const [missed] = judged([goal], [result('search', { figures: [faiss(5, 3.1), faiss(5, 2.9), memory] })]);
    expect(missed).toMatchObject({
      met: 'no',
      parts: [
        { met: false, value: 2.9 },
        { met: true, value: 9 },
      ],
    });
  });

  it('is never yes where a part was not measured, and says what was missing', () => {
    const [some] = judged(
      [goal],
      [result('search', { figures: [memory], missing: ['faiss: not installed'] })],
    );
    expect(some).toMatchObject({ met: 'in part', parts: [{ met: null, why: 'faiss: not installed' }, {}] });
    const left = result('search', { state: 'left out', why: 'not with --short' });
    const [none] = judged([goal], [left]);
    expect(none).toMatchObject({ met: 'not measured', parts: [{ why: 'not with --short' }, {}] });
    expect((summaryLines([none]) as string[]).at(-1)).toContain(
      '| not measured | not measured: not with --short |',
    );
    const [unknown] = judged([goal], [result('search', { figures: [faiss(5, Number.NaN)] })]);
    expect(unknown.parts.map(({ met }) => met)).toEqual([null, null]);
  });

  it('names memory at a size that was not run an estimate', () => {
    const memoryGoal = plan.goals.find(({ line }) => line === 6);
    const at = (predictions: number, value: number) => ({
      figure: 'MiB',
      value,
      of: { predictions, step: '0.01' },
    });
    const run = (...figures: object[]) =>
      judged([memoryGoal as Goal], [result('evaluation', { figures })])[0];
    expect(run(at(1e6, 100), at(4e6, 130))).toMatchObject({
      met: 'no, estimated',
      parts: [{ value: 1090, words: 'by a straight line through 1 and 4 million' }],
    });
    expect(run(at(1e6, 100), at(1e8, 600))).toMatchObject({ met: 'yes', parts: [{ value: 600 }] });
    expect(run(at(1e6, 100)).met).toBe('not measured');
  });

  it('counts the runs behind each table', () => {
    const covered = coverage(
      [
        { heading: 'Neighbour search', benchmark: 'search' },
        { heading: 'Memory', left: 'by hand' },
      ],
      [result('search', {}), result('search', { state: 'failed', why: 'ended with 1' })],
    );
    expect(covered).toMatchObject([
      { runs: 2, ran: 1, why: 'ended with 1' },
      { runs: 0, why: 'by hand' },
    ]);
  });
});

describe('what is asked for', () => {
  const bench = (...args: string[]) => {
    const file = fileURLToPath(new URL('bench.mjs', import.meta.url));
    return spawnSync(process.execPath, [file, ...args], { encoding: 'utf8' });
  };

  it.each([
    [['serach'], 'No such benchmark: serach. There are: all (by itself), alignment,'],
    [['all', 'search'], 'No such benchmark: all.'],
    [['search', '--short'], '--short and --json belong to all'],
    [['all', '--shrot'], "Unknown option '--shrot'"],
  ])('is refused with a sentence before anything is built: %j', (args, sentence) => {
    const { status, stderr } = bench(...args);
    expect(status).toBe(64);
    expect(stderr).toContain(sentence);
  });

  it('is data by their variable, and a folder without them is named', () => {
    vi.stubEnv('KINDRED_SHARED', fileURLToPath(folder));
    vi.stubEnv('KINDRED_SWISSPROT', undefined);
    const { folders, missing } = findData() as { folders: object; missing: Map<string, string> };
    vi.unstubAllEnvs();
    expect(folders).toEqual({});
    expect(missing.get('shared')).toMatch(/\(KINDRED_SHARED\) has no data\/windows-2018-2020/);
    expect(missing.get('swissprot')).toBe(
      'KINDRED_SWISSPROT is not set; it names a folder with swissprot-2014-01.fasta and swissprot-2014-01-go.tsv',
    );
  });
});
