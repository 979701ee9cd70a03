import { exponentials, nearestInteger, type Quantized, quantize } from './arithmetic.js';
import { addScaled, dense, geluInPlace, normalized } from './layers.js';
import type { Attention, NetworkProgram } from './program.js';

const round = Math.fround;
/**
 * The levels of the values, and the sum of a query's weights. Their product stays below 2^31 even if every weight is rounded up, and no
 * weight exceeds 16 bits.
 */
const valueLevels = 4095;
const weightSum = 500_000;
const weightLimit = 32_767;

/** Adds attention among all positions and a feed-forward layer to x [n, channels], in place. Cost: O(n² · channels). */
export function addAttention(x: Float32Array, layer: Attention, program: NetworkProgram): void {
  const joined = dense(normalized(x, layer.norm), layer.queriesKeysValues);
  addScaled(x, dense(mixed(joined, layer.scale.length, program), layer.out), layer.scale);
  const inner = geluInPlace(dense(normalized(x, layer.forwardNorm), layer.up));
  addScaled(x, dense(inner, layer.down), layer.forwardScale);
}

/** Mixes the values by attention: from queries, keys and values [n, 3 · channels] to [n, channels]. */
function mixed(joined: Float32Array, channels: number, program: NetworkProgram): Float32Array {
  const n = joined.length / (3 * channels);
  const each = channels / program.heads;
  rotate(joined, channels, program);
  const result = new Float32Array(n * channels);
  for (let head = 0; head < program.heads; head++) {
    // Returns queries, keys or values of the head. Steps of its own keep more of a head with small numbers.
    const part = (which: number): Float32Array =>
      Float32Array.from({ length: n * each }, (_, i) => {
        const position = Math.floor(i / each);
        return joined[(position * 3 + which) * channels + head * each + (i % each)];
      });
    const queries = quantize(part(0), program.rowLevels);
    const keys = quantize(part(1), program.rowLevels);
    const values = quantize(part(2), valueLevels);
    const factor = round(round(queries.step * keys.step) * round(1 / round(Math.sqrt(each))));
    for (let position = 0; position < n; position++) {
      const query = queries.values.subarray(position * each, (position + 1) * each);
      const weights = attentionWeights(query, keys.values, factor);
      result.set(weightedValues(weights, values, each), position * channels + head * each);
    }
  }
  return result;
}

/** Returns the softmax of a query's products with all keys, as integers whose sum is at most about `weightSum`. */
function attentionWeights(query: Int16Array, keys: Int16Array, factor: number): Int16Array {
  const scores = new Float32Array(keys.length / query.length);
  for (let other = 0; other < scores.length; other++) {
    let product = 0;
    for (let i = 0; i < query.length; i++) product += query[i] * keys[other * query.length + i];
    scores[other] = round(product) * factor;
  }
  const { values, sum } = exponentials(scores);
  const scale = Math.min(weightLimit, round(weightSum / sum));
  return Int16Array.from(values, (value) => nearestInteger(round(value * scale)));
}

function weightedValues(weights: Int16Array, { values, step }: Quantized, each: number): Float32Array {
  let total = 0;
  for (const weight of weights) total += weight;
  const factor = round(step / round(total));
  return Float32Array.from({ length: each }, (_, i) => {
    let sum = 0;
    for (let other = 0; other < weights.length; other++) sum += weights[other] * values[other * each + i];
    return round(sum) * factor;
  });
}

/**
 * Applies rotary positions: turns the queries and keys of each head, in place. Channel i and the one half a head behind it turn by
 * position · 10000^(-2i / length of a head).
 * @cite Su2024
 */
function rotate(joined: Float32Array, channels: number, { heads, cosines, sines }: NetworkProgram): void {
  const each = channels / heads;
  const half = each / 2;
  const n = joined.length / (3 * channels);
  for (let position = 0; position < n; position++)
    for (let i = 0; i < half; i++) {
      const cosine = cosines[position * half + i];
      const sine = sines[position * half + i];
      // Queries and keys lie side by side.
      const start = position * 3 * channels;
      for (let at = start + i; at < start + 2 * channels; at += each) {
        const first = joined[at];
        const second = joined[at + half];
        joined[at] = round(first * cosine) - round(second * sine);
        joined[at + half] = round(second * cosine) + round(first * sine);
      }
    }
}
