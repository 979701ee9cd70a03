import { exponentials, gelu, sigmoid } from './arithmetic.js';
import { addAttention } from './attention.js';
import { addScaled, convolution, dense, geluInPlace, normalized } from './layers.js';
import type { Block, NetworkKernel, NetworkProgram } from './program.js';

const round = Math.fround;

/** Makes the network in plain TypeScript, with which the others are compared: 350 residues take about two seconds. */
export function createPlainNetwork(program: NetworkProgram): NetworkKernel {
  return {
    name: 'plain',
    vectorOf: (codes) => vectorOf(program, codes),
    probabilitiesOf: (vector) => dense(vector, program.head).map(sigmoid),
  };
}

function vectorOf(program: NetworkProgram, codes: Uint8Array): Float32Array {
  let x = begun(program, codes);
  for (const step of program.steps) {
    if (step.kind === 'block') addBlock(x, step);
    else if (step.kind === 'attention') addAttention(x, step, program);
    else {
      // A last position without a partner is joined with zeros.
      const columns = step.dense.weight.columns;
      const pairs = new Float32Array(Math.ceil(x.length / columns) * columns);
      pairs.set(x);
      x = dense(pairs, step.dense);
    }
  }
  return pooled(program, x, codes.length);
}

/** Applies the embedding and the first convolution: Float32 [residues, channels]. */
function begun({ embedding, stem, stemBias, stemTaps }: NetworkProgram, codes: Uint8Array): Float32Array {
  const channels = stemBias.length;
  const symbols = embedding.length / channels;
  const result = new Float32Array(codes.length * channels);
  for (let position = 0; position < codes.length; position++)
    for (let channel = 0; channel < channels; channel++) {
      let sum = stemBias[channel];
      for (let tap = 0; tap < stemTaps; tap++) {
        const from = position + tap - (stemTaps - 1) / 2;
        if (from < 0 || from >= codes.length) continue;
        sum = round(sum + stem[(tap * symbols + codes[from]) * channels + channel]);
      }
      result[position * channels + channel] = embedding[codes[position] * channels + channel] + gelu(sum);
    }
  return result;
}

function addBlock(x: Float32Array, { norm, convolution: taps, out, scale, dilation }: Block): void {
  const inner = geluInPlace(convolution(normalized(x, norm), scale.length, taps, dilation));
  addScaled(x, dense(inner, out), scale);
}

/** Returns means weighted by each head's own softmax over the positions, maxima of channels, and the length. */
function pooled(
  { pool, poolHeads, usualLogLength }: NetworkProgram,
  x: Float32Array,
  residues: number,
): Float32Array {
  const positions = normalized(x, pool.norm);
  const means = weightedMeans(dense(positions, pool.scores), dense(positions, pool.values), poolHeads);
  const greatest = columnMaxima(dense(positions, pool.maxima), pool.maxima.bias.length);
  const features = Float32Array.of(...means, ...greatest, Math.log(residues) - usualLogLength);
  return normalized(dense(features, pool.toVector), pool.vectorNorm);
}

/** Returns means of the values, weighted by the scores [n, heads]: values [n, heads · each] -> [heads · each]. */
function weightedMeans(scores: Float32Array, values: Float32Array, heads: number): Float32Array {
  const n = scores.length / heads;
  const width = values.length / n;
  const each = width / heads;
  const result = new Float32Array(width);
  for (let head = 0; head < heads; head++) {
    const { values: weights, sum } = exponentials(
      Float32Array.from({ length: n }, (_, i) => scores[i * heads + head]),
    );
    for (let position = 0; position < n; position++) {
      const weight = round(weights[position] / sum);
      for (let i = head * each; i < (head + 1) * each; i++)
        result[i] += round(weight * values[position * width + i]);
    }
  }
  return result;
}

function columnMaxima(x: Float32Array, columns: number): Float32Array {
  const result = new Float32Array(columns).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < x.length; i++) result[i % columns] = Math.max(result[i % columns], x[i]);
  return result;
}
