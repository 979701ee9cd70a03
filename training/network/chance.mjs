// Writes models/network/chance.bin, by which the product tells a protein from noise: the third way of the fifth try (README.md) for the
// shipped network, and its floor; chance.json, which says what it was made of; and what the product's test expects of it.
//
//   node training/network/chance.mjs --shared <folder> --data <folder of make-data.sh> --out <folder of orphan-terms.mjs>
//     --nonsense <fasta of combined/nonsense.mjs> --net <folder of noise_net.py train and golden> [--passing 1000] [--date 2026-11-29]
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openNetwork } from './ask.mjs';
import { learnWay, takenWay, ways } from './chance-ways.mjs';
import { noiseOptions, openNoiseSets } from './noise-sets.mjs';
import { keptAnswers } from './orphans.mjs';

const golden = resolve(import.meta.dirname, '../../packages/kernels/src/network/golden');
const models = resolve(import.meta.dirname, '../../models/network');

const { values: options } = parseArgs({
  options: {
    ...noiseOptions,
    net: { type: 'string' },
    passing: { type: 'string', default: '1000' },
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
  },
});

/** Reads the tensors of the small network, and the facts of its training. */
function readNet(folder) {
  const { tensors, ...facts } = JSON.parse(readFileSync(join(folder, 'noise-net.json'), 'utf8'));
  const bytes = readFileSync(join(folder, 'noise-net.f32'));
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  let start = 0;
  const found = tensors.map(([name, shape]) => {
    const size = shape.reduce((product, length) => product * length, 1);
    start += size;
    return { name: `net.${name}`, shape, values: all.subarray(start - size, start) };
  });
  return { tensors: found, facts };
}

/** Puts a head of JSON, padded with spaces to a multiple of 4 bytes, before the tensors as float32. */
function packed(floor, tensors) {
  const places = tensors.map(({ name, shape }) => ({ name, shape }));
  const text = JSON.stringify({ format: 1, floor, tensors: places });
  const head = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const values = tensors.map((tensor) => Buffer.from(Float32Array.from(tensor.values).buffer));
  return Buffer.concat([length, head, ...values]);
}

const noiseSets = openNoiseSets(options);
const local = noiseSets.local();
const network = openNetwork('second', options.shared, noiseSets.graph);
const { unseen, paired, sets } = await noiseSets.proteinsOf('second');
const learnt = learnWay(ways[takenWay], { network, out: options.out, local, unseen, paired });
const { mean, deviation, inner, outer } = learnt;
const layer = (name, { inputs, outputs, weights }) => [
  { name: `${name}.weight`, shape: [outputs, inputs], values: weights.subarray(0, inputs * outputs) },
  { name: `${name}.bias`, shape: [outputs], values: weights.subarray(inputs * outputs) },
];
const net = readNet(options.net);
const floor = learnt.floorAt(1 / Number(options.passing));
const tensors = [
  { name: 'local.weight', shape: [local.weights.length], values: local.weights },
  { name: 'local.bias', shape: [1], values: [local.bias] },
  ...net.tensors,
  { name: 'mean', shape: [mean.length], values: mean },
  { name: 'deviation', shape: [deviation.length], values: deviation },
  ...layer('inner', inner),
  ...layer('outer', outer),
];
const bytes = packed(1 / (1 + Math.exp(-floor)), tensors);
writeFileSync(join(models, 'chance.bin'), bytes);
const above = Object.fromEntries(
  Object.entries({ ...sets, nonsense: noiseSets.nonsense }).map(([set, sequences]) => {
    const speaking = learnt.logOddsOf(set, sequences).filter((value) => value > floor).length;
    return [set, { asked: sequences.length, above_floor: speaking }];
  }),
);
const facts = {
  what: 'The chance that a sequence is a protein, from the vector of the shipped network, local statistics and a small network that learnt proteins beside noise; of as much noise as the floor says, 1 in so many exceeds it',
  made_by: 'training/network: noise-fasta.mjs, noise_net.py, chance.mjs',
  date: options.date,
  floor_passes_one_in: Number(options.passing),
  above,
  learners: {
    small_network_and_local_statistics: noiseSets.others().proteins.length,
    last_layer: unseen.length,
  },
  small_network: net.facts,
  sha256: { 'chance.bin': createHash('sha256').update(bytes).digest('hex') },
  licence_of_inputs: 'UniProt: CC BY 4.0',
  cite: ['UniProtKB/Swiss-Prot, release of January 2014 (UniProt Consortium)'],
};
const shorter = sets.validation
  .map((sequence, i) => ({ sequence, i }))
  .filter(({ sequence }) => sequence.length < 300);
const vectors = keptAnswers(join(options.out, 'second-validation.vec'), network, sets.validation, 'vector');
const logOdds = learnt.logOddsOf('validation', sets.validation);
const chances = shorter.slice(0, 8).map(({ sequence, i }) => ({
  sequence,
  vector: [...vectors[i]],
  chance: 1 / (1 + Math.exp(-logOdds[i])),
}));
writeFileSync(
  join(golden, 'protein-chance.json'),
  JSON.stringify({ net: JSON.parse(readFileSync(join(options.net, 'golden.json'), 'utf8')), chances }),
);
writeFileSync(join(models, 'chance.json'), `${JSON.stringify(facts, null, 2)}\n`);
console.log(bytes.length, JSON.stringify(above));
