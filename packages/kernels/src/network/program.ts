import { rotaryTables } from './arithmetic.js';
import { type Dense, NetworkFormatError, type NetworkLayout, type Norm, type Weights } from './weights.js';

/** A layer that adds a convolution of the normed positions to them. */
export interface Block {
  kind: 'block';
  norm: Norm;
  convolution: Dense;
  /** The distance of the taps of the convolution, in positions. */
  dilation: number;
  out: Dense;
  scale: Float32Array;
}

/** A layer that makes one position of two. */
export interface Halve {
  kind: 'halve';
  dense: Dense;
}

/** A layer that adds attention among all positions, and then a feed-forward layer. */
export interface Attention {
  kind: 'attention';
  norm: Norm;
  queriesKeysValues: Dense;
  out: Dense;
  scale: Float32Array;
  forwardNorm: Norm;
  up: Dense;
  down: Dense;
  forwardScale: Float32Array;
}

export type Step = Block | Halve | Attention;

/** The layer that leads from all positions to one vector. */
export interface Pool {
  norm: Norm;
  scores: Dense;
  values: Dense;
  maxima: Dense;
  toVector: Dense;
  vectorNorm: Norm;
}

/** The steps that the implementations of the network run, in this order. */
export interface NetworkProgram {
  /** The embedding: Float32 [symbols, channels]. */
  embedding: Float32Array;
  /** The first convolution of the embedding of each symbol, by tap: Float32 [taps, symbols, channels]. */
  stem: Float32Array;
  stemBias: Float32Array;
  stemTaps: number;
  steps: Step[];
  /** The number of heads of attention. */
  heads: number;
  /** The greatest integer of a query or key, so that a product of two rows of a head stays below 2^31. */
  rowLevels: number;
  cosines: Float32Array;
  sines: Float32Array;
  poolHeads: number;
  pool: Pool;
  /** The layer that leads from the vector to the logits of the terms. */
  head: Dense;
  /** The number that is subtracted from the natural logarithm of the length. */
  usualLogLength: number;
  /** The maximum number of residues of one window. */
  longest: number;
}

/** An implementation of the network; all give the same bits. Use one per thread. */
export interface NetworkKernel {
  readonly name: string;
  /** The vector of one window, from the codes of its letters. */
  vectorOf(codes: Uint8Array): Float32Array;
  probabilitiesOf(vector: Float32Array): Float32Array;
}

/** @throws NetworkFormatError the layout lacks a tensor, or its shapes do not fit */
export function readProgram(layout: NetworkLayout, weights: Weights): NetworkProgram {
  const steps: Step[] = [
    ...readBlocks(weights, 'fine', [1, 3]),
    { kind: 'halve', dense: weights.dense('halve') },
    ...readBlocks(weights, 'coarse', [1, 2, 4]),
    readAttention(weights, 'first_attention'),
    ...readBlocks(weights, 'late', [1, 3]),
    readAttention(weights, 'second_attention'),
  ];
  const pool: Pool = {
    norm: weights.norm('norm'),
    scores: weights.dense('pool_scores'),
    values: weights.dense('pool_values'),
    maxima: weights.dense('maxima'),
    toVector: weights.dense('to_vector'),
    vectorNorm: weights.norm('vector_norm'),
  };
  const half = pool.norm.weight.length / layout.heads / 2;
  if (!Number.isInteger(Math.log2(half)))
    throw new NetworkFormatError(
      `the network has heads of ${2 * half} channels; this version needs a power of two`,
    );
  return {
    ...readStem(weights),
    steps,
    heads: layout.heads,
    rowLevels: Math.floor(Math.sqrt((2 ** 31 - 1) / (2 * half))),
    ...rotaryTables(Math.ceil(layout.longest / 2), half),
    poolHeads: layout.poolHeads,
    pool,
    head: weights.dense('head'),
    usualLogLength: layout.usualLogLength,
    longest: layout.longest,
  };
}

function readBlocks(weights: Weights, name: string, dilations: number[]): Block[] {
  return dilations.map((dilation, i) => ({
    kind: 'block',
    norm: weights.norm(`${name}.${i}.norm`),
    convolution: weights.dense(`${name}.${i}.convolution`),
    dilation,
    out: weights.dense(`${name}.${i}.out`),
    scale: weights.vector(`${name}.${i}.scale`),
  }));
}

function readAttention(weights: Weights, name: string): Attention {
  return {
    kind: 'attention',
    norm: weights.norm(`${name}.norm`),
    queriesKeysValues: weights.dense(`${name}.queries_keys_values`),
    out: weights.dense(`${name}.out`),
    scale: weights.vector(`${name}.scale`),
    forwardNorm: weights.norm(`${name}.forward_norm`),
    up: weights.dense(`${name}.up`),
    down: weights.dense(`${name}.down`),
    forwardScale: weights.vector(`${name}.forward_scale`),
  };
}

/** Reads the embedding, and its product with each tap of the first convolution. With few symbols, a table replaces the product. */
function readStem(weights: Weights): Pick<NetworkProgram, 'embedding' | 'stem' | 'stemBias' | 'stemTaps'> {
  const { rows: channels, columns: symbols, values, scales } = weights.matrix('embedding.weight');
  const embedding = new Float32Array(symbols * channels);
  for (let symbol = 0; symbol < symbols; symbol++)
    for (let channel = 0; channel < channels; channel++)
      embedding[symbol * channels + channel] = values[channel * symbols + symbol] * scales[channel];
  const { weight, bias } = weights.dense('stem');
  const stemTaps = weight.columns / channels;
  const stem = new Float32Array(stemTaps * symbols * channels);
  for (let tap = 0; tap < stemTaps; tap++)
    for (let symbol = 0; symbol < symbols; symbol++) {
      const from = embedding.subarray(symbol * channels, (symbol + 1) * channels);
      for (let row = 0; row < channels; row++) {
        const first = row * weight.columns + tap * channels;
        let sum = 0;
        for (let i = 0; i < channels; i++) sum += weight.values[first + i] * from[i];
        stem[(tap * symbols + symbol) * channels + row] = sum * weight.scales[row];
      }
    }
  return { embedding, stem, stemBias: bias, stemTaps };
}
