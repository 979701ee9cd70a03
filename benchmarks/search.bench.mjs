// Exact neighbour search beside faiss and numpy in one run.
//
//   KINDRED_PEERS_PYTHON=/path/to/python node benchmarks/search.bench.mjs [--full] [--rows 100000 --dimension 1024]
//
// KINDRED_PEERS_PYTHON names a Python that has faiss-cpu and numpy; without it only our own figures are printed.
// --full adds 500,000 x 1,280 (6 GB on disk). Data and banks lie in KINDRED_BENCH_DATA (default: a temporary folder).
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BankWriter, loadNative, openPlainBank } from '@kindred/native';
import { writeVectors } from './search-data.mjs';

const folder = process.env.KINDRED_BENCH_DATA ?? join(tmpdir(), 'kindred-bench');
const nQuery = 1000;

function option(name, usual) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? usual : Number(process.argv[at + 1]);
}

/** OpenBLAS may have been told to use kernels of an older processor: the fastest that this one runs is fair. */
function bestBlas() {
  const info = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : '';
  const environment = { ...process.env };
  delete environment.OPENBLAS_L2_SIZE;
  delete environment.OPENBLAS_CORETYPE;
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

/** Best wall time of several runs, with the processor time of that run. */
function timed(run, repeats) {
  let best;
  for (let r = 0; r < repeats; r++) {
    const cpu = process.cpuUsage();
    const started = performance.now();
    const value = run();
    const wallSeconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    if (!best || wallSeconds < best.wallSeconds)
      best = { value, wallSeconds, cpuSeconds: (user + system) / 1e6 };
  }
  return best;
}

function peers(files, { dimension, k, threads, metric }) {
  const python = process.env.KINDRED_PEERS_PYTHON;
  if (!python) return null;
  const script = fileURLToPath(new URL('./search-peers.py', import.meta.url));
  const args = [script, files.refs, files.queries, dimension, k, threads, metric].map(String);
  const { status, stdout, stderr } = spawnSync(python, args, {
    env: bestBlas(),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`peers failed: ${stderr}`);
  return JSON.parse(stdout);
}

function line(name, { wallSeconds, cpuSeconds }, more = '') {
  const perSecond = (nQuery / wallSeconds).toFixed(0).padStart(7);
  const perCpu = (nQuery / cpuSeconds).toFixed(0).padStart(7);
  console.log(`  ${name.padEnd(24)} ${perSecond} queries/s ${perCpu} per CPU-second ${more}`);
}

/** Share of the neighbours that faiss gives too; it differs from ours in ties and in the last bits of float32. */
function agreement(answer, theirs) {
  const { neighbours, k } = answer.lists[0];
  let same = 0;
  for (let q = 0; q < nQuery; q++) {
    const set = new Set(theirs[q]);
    for (let i = 0; i < k; i++) same += set.has(neighbours[q * k + i]) ? 1 : 0;
  }
  return same / (nQuery * k);
}

function compare(native, files, shape) {
  const { dimension, k, threads, metric } = shape;
  console.log(`\n${shape.rows} x ${dimension}, ${metric}, k ${k}, ${threads} thread(s)`);
  const bank = native.openBank(files.bank);
  const queries = { vectors: files.queryVectors };
  const run = () => bank.search(queries, { metric, k, threads });
  run();
  const own = timed(run, 4);
  const { uncertified, compared } = own.value;
  line(
    `native ${native.instructions}`,
    own,
    `${uncertified} uncertified, ${(compared / nQuery).toFixed(0)} compared a query`,
  );
  const found = peers(files, shape);
  for (const [name, time] of Object.entries(found?.peers ?? {})) {
    line(name, time, `native is ${(time.wallSeconds / own.wallSeconds).toFixed(2)} x`);
  }
  if (found?.faissNeighbours)
    console.log(`  neighbours shared with faiss ${agreement(own.value, found.faissNeighbours).toFixed(5)}`);
  bank.close();
}

function simpleBaseline(files, { rows, dimension }) {
  const bank = openPlainBank(files.bank);
  const few = { vectors: files.queryVectors.subarray(0, 16 * dimension) };
  const { wallSeconds, cpuSeconds } = timed(() => bank.search(few, { metric: 'cosine', k: 5 }), 1);
  console.log(`\n${rows} x ${dimension}, plain TypeScript, 16 queries`);
  line('plain', { wallSeconds: (wallSeconds * nQuery) / 16, cpuSeconds: (cpuSeconds * nQuery) / 16 });
}

const native = loadNative();
if (!native) throw new Error('build the addon first: node packages/native/tools/build-native.mjs');
const sizes = [{ rows: option('rows', 100_000), dimension: option('dimension', 1024) }];
if (process.argv.includes('--full')) sizes.push({ rows: 500_000, dimension: 1280 });
const threadCounts =
  option('threads', 0) > 0 ? [option('threads', 1)] : [1, Math.min(2, availableParallelism())];
for (const size of sizes) {
  const name = `${size.rows}x${size.dimension}`;
  const files = { refs: join(folder, `${name}.f32`), queries: join(folder, `${name}-queries.f32`) };
  writeVectors(files.refs, { ...size, seed: 11 });
  writeVectors(files.queries, { rows: nQuery, dimension: size.dimension, seed: 12 });
  files.queryVectors = new Float32Array(new Uint8Array(readFileSync(files.queries)).buffer);
  const built = buildBank(files.refs, size);
  files.bank = built.path;
  console.log(`bank of ${name} written in ${built.seconds.toFixed(1)} s`);
  for (const threads of threadCounts) {
    for (const k of [5, 50])
      for (const metric of ['cosine', 'l2']) compare(native, files, { ...size, k, threads, metric });
  }
  if (process.argv.includes('--plain')) simpleBaseline(files, size);
}
