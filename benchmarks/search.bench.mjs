// Measures exact neighbour search beside faiss and numpy in one run, in which the candidates take turns.
//
//   KINDRED_PEERS_PYTHON=/path/to/python node benchmarks/search.bench.mjs [--full] [--rows 100000 --dimension 1024]
//     [--threads 1] [--metric cosine] [--k 5] [--rounds 3] [--instructions avx2] [--plain]
//
// KINDRED_PEERS_PYTHON names a Python that has faiss-cpu and numpy; without it only Kindred's own figures are printed. --full adds
// 500,000 x 1,280 (6 GB on disk, 6 GB of memory for faiss and numpy). --instructions limits the addon; avx2 limits faiss and OpenBLAS, too.
// Data and banks are in KINDRED_BENCH_DATA (default: a temporary folder). Each candidate runs in a process of its own that waits for its
// turn. The processor time of the best of the rounds is compared, because wall time changes with other load.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BankWriter, loadNative } from '@kindred/native';
import { keep } from './figures.mjs';
import { writeVectors } from './search-data.mjs';

const folder = process.env.KINDRED_BENCH_DATA ?? join(tmpdir(), 'kindred-bench');
const nQuery = 1000;

function option(name, usual) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? usual : process.argv[at + 1];
}

const addon = loadNative({ use: option('instructions', 'on') });
if (!addon) throw new Error('build the addon first: node packages/native/tools/build-native.mjs');
const { instructions } = addon;

/**
 * Chooses the kernels of OpenBLAS. The environment may force those of an older processor, but only the fastest that this processor runs
 * are fair.
 */
function bestBlas() {
  const info = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : '';
  const environment = { ...process.env };
  delete environment.OPENBLAS_L2_SIZE;
  delete environment.OPENBLAS_CORETYPE;
  if (instructions === 'avx2')
    return { ...environment, OPENBLAS_CORETYPE: 'Haswell', FAISS_OPT_LEVEL: 'avx2' };
  if (info.includes('avx512')) environment.OPENBLAS_CORETYPE = 'SkylakeX';
  return environment;
}

function buildBank(refs, size) {
  const path = refs.replace('.f32', '.bank');
  const { rows, dimension } = size;
  const order = Int32Array.from({ length: rows }, (_, row) => row);
  const started = performance.now();
  const writer = new BankWriter(path, { rows, dimension, reference: order, sequence: order, rank: order });
  const file = openSync(refs, 'r');
  const block = new Float32Array(4096 * dimension);
  const bytes = new Uint8Array(block.buffer);
  for (let done = 0; done < rows; done += 4096) {
    const got = readSync(file, bytes, 0, Math.min(4096, rows - done) * dimension * 4, done * dimension * 4);
    writer.append(block.subarray(0, got / 4));
  }
  closeSync(file);
  writer.finish();
  return { path, seconds: (performance.now() - started) / 1000 };
}

/** Starts a process that answers a line with a line. */
async function start(command, args, env) {
  const child = spawn(command, args.map(String), { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${command} ${args.join(' ')} ended early`);
    return JSON.parse(value);
  };
  const { versions } = await read();
  return {
    versions,
    ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      return read();
    },
    async stop() {
      const ended = new Promise((done) => child.on('close', done));
      child.stdin.end();
      await ended;
    },
  };
}

async function candidates(files, { dimension, threads, metric }) {
  const here = (name) => fileURLToPath(new URL(name, import.meta.url));
  const own = (method) =>
    start(
      process.execPath,
      [
        here('search-process.mjs'),
        files.bank,
        files.queries,
        dimension,
        method,
        threads,
        metric,
        instructions,
      ],
      process.env,
    );
  /** @type {(Awaited<ReturnType<typeof start>> & { name: string; rounds: number; queries?: number })[]} */
  const found = [
    { name: 'native', ...(await own('native')), rounds: 3 },
    { name: 'blocks', ...(await own('blocks')), rounds: 3 },
  ];
  if (process.argv.includes('--plain'))
    found.push({ name: 'plain', ...(await own('plain')), rounds: 1, queries: 16 });
  const python = process.env.KINDRED_PEERS_PYTHON;
  if (python) {
    const args = [here('search-peers.py'), files.refs, files.queries, dimension, threads, metric];
    const process_ = await start(python, args, bestBlas());
    if (process_.versions.faiss) found.push({ name: 'faiss', ...process_, rounds: 3 });
    found.push({ name: 'numpy', ...process_, rounds: 1 });
  }
  return found;
}

/** Returns the share of the neighbours that faiss gives, too. faiss differs in equal distances and in the last bits of float32. */
function agreement(ours, theirs) {
  let same = 0;
  ours.forEach((list, q) => {
    const set = new Set(theirs[q]);
    same += list.filter((reference) => set.has(reference)).length / list.length;
  });
  return same / ours.length;
}

function keepFigures(best, of) {
  const [native, blocks, faiss] = ['native', 'blocks', 'faiss'].map((name) => best.get(name)?.perQuery);
  keep('milliseconds a query', 1000 * native, of);
  keep('WebAssembly / addon', blocks / native, of);
  if (faiss) keep('times faiss', faiss / native, of);
}

async function compare(contestants, shape, k) {
  const rounds = Number(option('rounds', 3));
  const best = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const { name, ask, rounds: own, queries } of contestants) {
      if (round >= own) continue;
      const answer = await ask({ peer: name, k, ...(queries ? { queries } : {}) });
      const perQuery = answer.cpuSeconds / (queries ?? nQuery);
      if (!best.has(name) || perQuery < best.get(name).perQuery)
        best.set(name, { ...answer, perQuery, queries });
    }
  }
  console.log(
    `\n${shape.rows} x ${shape.dimension}, ${shape.metric}, k ${k}, ${shape.threads} thread(s), ${instructions}, best of ${rounds} by processor time`,
  );
  const faiss = best.get('faiss');
  keepFigures(best, { ...shape, k, instructions });
  for (const [name, { wallSeconds, cpuSeconds, perQuery, peakBytes, queries, ...more }] of best) {
    const columns = [
      name.padEnd(7),
      `${(1 / perQuery).toFixed(0).padStart(6)} queries per CPU-second`,
      `${((queries ?? nQuery) / wallSeconds).toFixed(0).padStart(6)} per second`,
      faiss ? `${(faiss.perQuery / perQuery).toFixed(2).padStart(5)} x faiss` : '',
      `${(peakBytes / 2 ** 20).toFixed(0).padStart(5)} MiB`,
    ];
    if (more.uncertified !== undefined) {
      columns.push(`${((100 * more.uncertified) / (queries ?? nQuery)).toFixed(1)} % uncertified`);
      columns.push(`${(more.compared / (queries ?? nQuery)).toFixed(0)} compared a query`);
    }
    if (faiss && name !== 'faiss')
      columns.push(`shares ${agreement(more.neighbours, faiss.neighbours).toFixed(5)}`);
    console.log(`  ${columns.join('  ')}`);
  }
  const [native, blocks] = ['native', 'blocks'].map((name) => JSON.stringify(best.get(name).neighbours));
  console.log(`  native and blocks give the same neighbours: ${native === blocks}`);
}

const sizes = [{ rows: Number(option('rows', 100_000)), dimension: Number(option('dimension', 1024)) }];
if (process.argv.includes('--full')) sizes.push({ rows: 500_000, dimension: 1280 });
const threadCounts = option('threads')
  ? [Number(option('threads'))]
  : [1, Math.min(2, availableParallelism())];
const metrics = option('metric') ? [option('metric')] : ['cosine', 'l2'];
const ks = option('k') ? [Number(option('k'))] : [5, 50];
for (const size of sizes) {
  const name = `${size.rows}x${size.dimension}`;
  const files = { refs: join(folder, `${name}.f32`), queries: join(folder, `${name}-queries.f32`) };
  writeVectors(files.refs, { ...size, seed: 11 });
  writeVectors(files.queries, { rows: nQuery, dimension: size.dimension, seed: 12 });
  const built = buildBank(files.refs, size);
  files.bank = built.path;
  console.log(`bank of ${name} written in ${built.seconds.toFixed(1)} s`);
  for (const threads of threadCounts) {
    for (const metric of metrics) {
      const contestants = await candidates(files, { ...size, threads, metric });
      for (const k of ks) await compare(contestants, { ...size, threads, metric }, k);
      for (const { name: peer, stop } of contestants) if (peer !== 'faiss') await stop();
    }
  }
}
