// Times the sequence network in each implementation, on one thread, beside onnxruntime. Answers are compared bit by bit.
//
//   KINDRED_NETWORK_ONNX=/path/to/network.onnx node benchmarks/network.bench.mjs [--runs 20]
//
// KINDRED_NETWORK_ONNX names the network, or another of its design, as ONNX: tokens, int64 [1, even length], are its only input.
// Without it there are no figures of onnxruntime.
import { readFileSync } from 'node:fs';
import { SequenceNetwork } from '@kindred/kernels/network';
import { createWasmNetwork, loadNative } from '@kindred/native';
import { keep } from './figures.mjs';

const at = process.argv.indexOf('--runs');
const runs = at < 0 ? 20 : Number(process.argv[at + 1]);
const lengths = [128, 352, 1024];
const folder = new URL('../models/network/', import.meta.url);
const layout = JSON.parse(readFileSync(new URL('layout.json', folder), 'utf8'));
const bytes = readFileSync(new URL('weights.bin', folder));
// A short rule draws the residues, because nothing depends on their order.
const sequences = lengths.map((length) =>
  Array.from({ length }, (_, i) => layout.alphabet[(i * i * 7 + i * 3) % 20]).join(''),
);

/** Returns the processor milliseconds of the fastest of the runs. */
async function timed(run) {
  let best = Number.POSITIVE_INFINITY;
  for (let r = 0; r < runs; r++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

async function peer(file) {
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const session = await InferenceSession.create(file, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  return (sequence) => {
    const tokens = BigInt64Array.from(sequence, (letter) => BigInt(layout.alphabet.indexOf(letter)));
    return session.run({ tokens: new Tensor('int64', tokens, [1, tokens.length]) });
  };
}

const programs = new Map();
/** @type {Map<string, (program: import('@kindred/kernels/network').NetworkProgram) => import('@kindred/kernels/network').NetworkKernel>} */
const kernels = new Map();
for (const use of loadNative()?.available ?? [])
  kernels.set(use, (program) => loadNative({ use }).createNetwork(program));
kernels.set('wasm', createWasmNetwork);
for (const [name, create] of kernels) {
  const network = new SequenceNetwork(layout, bytes, create);
  programs.set(name, (sequence) => network.answer(sequence));
}
const bitsOf = ({ vector, probabilities }) =>
  Buffer.concat([vector, probabilities].map((x) => Buffer.from(x.buffer)));
const expected = sequences.map((sequence) => bitsOf(programs.get('wasm')(sequence)));
for (const [name, run] of programs)
  sequences.forEach((sequence, i) => {
    if (!bitsOf(run(sequence)).equals(expected[i])) throw new Error(`${name} gives other bits`);
  });
if (process.env.KINDRED_NETWORK_ONNX)
  programs.set('onnxruntime', await peer(process.env.KINDRED_NETWORK_ONNX));

const times = new Map();
for (const [name, run] of programs) {
  const each = [];
  for (const sequence of sequences) each.push(await timed(() => run(sequence)));
  times.set(name, each);
}
const base = times.get('onnxruntime');
const own = [...kernels.keys()].map((name) => times.get(name));
if (own.length > 1)
  lengths.forEach((residues, i) => {
    const fastest = Math.min(...own.map((each) => each[i]));
    keep('WebAssembly / addon', times.get('wasm')[i] / fastest, { residues });
  });
console.log(`processor milliseconds a protein, best of ${runs}, for ${lengths.join(', ')} residues`);
for (const [name, each] of times)
  console.log(
    `  ${name.padEnd(12)} ${each.map((time) => time.toFixed(1).padStart(8)).join('')}` +
      (base ? `   onnxruntime / this: ${each.map((time, i) => (base[i] / time).toFixed(2)).join(', ')}` : ''),
  );
