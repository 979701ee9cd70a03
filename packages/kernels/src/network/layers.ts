import type { Dense, Matrix, Norm } from './weights.js';

/** Layers on rows [positions, channels] in one Float32Array. Sums are in float64. */

/** Multiplies x [n, columns] by the matrix and adds the bias: [n, rows]. Cost: O(n · rows · columns). */
export function dense(x: Float32Array, { weight, bias }: Dense): Float32Array {
  return convolution(x, weight.columns, { weight, bias }, 1);
}

/**
 * Computes a convolution over positions, with zeros beyond both ends. The weights are [out, tap, channel], with an odd number of taps
 * that lie `dilation` positions apart. One tap is a linear layer.
 *
 * @param x [n, channels]
 * @returns [n, out]
 */
export function convolution(
  x: Float32Array,
  channels: number,
  { weight, bias }: Dense,
  dilation: number,
): Float32Array {
  const { rows, columns, values, scales } = weight;
  const n = x.length / channels;
  const taps = columns / channels;
  const reach = ((taps - 1) / 2) * dilation;
  const result = new Float32Array(n * rows);
  for (let row = 0; row < rows; row++)
    for (let position = 0; position < n; position++) {
      let sum = 0;
      for (let tap = 0; tap < taps; tap++) {
        const from = position + tap * dilation - reach;
        if (from < 0 || from >= n) continue;
        const start = from * channels;
        const first = row * columns + tap * channels;
        for (let i = 0; i < channels; i++) sum += values[first + i] * x[start + i];
      }
      result[position * rows + row] = sum * scales[row] + bias[row];
    }
  return result;
}

/** Returns each column's weights as a row, with the scales multiplied in: [columns, rows]. */
export function columnsOf({ rows, columns, values, scales }: Matrix): Float32Array {
  const result = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      result[column * rows + row] = values[row * columns + column] * scales[row];
  return result;
}

const epsilon = 1e-5;

/** Applies the layer norm to every row: mean 0, variance 1 (of the population), then weight and bias of each channel. */
export function normalized(x: Float32Array, { weight, bias }: Norm): Float32Array {
  const channels = weight.length;
  const result = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += channels) {
    let sum = 0;
    for (let i = 0; i < channels; i++) sum += x[start + i];
    const mean = sum / channels;
    let squares = 0;
    for (let i = 0; i < channels; i++) squares += (x[start + i] - mean) ** 2;
    const factor = 1 / Math.sqrt(squares / channels + epsilon);
    for (let i = 0; i < channels; i++)
      result[start + i] = (x[start + i] - mean) * factor * weight[i] + bias[i];
  }
  return result;
}

/** Applies the Gaussian error linear unit, x · Φ(x), in place. */
export function gelu(x: Float32Array): Float32Array {
  for (let i = 0; i < x.length; i++) x[i] = 0.5 * x[i] * (1 + erf(x[i] * Math.SQRT1_2));
  return x;
}

/**
 * Computes the error function, with an absolute error of at most 1.5e-7.
 * @cite AbramowitzStegun1964 formula 7.1.26
 */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const polynomial =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const value = 1 - polynomial * Math.exp(-x * x);
  return x < 0 ? -value : value;
}

/** Adds y, each channel times its scale, to x in place. */
export function addScaled(x: Float32Array, y: Float32Array, scale: Float32Array): void {
  for (let i = 0; i < x.length; i++) x[i] += scale[i % scale.length] * y[i];
}

export const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));
