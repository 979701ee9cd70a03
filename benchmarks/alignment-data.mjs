// Makes the query and target sets of the alignment benchmark: real proteins of 250 to 450 residues from examples/, each query with
// fourteen mutated relatives and six unrelated proteins.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const letters = 'ARNDCQEGHILKMFPSTWYV';

/** Makes a small generator of numbers in [0, 1) with a seed. */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function readProteins() {
  const file = new URL('../examples/reference.fasta.gz', import.meta.url);
  return gunzipSync(readFileSync(file))
    .toString()
    .split('>')
    .slice(1)
    .map((record) => record.split('\n').slice(1).join(''))
    .filter((sequence) => sequence.length >= 250 && sequence.length <= 450);
}

function relative(sequence, identity, random) {
  let out = '';
  const letter = () => letters[Math.floor(random() * letters.length)];
  for (const residue of sequence) {
    const roll = random();
    if (roll < 0.008) for (let n = 1 + Math.floor(random() * 8); n > 0; n--) out += letter();
    else if (roll < 0.016) continue;
    out += random() < identity ? residue : letter();
  }
  return out;
}

/** @returns {{sequences: string[], query: number[], target: number[]}} `queries` x 20 pairs */
export function alignmentPairs(queries) {
  const random = generator(7);
  const proteins = readProteins();
  const pick = () => proteins[Math.floor(random() * proteins.length)];
  const sequences = [];
  const query = [];
  const target = [];
  for (let q = 0; q < queries; q++) {
    const parent = pick();
    const queryIndex = sequences.push(parent) - 1;
    for (let t = 0; t < 20; t++) {
      query.push(queryIndex);
      target.push(sequences.push(t < 14 ? relative(parent, 0.2 + 0.75 * random(), random) : pick()) - 1);
    }
  }
  return { sequences, query, target };
}
