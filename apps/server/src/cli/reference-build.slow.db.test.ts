import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@kindred/kernels/arrays';
import { patience, sharedData } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { examplesFolder } from '../ground/folders.js';
import { textOf } from '../testing/slow-world.js';
import { callApi, Command, treeOf, untilGone } from '../testing/supervise/command.js';

const env = { SVC_LOAD_EXAMPLES: 'false', SVC_LEASE_SECONDS: '3', SVC_SWEEP_PERIOD_MS: '200' };
/** The build is killed and interrupted in turn, this often; KINDRED_INTERRUPTIONS gives another number. */
const interruptions = Number(process.env.KINDRED_INTERRUPTIONS ?? 2);
/** The build has this many steps before the last one, which has no moments between. */
const interruptedSteps = 4;

let folder: string;
let rows: number;
const proteins = 1200;
const started: Command[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-build-'));
  const fasta = await textOf(join(examplesFolder, 'reference.fasta.gz'));
  const records = fasta.slice(1).split('\n>').slice(0, proteins);
  await writeFile(join(folder, 'proteins.fasta'), `>${records.join('\n>')}\n`);
  const accessions = new Set(records.map((record) => record.split(/[\s|]/)[record.includes('|') ? 1 : 0]));
  const gaf = (await textOf(join(examplesFolder, 'reference.gaf.gz'))).split('\n');
  const kept = gaf.filter((line) => accessions.has(line.split('\t')[1]));
  rows = kept.length;
  await writeFile(join(folder, 'rows.gaf'), `!gaf-version: 2.2\n${kept.join('\n')}\n`);
});
afterAll(async () => {
  for (const command of started.toReversed())
    if (command.child.exitCode === null && command.child.signalCode === null) await command.end();
  await rm(folder, { recursive: true, force: true });
});

interface Service {
  dataDir: string;
  serve: Command;
}

function run(args: string[], dataDir: string): Command {
  const command = Command.run(args, { ...env, SVC_DATA_DIR: dataDir });
  started.push(command);
  return command;
}

async function startService(name: string): Promise<Service> {
  const dataDir = join(folder, name);
  return { dataDir, serve: await run(['serve', '--port', '0'], dataDir).untilReady() };
}

const sources = () => ({
  fasta: [join(folder, 'proteins.fasta')],
  gaf: [join(folder, 'rows.gaf')],
  obo: join(examplesFolder, 'go-basic-2022-07-01.obo.gz'),
});
const build = ({ dataDir }: Pick<Service, 'dataDir'>, { fasta, gaf, obo } = sources()) =>
  run(
    [
      ...['reference', 'build', '--name', 'human', '--version', '1'],
      ...['--fasta', ...fasta, '--gaf', ...gaf, '--obo', obo, '--model', 'kmer-512'],
    ],
    dataDir,
  );
/**
 * The sources are two real organisms if KINDRED_INTERRUPTIONS asks for many interruptions; a few are made on
 * smaller files.
 */
function largeSources(): ReturnType<typeof sources> | undefined {
  const shared = interruptions < 10 ? null : sharedData('data');
  if (shared === null) return undefined;
  const of = (...parts: string[]) => join(shared, ...parts);
  return {
    fasta: [
      of('ecoli-k12', 'UP000000625_83333.fasta.gz'),
      of('yeast', 'yeast_swissprot_2025-10-27.fasta.gz'),
    ],
    gaf: [
      of('ecoli-k12', '18.E_coli_MG1655.2020-03-03.gaf.gz'),
      of('yeast', '71242.S_cerevisiae_ATCC_204508.2020-03-03.gaf.gz'),
    ],
    obo: of('ontology', 'go-2022-07-01.obo.gz'),
  };
}

interface Reference {
  status: string;
  content_sha256: string | null;
  job_id: string;
}
interface Step {
  status: string;
  progress_current: number;
  progress_total: number | null;
}

const referenceOf = async ({ dataDir }: Pick<Service, 'dataDir'>): Promise<Reference | undefined> =>
  (await callApi<Reference[]>(dataDir, '/v1/references')).at(0);

/** Tells how many of its steps a build has done, with the shares of those that run; 0 before it has begun. */
async function workDone(service: Pick<Service, 'dataDir'>): Promise<number> {
  const reference = await referenceOf(service);
  if (reference === undefined) return 0;
  if (reference.status === 'complete') throw new Error('the build was done before all interruptions');
  const steps = await callApi<Step[]>(service.dataDir, `/v1/jobs?parent_job_id=${reference.job_id}&limit=50`);
  return steps.reduce((sum, { status, progress_current, progress_total }) => {
    if (status === 'SUCCEEDED') return sum + 1;
    return sum + (progress_total ? Math.min(1, progress_current / progress_total) : 0);
  }, 0);
}

async function untilWorkDone(service: Pick<Service, 'dataDir'>, share: number): Promise<void> {
  await vi.waitUntil(async () => (await workDone(service)) >= share, patience);
}

/** Tells whether the build does so much before it ends. */
async function reaches(service: Pick<Service, 'dataDir'>, command: Command, share: number): Promise<boolean> {
  let isOver = false;
  void command.ended.then(() => {
    isOver = true;
  });
  // The command starts its service first, and ends it at the end.
  const isFar = async () => (await workDone(service)) >= share;
  let isReached = false;
  await vi.waitUntil(async () => {
    isReached = await isFar().catch(() => false);
    return isReached || isOver;
  }, patience);
  return isReached;
}

const kindsOfInterruption = [
  'SIGKILL of the command',
  'power cut',
  'Ctrl-C',
  'Ctrl-C in a terminal, which every process gets',
] as const;
type Interruption = (typeof kindsOfInterruption)[number];

/**
 * Ends a build that started its own service.
 * @returns when none of its processes runs
 */
async function interrupt(command: Command, { dataDir }: Pick<Service, 'dataDir'>, kind: Interruption) {
  const { pid } = JSON.parse(await readFile(join(dataDir, 'service.json'), 'utf8')) as { pid: number };
  const { http, worker, postgres } = treeOf(pid, dataDir);
  const service = [pid, http, worker, postgres];
  if (kind === 'Ctrl-C') process.kill(command.pid, 'SIGINT');
  else if (kind === 'Ctrl-C in a terminal, which every process gets')
    // The database has its own session.
    for (const one of [command.pid, pid, http, worker]) process.kill(one, 'SIGINT');
  else
    for (const one of kind === 'power cut' ? [command.pid, ...service] : [command.pid])
      process.kill(one, 'SIGKILL');
  expect(await command.ended).not.toBe(0);
  // The processes that the command started end with it.
  await untilGone(service);
}

/** Reads the content of the reference as the API gives it, apart from ids and times. */
async function contentOf(service: Service) {
  const { parts, left_out, vectors, ...rest } = await callApi<Record<string, unknown>>(
    service.dataDir,
    '/v1/references/human@1',
  );
  const { content_sha256, protein_count, annotation_count, annotations_by_evidence, reliability } = rest;
  const counted = (vectors as { vector_count: number }[]).map(({ vector_count }) => vector_count);
  return {
    content_sha256,
    protein_count,
    annotation_count,
    annotations_by_evidence,
    left_out,
    parts,
    counted,
    reliability,
  };
}

describe('reference build', () => {
  it('gives the same content after kills of the worker and interrupts of the command', async () => {
    const plain = await startService('plain');
    const whole = build(plain);
    expect(await whole.ended, whole.stderr).toBe(0);
    expect(whole.stderr).toContain(`1,200 proteins, ${rows.toLocaleString('en')} annotation rows: about`);
    const expected = await contentOf(plain);
    // Figures near 1 would mean that the predicted terms were known, because the proteins were among their
    // own sources.
    const { aspects } = expected.reliability as { aspects: { fmax: number; low: number; high: number }[] };
    for (const { fmax, low, high } of aspects) {
      expect(low).toBeLessThan(fmax);
      expect(fmax).toBeLessThan(high);
      expect(fmax).toBeGreaterThan(0.15);
      expect(high).toBeLessThan(0.85);
    }
    await plain.serve.end();

    const disturbed = await startService('disturbed');
    const random = new Random(20_261_122);
    const moments = Array.from({ length: interruptions }, () => random.float() * interruptedSteps).sort(
      (a, b) => a - b,
    );
    let command = build(disturbed);
    const kinds = { killed: 0, interrupted: 0 };
    for (const [n, moment] of moments.entries()) {
      await untilWorkDone(disturbed, moment);
      if (n % 2 === 0) {
        const before = treeOf(disturbed.serve.pid, disturbed.dataDir).worker;
        process.kill(before, 'SIGKILL');
        await untilAnotherWorker(disturbed, before);
        kinds.killed++;
      } else {
        expect(await command.end('SIGINT')).not.toBe(0);
        command = build(disturbed);
        kinds.interrupted++;
      }
    }
    expect(kinds).toEqual({
      killed: Math.ceil(interruptions / 2),
      interrupted: Math.floor(interruptions / 2),
    });
    expect(await command.ended, command.stderr).toBe(0);
    expect(await contentOf(disturbed)).toEqual(expected);

    const again = build(disturbed);
    expect(await again.ended, again.stderr).toBe(0);
    expect(await callApi<Reference[]>(disturbed.dataDir, '/v1/references')).toHaveLength(1);
    await disturbed.serve.end();
  });
});

describe('reference build that starts its own service', () => {
  it('gives the same content after Ctrl-C, kills and power cuts at random moments', async () => {
    const large = largeSources();
    const whole = { dataDir: join(folder, 'whole') };
    const first = build(whole, large);
    expect(await first.ended, first.stderr).toBe(0);
    const expected = hashIn(first);
    let disturbed = { dataDir: join(folder, 'cut') };
    const random = new Random(20_261_124);
    // The count has each kind of interruption at least once.
    const count = Math.max(interruptions, kindsOfInterruption.length);
    const moments = Array.from({ length: count }, () => random.float() * interruptedSteps).sort(
      (a, b) => a - b,
    );
    const done: string[] = [];
    for (const [n, moment] of moments.entries()) {
      let command = build(disturbed, large);
      // The rest of a build may be done between two looks at it; then the next cut is in another build.
      while (!(await reaches(disturbed, command, moment))) {
        expect(hashIn(command), command.stderr).toBe(expected);
        disturbed = { dataDir: `${disturbed.dataDir}-again` };
        command = build(disturbed, large);
      }
      const kind = kindsOfInterruption[n % kindsOfInterruption.length];
      await interrupt(command, disturbed, kind);
      done.push(`${kind} after ${moment.toFixed(2)} steps`);
    }
    const last = build(disturbed, large);
    expect(await last.ended, last.stderr).toBe(0);
    expect(hashIn(last)).toBe(expected);
    const again = build(disturbed, large);
    expect(await again.ended, again.stderr).toBe(0);
    expect(again.stdout).toBe(last.stdout);
    console.info(`${done.join('\n')}\ncontent ${expected}`);
  });
});

const hashIn = ({ stdout }: Command) => /^ {2}content +([0-9a-f]{64})$/m.exec(stdout)?.[1];

async function untilAnotherWorker({ serve, dataDir }: Service, before: number): Promise<void> {
  const worker = () => {
    try {
      return treeOf(serve.pid, dataDir).worker;
    } catch {
      return before;
    }
  };
  await vi.waitUntil(() => worker() !== before, patience);
}
