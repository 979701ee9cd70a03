import { addScaled, dense, gelu, normalized } from './layers.js';
import type { Dense, Norm, Weights } from './weights.js';

export interface Attention {
  norm: Norm;
  queriesKeysValues: Dense;
  out: Dense;
  scale: Float32Array;
  forwardNorm: Norm;
  up: Dense;
  down: Dense;
  forwardScale: Float32Array;
}

export function readAttention(weights: Weights, name: string): Attention {
  return {
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

/** Adds attention among all positions and a feed-forward layer to x [n, channels], in place. Cost: O(n² · channels). */
export function addAttention(x: Float32Array, layer: Attention, heads: number): void {
  const joined = dense(normalized(x, layer.norm), layer.queriesKeysValues);
  addScaled(x, dense(mixed(joined, layer.scale.length, heads), layer.out), layer.scale);
  const inner = gelu(dense(normalized(x, layer.forwardNorm), layer.up));
  addScaled(x, dense(inner, layer.down), layer.forwardScale);
}

/** Mixes the values by attention: from queries, keys and values [n, 3 · channels] to [n, channels]. */
function mixed(joined: Float32Array, channels: number, heads: number): Float32Array {
  const n = joined.length / (3 * channels);
  const each = channels / heads;
  rotate(joined, channels, each);
  const result = new Float32Array(n * channels);
  const weights = new Float64Array(n);
  for (let head = 0; head < heads; head++)
    for (let position = 0; position < n; position++) {
      const query = position * 3 * channels + head * each;
      attentionWeights(joined, { query, keys: channels + head * each, stride: 3 * channels, each }, weights);
      const out = position * channels + head * each;
      for (let other = 0; other < n; other++) {
        const value = other * 3 * channels + 2 * channels + head * each;
        for (let i = 0; i < each; i++) result[out + i] += weights[other] * joined[value + i];
      }
    }
  return result;
}

/** The softmax of a query's products with all keys, over the square root of their length. */
function attentionWeights(
  joined: Float32Array,
  { query, keys, stride, each }: { query: number; keys: number; stride: number; each: number },
  weights: Float64Array,
): void {
  let greatest = Number.NEGATIVE_INFINITY;
  for (let other = 0; other < weights.length; other++) {
    const key = other * stride + keys;
    let product = 0;
    for (let i = 0; i < each; i++) product += joined[query + i] * joined[key + i];
    weights[other] = product / Math.sqrt(each);
    greatest = Math.max(greatest, weights[other]);
  }
  let sum = 0;
  for (let other = 0; other < weights.length; other++) {
    weights[other] = Math.exp(weights[other] - greatest);
    sum += weights[other];
  }
  for (let other = 0; other < weights.length; other++) weights[other] /= sum;
}

/**
 * Applies rotary positions: turns the queries and keys of each head, in place. Channel i and the one half a head behind it turn by
 * position · 10000^(-2i / length of a head).
 * @cite Su2024
 */
function rotate(joined: Float32Array, channels: number, each: number): void {
  const half = each / 2;
  const n = joined.length / (3 * channels);
  for (let position = 0; position < n; position++)
    for (let i = 0; i < half; i++) {
      const angle = position * 10_000 ** (-i / half);
      const cosine = Math.cos(angle);
      const sine = Math.sin(angle);
      // Queries and keys lie side by side.
      const start = position * 3 * channels;
      for (let at = start + i; at < start + 2 * channels; at += each) {
        const first = joined[at];
        const second = joined[at + half];
        joined[at] = first * cosine - second * sine;
        joined[at + half] = second * cosine + first * sine;
      }
    }
}
