import { gelu, type Quantized, quantize, sumOf } from './arithmetic.js';
import type { Dense, Norm } from './weights.js';

/** The layers work on rows [positions, channels] in one Float32Array. */

const round = Math.fround;

/** Multiplies x [n, columns] by the matrix and adds the bias: [n, rows]. Cost: O(n · rows · columns). */
export function dense(x: Float32Array, layer: Dense): Float32Array {
  return convolution(x, layer.weight.columns, layer, 1);
}

/**
 * A convolution over positions, zero beyond both ends: weight [out, tap, channel], an odd number of taps that lie
 * `dilation` positions apart. One tap is a linear layer. The input becomes integers, and the sums of products are exact.
 *
 * @param x [n, channels]
 * @returns [n, out]
 */
export function convolution(x: Float32Array, channels: number, layer: Dense, dilation: number): Float32Array {
  const { weight, bias } = layer;
  const input = quantize(x, layer.levels);
  const n = x.length / channels;
  const result = new Float32Array(n * weight.rows);
  for (let row = 0; row < weight.rows; row++) {
    const factor = round(input.step * weight.scales[row]);
    for (let position = 0; position < n; position++) {
      const sum = convolved(input, { channels, n, position, dilation }, layer, row);
      result[position * weight.rows + row] = round(round(sum) * factor) + bias[row];
    }
  }
  return result;
}

function convolved(
  { values }: Quantized,
  { channels, n, position, dilation }: { channels: number; n: number; position: number; dilation: number },
  { weight }: Dense,
  row: number,
): number {
  const taps = weight.columns / channels;
  const reach = ((taps - 1) / 2) * dilation;
  let sum = 0;
  for (let tap = 0; tap < taps; tap++) {
    const from = position + tap * dilation - reach;
    if (from < 0 || from >= n) continue;
    const start = from * channels;
    const first = row * weight.columns + tap * channels;
    for (let i = 0; i < channels; i++) sum += weight.values[first + i] * values[start + i];
  }
  return sum;
}

const epsilon = round(1e-5);

/** Applies the layer norm to every row: mean 0, variance 1 (of the population), then weight and bias of each channel. */
export function normalized(x: Float32Array, { weight, bias }: Norm): Float32Array {
  const channels = weight.length;
  const result = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += channels) {
    const mean = round(sumOf(channels, (i) => x[start + i]) / channels);
    const squares = sumOf(channels, (i) => round(x[start + i] - mean) ** 2);
    const deviation = round(Math.sqrt(round(round(squares / channels) + epsilon)));
    const factor = round(1 / deviation);
    for (let i = 0; i < channels; i++)
      result[start + i] = round(round(round(x[start + i] - mean) * factor) * weight[i]) + bias[i];
  }
  return result;
}

/** Applies the Gaussian error linear unit to each number, in place. */
export function geluInPlace(x: Float32Array): Float32Array {
  for (let i = 0; i < x.length; i++) x[i] = gelu(x[i]);
  return x;
}

/** Adds y, each channel times its scale, to x in place. */
export function addScaled(x: Float32Array, y: Float32Array, scale: Float32Array): void {
  for (let i = 0; i < x.length; i++) x[i] += round(scale[i % scale.length] * y[i]);
}
