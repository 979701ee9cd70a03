// Reads the first network in the product's format: its weights lie in shared/models/go-network, under the names of the script that trained
// it. The product's kernels then run it as they run the shipped one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The product's name of each part of a name; the order matters, because later ones are parts of earlier ones. */
const renamed = [
  [/^emb\./, 'embedding.'],
  [/^stem\.w\./, 'stem.'],
  [/^down\.w\./, 'halve.'],
  [/^one\./, 'fine.'],
  [/^two\./, 'coarse.'],
  [/^three\./, 'late.'],
  [/^a1\./, 'first_attention.'],
  [/^a2\./, 'second_attention.'],
  [/\.a\.w\./, '.convolution.'],
  [/_attention\.s1$/, '_attention.scale'],
  [/_attention\.s2$/, '_attention.forward_scale'],
  [/_attention\.n1\./, '_attention.norm.'],
  [/_attention\.n2\./, '_attention.forward_norm.'],
  [/\.qkv\./, '.queries_keys_values.'],
  [/\.u\./, '.up.'],
  [/\.d\./, '.down.'],
  [/\.o\./, '.out.'],
  [/\.n\./, '.norm.'],
  [/\.s$/, '.scale'],
  [/^n\./, 'norm.'],
  [/^score\./, 'pool_scores.'],
  [/^val\./, 'pool_values.'],
  [/^mx\./, 'maxima.'],
  [/^zn\./, 'vector_norm.'],
  [/^z\./, 'to_vector.'],
  [/\.g$/, '.weight'],
  [/\.b$/, '.bias'],
];

const nameOf = (name) => renamed.reduce((text, [from, to]) => text.replace(from, to), name);

/** Returns the product's matrix of a tensor, or its vector: convolutions as [out, tap, in], the embedding as [channel, symbol]. */
function arranged(name, shape, values) {
  if (shape.length === 1) return { shape, values };
  if (name === 'embedding.weight') {
    const [symbols, channels] = shape;
    const turned = Float32Array.from(
      values,
      (_, i) => values[(i % symbols) * channels + Math.floor(i / symbols)],
    );
    return { shape: [channels, symbols], values: turned };
  }
  if (shape.length === 2) return { shape, values };
  const [out, channels, taps] = shape;
  const turned = new Float32Array(values.length);
  for (let o = 0; o < out; o++)
    for (let channel = 0; channel < channels; channel++)
      for (let tap = 0; tap < taps; tap++)
        turned[(o * taps + tap) * channels + channel] = values[(o * channels + channel) * taps + tap];
  return { shape: [out, taps * channels], values: turned };
}

/** Writes a matrix as scales and int8, as export.py does. */
function quantised([rows, columns], values) {
  const bytes = Buffer.alloc(4 * rows + rows * columns);
  for (let row = 0; row < rows; row++) {
    const own = values.subarray(row * columns, (row + 1) * columns);
    const scale = Math.fround(own.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127);
    bytes.writeFloatLE(scale, 4 * row);
    own.forEach((value, i) =>
      bytes.writeInt8(scale === 0 ? 0 : Math.round(value / scale), 4 * rows + row * columns + i),
    );
  }
  return bytes;
}

function halfToSingle(half) {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * @param folder that of the first network's files
 * @param shipped the layout of the shipped network, of which the first differs only in its tensors
 * @returns layout and weights for `SequenceNetwork`, and the rows of the vocabulary
 */
export function readFirstNetwork(folder, shipped) {
  const { names } = JSON.parse(readFileSync(join(folder, 'weights.json'), 'utf8'));
  const halves = readFileSync(join(folder, 'weights.f16'));
  const tensors = [];
  const parts = [];
  let at = 0;
  let offset = 0;
  for (const [given, shape] of names) {
    const size = shape.reduce((product, length) => product * length, 1);
    const values = Float32Array.from({ length: size }, (_, i) =>
      halfToSingle(halves.readUInt16LE(2 * (at + i))),
    );
    at += size;
    const name = nameOf(given);
    const placed = arranged(name, shape, values);
    const isMatrix = placed.shape.length === 2;
    const bytes = isMatrix ? quantised(placed.shape, placed.values) : Buffer.from(placed.values.buffer);
    tensors.push({ name, shape: placed.shape, type: isMatrix ? 'int8' : 'float32', offset });
    const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
    parts.push(padded);
    offset += padded.length;
  }
  return {
    layout: { ...shipped, tensors },
    bytes: Buffer.concat(parts),
    vocabulary: vocabularyOf(join(folder, 'vocab.txt')),
  };
}

/** Reads term, aspect and number of training proteins that carry it. */
export function vocabularyOf(path) {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s+/))
    .filter(([id]) => id.startsWith('GO:'))
    .map(([id, aspect, count]) => ({ id, aspect, count: Number(count) }));
}
