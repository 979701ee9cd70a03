// Compares embedding by language models with transformers and PyTorch, and with esm-cpp: speed and memory in one run, in which the
// programs take turns.
//
//   KINDRED_PEERS_PYTHON=/path/to/python node benchmarks/plm.bench.mjs [--sizes 8m,150m,650m] [--rounds 3] [--count 16]
//     [--longest 200] [--long]
//
// KINDRED_PEERS_PYTHON names a Python that has torch, transformers and esm_cpp; without it only Kindred's own figures are printed. The
// benchmark runs on Linux only. Models have the shapes of ESM-2 and random weights (speed does not depend on them), in KINDRED_BENCH_DATA
// (default: a temporary folder; 650m takes 6 GB there). Proteins are human ones of the example set with at most `--longest` residues.
// Each program has a process of its own, and all have their models open at once (650m: 16 GB of memory). The processor time of the best
// round is compared, because wall time changes with other load; padding does not count as tokens. A setting that takes 1.5 times as long
// as the best one of its program runs once. Shares refer to one large matrix product in float32 and in int8, the fastest of all rounds.
// Memory is the largest resident size, with mapped weights. `--long` embeds one protein of 35,000 residues in chunks and prints the
// memory.
import { mkdirSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createBackend } from '@kindred/backend-plm/backend';
import { keep } from './figures.mjs';
import { proteins, recipe, shapes, writeModel } from './plm-data.mjs';
import { openProducts, productOperations, productShape } from './plm-peaks.mjs';
import { startProgram } from './plm-programs.mjs';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: Object.keys(shapes).join() },
    rounds: { type: 'string', default: '3' },
    count: { type: 'string' },
    longest: { type: 'string' },
    long: { type: 'boolean', default: false },
  },
});
const folder = join(process.env.KINDRED_BENCH_DATA ?? join(tmpdir(), 'kindred-bench'), 'models');
const python = process.env.KINDRED_PEERS_PYTHON;
const batches = [1, 8, 16];
/** The counts fit the batches: a batch of 16 needs 16 proteins, and larger shapes get shorter ones. */
const usual = {
  '8m': { count: 40, longest: 1022 },
  '150m': { count: 16, longest: 200 },
  '650m': { count: 16, longest: 80 },
};

/** Returns the processor seconds of one call. */
async function measured(work) {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, cpu: (user + system) / 1e6 };
}

/** Returns the multiplications and additions for the proteins: the layers' matrices, and attention over each length. */
function operations({ hidden, layers }, lengths) {
  return lengths.reduce(
    (sum, length) => sum + layers * length * (24 * hidden * hidden + 4 * length * hidden),
    0,
  );
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

/** Starts the programs with Kindred's weights, then those of the peers, with the settings that each runs with. */
async function startAll(path) {
  const ours = async (weights, label) => {
    const start = () => startProgram(process.execPath, 'plm-ours.mjs', [path, weights]);
    // The first start writes files that later ones find.
    await (await start()).end();
    return { process: await start(), settings: [{ label, question: {} }] };
  };
  const programs = [
    await ours('float32', 'kindred'),
    await ours('output', 'kindred, int8, scale per output'),
    await ours('block', 'kindred, int8, scale per block'),
  ];
  if (!python) return programs;
  const cores = availableParallelism();
  programs.push({
    process: await startProgram(python, 'plm-peers.py', [path]),
    settings: [
      ...batches.map((batch) => ({ label: `transformers, batch ${batch}`, question: { batch } })),
      { label: `transformers, batch 1, ${cores} threads`, question: { batch: 1, threads: cores } },
    ],
    int8Product: true,
  });
  // Packed batches of float32 weights are left out, because they are within 15 % of one sequence at a time.
  for (const { weights, packed } of [
    { weights: 'float32', packed: [] },
    { weights: 'int8', packed: [8] },
  ])
    programs.push({
      process: await startProgram(python, 'plm-esm-cpp.py', [path, weights]),
      settings: [
        { label: `esm-cpp, ${weights}`, question: { batch: 1 } },
        ...packed.map((batch) => ({
          label: `esm-cpp, ${weights}, ${batch} packed, head`,
          question: { batch },
        })),
      ],
    });
  return programs;
}

/** Returns the operations a processor second: the best of what Kindred's runtime and PyTorch reach in some calls. */
async function peaksNow(products, programs) {
  const best = async (ask) => {
    let seconds = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 8; i++) seconds = Math.min(seconds, await ask());
    return productOperations / seconds;
  };
  const other = programs.find(({ int8Product }) => int8Product);
  return {
    float32: await best(async () => (await measured(products.float32)).cpu),
    int8: await best(async () => (await measured(products.int8)).cpu),
    'int8 of PyTorch': other
      ? await best(async () => (await other.process.ask({ product: productShape })).cpu)
      : 0,
  };
}

async function race(size) {
  const name = writeModel(folder, size);
  const count = Number(options.count ?? usual[size].count);
  const longest = Number(options.longest ?? usual[size].longest);
  const sequences = proteins(count, longest);
  const lengths = sequences.map((sequence) => sequence.length + 2);
  const products = await openProducts();
  const programs = await startAll(join(folder, name));
  for (const { process: one } of programs)
    await one.ask({ sequences: [sequences[0].slice(0, 40)], batch: 1 });
  const peaks = {};
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [type, peak] of Object.entries(await peaksNow(products, programs)))
      peaks[type] = Math.max(peaks[type] ?? 0, peak);
    for (const program of programs) {
      const best = Math.min(...program.settings.map(({ cpu }) => cpu ?? Number.POSITIVE_INFINITY));
      for (const setting of program.settings) {
        if (setting.cpu > 1.5 * best) continue;
        const { cpu, memory, first } = await program.process.ask({ sequences, ...setting.question });
        setting.cpu = Math.min(cpu, setting.cpu ?? cpu);
        setting.memory = Math.min(memory, setting.memory ?? memory);
        setting.first = first;
      }
    }
  }
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  print({ size, count, tokens, peaks, programs, work: operations(shapes[size], lengths) });
  for (const { process: one } of programs) await one.end();
}

function print({ size, count, tokens, peaks, programs, work }) {
  const versions = Object.assign({}, ...programs.map((program) => program.process.versions));
  console.log(`\nESM-2 ${size} shape, ${count} proteins, ${tokens} tokens; ${JSON.stringify(versions)}`);
  const listed = Object.entries(peaks).map(([type, peak]) => `${type} ${(peak / 1e9).toFixed(0)}`);
  console.log(`matrix product, billion operations a processor second: ${listed.join(', ')}`);
  const int8Peak = Math.max(peaks.int8, peaks['int8 of PyTorch']);
  const rows = programs.flatMap((program) => program.settings.map((setting) => ({ program, ...setting })));
  const tuned = Math.min(
    ...rows.filter(({ label }) => label.startsWith('transformers')).map(({ cpu }) => cpu),
  );
  for (const { label, cpu } of rows.filter((row) => row.label.startsWith('kindred'))) {
    keep('tokens a processor second', tokens / cpu, { size, program: label });
    if (Number.isFinite(tuned)) keep('times transformers', tuned / cpu, { size, program: label });
  }
  const percent = (peak, cpu) => `${((100 * work) / cpu / peak).toFixed(0)} %`;
  console.table(
    rows.map(({ label, program, cpu, memory, first }) => ({
      program: label,
      'tokens a processor s': Number((tokens / cpu).toPrecision(3)),
      'best transformers = 1': Number.isFinite(tuned) ? (tuned / cpu).toFixed(2) : '',
      'of float32': percent(peaks.float32, cpu),
      'of int8': percent(int8Peak, cpu),
      'memory, MiB': Math.round(memory),
      'opening, MiB': Math.round(program.process.opening),
      'cosine to ours': first ? cosine(first, rows[0].first).toFixed(6) : '',
    })),
  );
}

/** Embeds the long protein in a process of its own, so that the memory is that of one model. */
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
if (options.long) await long();
else for (const size of options.sizes.split(',')) await race(size);
