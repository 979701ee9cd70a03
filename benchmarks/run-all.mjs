// Runs the steps of plan.mjs one after the other and sums them up: npm run bench -- all [--short] [--json FILE].
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadNative } from '@kindred/native';
import { runTree } from '../tools/ending.mjs';
import { findData, preparePeers } from './peers.mjs';
import { goals, steps, tables } from './plan.mjs';
import { processorSecondsOf } from './service-processes.mjs';
import { coverage, judge, summaryLines } from './summary.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The time in which all short runs end on an idle machine of two cores, and the time after which one of them is ended. */
const shortMinutes = 20;
const stepMinutes = 10;
const minutes = (seconds) => (seconds / 60).toFixed(1);

/** Describes the machine, because figures of different machines cannot be compared. */
function machineNow() {
  const native = loadNative();
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    instructions: native === null ? ['no addon'] : [...native.available],
    gigabytes: Math.round(totalmem() / 1e9),
    node: process.version,
    load: Number(loadavg()[0].toFixed(1)),
  };
}

function commitOf() {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : null;
}

/** Returns the reasons why a step cannot run here. */
function lacks(step, { isShort, missing }) {
  if (isShort && step.short === undefined) return ['not with --short'];
  return (step.needs ?? []).flatMap((name) => (missing.has(name) ? [`${name}: ${missing.get(name)}`] : []));
}

/** Puts the folder for a name in braces; a folder that is missing stays a name. */
function fill(argument, folders) {
  return argument.replace(/^\{(\w+)\}/, (braced, name) => folders[name] ?? braced);
}

function readFigures(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Says how a run failed; undefined if it ended well. */
function failureOf({ status, signal }, seconds, limitMs) {
  if (status === 0) return undefined;
  if (limitMs !== undefined && seconds * 1000 >= limitMs)
    return `ended after ${minutes(seconds)} minutes, the limit of a short run`;
  return signal ? `ended by ${signal}` : `ended with ${status}, see above`;
}

/** @returns {Promise<import('./summary.mjs').Result>} */
async function runStep(step, place) {
  const { isShort, missing, folders, environment, work } = place;
  const why = lacks(step, place);
  const nothing = { seconds: 0, processorSeconds: 0, figures: [] };
  const { benchmark } = step;
  const args = ((isShort && step.short) || step.whole).map((argument) => fill(argument, folders));
  if (why.length > 0)
    return { benchmark, arguments: args, state: 'left out', why: why.join('; '), ...nothing };
  const lacking = (step.peers ?? []).filter((name) => missing.has(name));
  console.log(`\n== ${benchmark} ${args.join(' ')}`);
  const figuresFile = join(work, 'figures.jsonl');
  const data = join(work, benchmark);
  rmSync(figuresFile, { force: true });
  mkdirSync(data, { recursive: true });
  const env = { ...environment, KINDRED_BENCH_FIGURES: figuresFile, KINDRED_BENCH_DATA: data };
  if (step.withoutPeers) delete env.CAFAEVAL_PYTHON;
  const limitMs = isShort ? stepMinutes * 60_000 : undefined;
  const [before, started] = [processorSecondsOf(process.pid), performance.now()];
  const script = join(root, 'benchmarks', `${benchmark}.bench.mjs`);
  const ended = await runTree(process.execPath, ['--expose-gc', script, ...args], {
    cwd: root,
    env,
    limitMs,
  });
  const seconds = (performance.now() - started) / 1000;
  const failure = failureOf(ended, seconds, limitMs);
  return {
    benchmark,
    arguments: args,
    state: failure === undefined ? 'ran' : 'failed',
    why: failure,
    missing: lacking.map((name) => `${name}: ${missing.get(name)}`),
    seconds,
    processorSeconds: processorSecondsOf(process.pid) - before,
    figures: readFigures(figuresFile),
  };
}

/** Runs all steps. The data of a benchmark are kept for its own further steps alone. */
async function runSteps(place) {
  const results = [];
  for (const [at, step] of steps.entries()) {
    results.push(await runStep(step, place));
    if (steps[at + 1]?.benchmark !== step.benchmark)
      rmSync(join(place.work, step.benchmark), { recursive: true, force: true });
  }
  return results;
}

function printTimes(results, seconds, isShort) {
  console.log('\n== Time: seconds, processor seconds of the benchmark and of all that it started');
  for (const { benchmark, arguments: args, state, why, seconds: own, processorSeconds } of results)
    console.log(
      `${own.toFixed(1).padStart(8)} ${processorSeconds.toFixed(1).padStart(8)}  ${benchmark} ${args.join(' ')}${state === 'ran' ? '' : `  ${state}: ${why}`}`,
    );
  const limit = isShort ? `; the aim is ${shortMinutes} on an idle machine of two cores` : '';
  console.log(`${minutes(seconds)} minutes in all, with what had to be installed${limit}.`);
}

function printLacks(results, missing) {
  const left = results.filter(({ state }) => state === 'left out').length;
  const failed = results.filter(({ state }) => state === 'failed').length;
  console.log(
    `\n== What this run lacks: ${left} of ${results.length} runs were left out, ${failed} failed, ${missing.size} programs or data are missing`,
  );
  for (const { benchmark, arguments: args, state, why } of results)
    if (state !== 'ran') console.log(`   ${benchmark} ${args.join(' ')}: ${state}, ${why}`);
  for (const [name, why] of missing) console.log(`   ${name}: ${why}`);
}

function printTables(covered) {
  const made = covered.filter(({ ran }) => ran > 0).length;
  console.log(`\n== Tables of performance.md: ${made} of ${covered.length} made again`);
  for (const { heading, benchmark, runs, ran, why } of covered)
    console.log(
      `   ${heading}: ${benchmark === undefined ? why : `${benchmark}, ${ran} of ${runs} runs${why && `; ${why}`}`}`,
    );
}

/** @returns {Promise<number>} the exit code: 1 if a benchmark failed, 0 even if goals were missed */
export async function runAll({ isShort, json }) {
  const started = performance.now();
  const machine = machineNow();
  console.log(
    `${machine.processor}, ${machine.cores} cores, instruction sets ${machine.instructions.join(', ')}, ${machine.gigabytes} GB, Node ${machine.node}, load ${machine.load}${machine.load > 0.5 ? ': other work ran, so take its figures as context' : ''}`,
  );
  const work = mkdtempSync(join(tmpdir(), 'kindred-bench-all-'));
  const clean = () => rmSync(work, { recursive: true, force: true });
  // An interrupted run ends without its `finally`.
  process.once('exit', clean);
  try {
    const prepared = preparePeers(join(work, 'peers'));
    const found = findData();
    const missing = new Map([...prepared.missing, ...found.missing]);
    if (!machine.instructions.includes('avx2'))
      missing.set('avx2', 'this processor, or the addon for it, has none');
    const folders = { ...found.folders, root };
    const results = await runSteps({ isShort, missing, folders, environment: prepared.environment, work });
    const seconds = (performance.now() - started) / 1000;
    const judged = judge(goals, results, { isShort });
    const covered = coverage(tables, results);
    printTimes(results, seconds, isShort);
    printTables(covered);
    printLacks(results, missing);
    console.log('\n== Goals');
    for (const line of summaryLines(judged)) console.log(line);
    const whole = { commit: commitOf(), isShort, seconds, machine, missing: Object.fromEntries(missing) };
    mkdirSync(dirname(json), { recursive: true });
    writeFileSync(
      json,
      `${JSON.stringify({ ...whole, results, tables: covered, goals: judged }, null, 2)}\n`,
    );
    console.log(`\nAll of it as JSON: ${json}`);
    return results.some(({ state }) => state === 'failed') ? 1 : 0;
  } finally {
    clean();
  }
}
