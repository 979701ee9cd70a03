// Embedding by language models beside transformers and PyTorch, and esm-cpp, in one run, one thread each, taking turns.
//
//   KINDRED_PEERS_PYTHON=/path/to/python node benchmarks/plm.bench.mjs [--sizes 8m,150m] [--count 64] [--rounds 3] [--long]
//
// KINDRED_PEERS_PYTHON names a Python that has torch, transformers and esm_cpp; without it only our own figures are printed.
// Models have the shapes of ESM-2 and random weights (speed does not depend on them), and lie in KINDRED_BENCH_DATA
// (default: a temporary folder). Proteins are human ones of the example set. Compared is the processor time of the best
// round, since wall time moves with other load; tokens do not count padding. The peer's batch size is the best of those
// tried. `--long` embeds one protein of 35,000 residues in chunks and prints the memory that took.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createBackend } from '@kindred/backend-plm/backend';
import { encodeModel } from '@kindred/backend-plm/graph/onnx';
import { openModel, readModelFolder } from '@kindred/backend-plm/models/folder';
import { proteins, recipe, shapes, writeModel } from './plm-data.mjs';

const folder = join(process.env.KINDRED_BENCH_DATA ?? join(tmpdir(), 'kindred-bench'), 'models');
const batches = [1, 4, 8, 16];

function option(name, usual) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? usual : process.argv[at + 1];
}

/** Processor seconds of one call. */
async function measured(work) {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, cpu: (user + system) / 1e6, wall: (performance.now() - wall) / 1000 };
}

/** float32 operations a processor second of one large matrix product by the same runtime, best of several. */
async function gemmPeak() {
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const [m, k, n] = [1024, 1024, 4096];
  const numbers = (count) => Float32Array.from({ length: count }, () => Math.random() - 0.5);
  const model = encodeModel({
    nodes: [
      {
        operator: 'Gemm',
        domain: '',
        inputs: ['x', 'w'],
        outputs: ['y'],
        attributes: { transB: { integer: 1 } },
      },
    ],
    tensors: [{ name: 'w', type: 'float', shape: [n, k], data: new Uint8Array(numbers(n * k).buffer) }],
    inputs: [{ name: 'x', type: 'float', shape: [m, k] }],
    outputs: [{ name: 'y', type: 'float', shape: [m, n] }],
  });
  const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const x = new Tensor('float32', numbers(m * k), [m, k]);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 12; round++)
    best = Math.min(best, (await measured(() => session.run({ x }))).cpu);
  await session.release();
  return (2 * m * n * k) / best;
}

/** Multiplications and additions for the proteins: the layers' matrices, and attention over each length. */
function operations({ hidden, layers }, lengths) {
  return lengths.reduce(
    (sum, length) => sum + layers * length * (24 * hidden * hidden + 4 * length * hidden),
    0,
  );
}

async function startPeer(python, file, path) {
  const script = fileURLToPath(new URL(file, import.meta.url));
  const environment = { ...process.env, OMP_NUM_THREADS: '1', MKL_NUM_THREADS: '1' };
  const child = spawn(python, [script, path], { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${file} ended early: does ${python} have torch, transformers and esm_cpp?`);
    return JSON.parse(value);
  };
  const { versions } = await read();
  const ask = (question) => {
    child.stdin.write(`${JSON.stringify(question)}\n`);
    return read();
  };
  return { versions, ask, end: () => child.stdin.end() };
}

function cosine(a, b) {
  let [dot, left, right] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    left += a[i] ** 2;
    right += b[i] ** 2;
  }
  return dot / Math.sqrt(left * right);
}

async function race(size, rounds, count) {
  const name = writeModel(folder, size);
  const sequences = proteins(count);
  const lengths = sequences.map((sequence) => sequence.length + 2);
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const model = await readModelFolder(join(folder, name));
  const open = (int8) => openModel(model, recipe(name), { int8, device: 'cpu' });
  const candidates = new Map();
  const add = (label, run) => candidates.set(label, { run, best: Number.POSITIVE_INFINITY });
  for (const int8 of [null, 'output', 'block']) {
    const session = await open(int8);
    add(int8 ? `kindred, int8, scale per ${int8}` : 'kindred', async () => {
      const { result, cpu } = await measured(() => session.embed(sequences));
      return { cpu, first: result.vectors.subarray(0, session.dimension) };
    });
  }
  const python = process.env.KINDRED_PEERS_PYTHON;
  const start = (file) => startPeer(python, file, join(folder, name));
  const peers = python ? await Promise.all([start('plm-peers.py'), start('plm-esm-cpp.py')]) : [];
  if (python) {
    const [transformers, esmCpp] = peers;
    for (const batch of batches)
      add(`transformers, batch ${batch}`, () => transformers.ask({ sequences, batch }));
    for (const int8 of [false, true]) {
      const label = int8 ? 'esm-cpp, int8' : 'esm-cpp';
      add(label, () => esmCpp.ask({ sequences, int8, batch: 1 }));
      add(`${label}, 8 packed, head`, () => esmCpp.ask({ sequences, int8, batch: 8 }));
    }
  }
  let peak = 0;
  for (let round = 0; round < rounds; round++) {
    peak = Math.max(peak, await gemmPeak());
    for (const candidate of candidates.values()) {
      const { cpu, first } = await candidate.run();
      candidate.best = Math.min(candidate.best, cpu);
      candidate.first = first;
    }
  }
  for (const peer of peers) peer.end();
  print(size, {
    candidates,
    tokens,
    peak,
    versions: Object.assign({}, ...peers.map((peer) => peer.versions)),
    work: operations(shapes[size], lengths),
  });
}

function print(size, { candidates, tokens, peak, versions, work }) {
  console.log(`\nESM-2 ${size} shape, ${tokens} tokens, one thread; ${JSON.stringify(versions)}`);
  console.log(`matrix product: ${(peak / 1e9).toFixed(0)} GFLOP a processor second`);
  const ours = candidates.get('kindred');
  for (const [label, { best, first }] of candidates) {
    const share = work / best / peak;
    console.log(
      `${label.padEnd(26)} ${(tokens / best).toFixed(0).padStart(7)} tokens/s  ${(100 * share).toFixed(0).padStart(3)} % of the product's speed  ` +
        `x${(best / ours.best).toFixed(2)} of our time  ${first ? `cosine to ours ${cosine(first, ours.first).toFixed(6)}` : 'no vectors'}`,
    );
  }
}

/** In a process of its own, so that the memory is this one's. */
async function long() {
  for (const size of ['8m', '150m']) {
    const name = writeModel(folder, size);
    const backend = createBackend({ modelsDir: folder, modelDevice: 'cpu', sharedWeights: true });
    const session = await backend.open(recipe(name, { use_chunking: true }));
    const sequence = proteins(200).join('').slice(0, 35_000);
    const { result, cpu } = await measured(() => session.embed([sequence]));
    const covered = Math.max(...result.chunkEnd);
    const megabytes = process.resourceUsage().maxRSS / 1024;
    console.log(
      `${name}: ${covered} residues in ${result.chunkEnd.length} chunks, ${cpu.toFixed(0)} processor s, at most ${megabytes.toFixed(0)} MB of memory`,
    );
    await session.close();
  }
}

mkdirSync(folder, { recursive: true });
if (process.argv.includes('--long')) await long();
else {
  for (const size of option('sizes', '8m,150m').split(','))
    await race(size, Number(option('rounds', '3')), Number(option('count', size === '8m' ? '64' : '12')));
}
