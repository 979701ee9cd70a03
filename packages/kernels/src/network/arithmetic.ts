/**
 * The arithmetic of the network in float32, in an order that vector lanes of any width can keep: every implementation (this one,
 * WebAssembly, the native addon) gives the same bits. `packages/native/src-cc/network-body.h` is its counterpart.
 */

const round = Math.fround;
/** The number of lanes of a sum: term i is added to lane i modulo 16, and the lanes are added in halves. */
const lanes = 16;
/** A number whose addition rounds a float32 of less than 2^22 to the nearest integer, with halves to even. */
const roundingNumber = 12_582_912;
const log2OfE = round(Math.LOG2E);
/** The logarithm of 2 in two parts, so that a product of the first part with an exponent is exact. */
const ln2Head = 355 / 512;
const ln2Tail = round(Math.LN2 - ln2Head);
const exponentLimit = 87;
/** The Taylor coefficients of the exponential, from 1/7! to 1/0!. */
const exponential = [1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1, 1].map(round);

const floatOfPower = new Float32Array(1);
const bitsOfPower = new Int32Array(floatOfPower.buffer);

/** Rounds to the nearest integer, with halves to even. */
export function nearestInteger(x: number): number {
  return round(round(x + roundingNumber) - roundingNumber);
}

/** Returns e to the power of x, with a relative error of about 1e-7. The argument is first limited to -87 to 87. */
export function exponentialOf(x: number): number {
  const limited = Math.min(Math.max(x, -exponentLimit), exponentLimit);
  const power = nearestInteger(round(limited * log2OfE));
  const rest = round(round(limited - round(power * ln2Head)) - round(power * ln2Tail));
  let sum = exponential[0];
  for (let i = 1; i < exponential.length; i++) sum = round(round(sum * rest) + exponential[i]);
  bitsOfPower[0] = (power + 127) << 23;
  return round(sum * floatOfPower[0]);
}

export const sigmoid = (logit: number): number => round(1 / round(1 + exponentialOf(-logit)));

const erfSlope = round(0.3275911);
const rootOfHalf = round(Math.SQRT1_2);
const erfTerms = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592].map(round);

/**
 * Computes the Gaussian error linear unit, x · Φ(x) = (x + |x| · erf(|x| / √2)) / 2; the error function has an absolute error of at most
 * about 2e-7.
 * @cite AbramowitzStegun1964 formula 7.1.26
 */
export function gelu(x: number): number {
  const size = Math.abs(x);
  const scaled = round(size * rootOfHalf);
  const t = round(1 / round(1 + round(erfSlope * scaled)));
  let polynomial = erfTerms[0];
  for (let i = 1; i < erfTerms.length; i++) polynomial = round(round(polynomial * t) + erfTerms[i]);
  const rest = round(round(polynomial * t) * exponentialOf(-round(scaled * scaled)));
  return round(0.5 * round(x + round(size * round(1 - rest))));
}

/** Sums float32 terms in lanes. */
export function sumOf(length: number, term: (i: number) => number): number {
  const sums = new Float32Array(lanes);
  for (let i = 0; i < length; i++) sums[i % lanes] += round(term(i));
  for (let width = lanes / 2; width >= 1; width /= 2)
    for (let lane = 0; lane < width; lane++) sums[lane] += sums[lane + width];
  return sums[0];
}

export function greatestMagnitude(x: Float32Array): number {
  let greatest = 0;
  for (const value of x) greatest = Math.max(greatest, Math.abs(value));
  return greatest;
}

/** Numbers as integers. Each number is nearly its integer times the step. */
export interface Quantized {
  values: Int16Array;
  step: number;
}

/**
 * Turns numbers into integers of at most `levels`: the greatest magnitude becomes `levels`. All the numbers of a layer's input have one
 * step, so that integer sums over neighbouring positions stay exact.
 */
export function quantize(x: Float32Array, levels: number): Quantized {
  const greatest = greatestMagnitude(x);
  if (greatest === 0) return { values: new Int16Array(x.length), step: 0 };
  const factor = round(levels / greatest);
  const values = new Int16Array(x.length);
  for (let i = 0; i < x.length; i++) values[i] = nearestInteger(round(x[i] * factor));
  return { values, step: round(greatest / levels) };
}

/** Returns exponentials of the distance to the greatest score, and their sum in lanes. */
export function exponentials(scores: Float32Array): { values: Float32Array; sum: number } {
  let greatest = Number.NEGATIVE_INFINITY;
  for (const score of scores) greatest = Math.max(greatest, score);
  const values = scores.map((score) => exponentialOf(round(score - greatest)));
  return { values, sum: sumOf(values.length, (i) => values[i]) };
}

/**
 * Computes cosines and sines of the rotary angles: position · 10000^(-i / half), Float32 [positions, half] each. They come from power
 * series, because Math.cos may differ in the last bit between versions of an engine.
 */
export function rotaryTables(
  positions: number,
  half: number,
): { cosines: Float32Array; sines: Float32Array } {
  const cosines = new Float32Array(positions * half);
  const sines = new Float32Array(positions * half);
  let ratio = 1e-4;
  for (let power = 1; power < half; power *= 2) ratio = Math.sqrt(ratio);
  for (let i = 0, rate = 1; i < half; i++, rate *= ratio)
    for (let position = 0; position < positions; position++) {
      const [cosine, sine] = cosineAndSine(position * rate);
      cosines[position * half + i] = cosine;
      sines[position * half + i] = sine;
    }
  return { cosines, sines };
}

function cosineAndSine(angle: number): [number, number] {
  const quarter = Math.round(angle / (Math.PI / 2));
  const rest = angle - quarter * (Math.PI / 2);
  const square = rest * rest;
  let cosine = 1;
  let sine = 1;
  for (let k = 18; k > 0; k -= 2) {
    cosine = 1 - (cosine * square) / (k * (k - 1));
    sine = 1 - (sine * square) / (k * (k + 1));
  }
  sine *= rest;
  const turns: [number, number][] = [
    [cosine, sine],
    [-sine, cosine],
    [-cosine, -sine],
    [sine, -cosine],
  ];
  return turns[quarter % 4];
}
