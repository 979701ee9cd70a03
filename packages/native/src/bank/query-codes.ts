import type { Metric } from '@kindred/kernels/knn';
import type { BankFile } from './bank-file.js';

/** The maximum magnitude of a code. */
const levels = 127;
/** The number above which squares or sums could overflow float32. */
const maxNumber = 1e30;
/** The bound above which rows must always be compared. */
const always = 1e36;
/** A factor that keeps a rounded float32 at or above the float64. */
const up = 1 + 2 ** -22;

/** The query rows in 8 bits, and the bounds of distances that follow from integer products with the codes of a bank (see format.ts). */
export class QueryCodes {
  /** The bias of each query row: -128 times the sum of its codes. */
  readonly bias: Int32Array;
  /** The scales t, <q, m>, |f| and |q'| of format.ts. */
  readonly scale: Float32Array;
  readonly onMean: Float32Array;
  readonly rest: Float32Array;
  readonly length: Float32Array;
  readonly #norm: Float64Array;
  readonly #centredSquare: Float64Array;
  /** The maximum effect of rounding on a bound. */
  readonly #slack: Float64Array;
  readonly #width: number;

  readonly #metric: Metric;
  /** The vectors of the queries: Float32 [rows x dimension]. */
  readonly #vectors: Float32Array;
  readonly #bank: Pick<BankFile, 'header' | 'mean' | 'limits'>;

  /** @throws RangeError for numbers that are not finite */
  constructor(metric: Metric, vectors: Float32Array, bank: Pick<BankFile, 'header' | 'mean' | 'limits'>) {
    this.#metric = metric;
    this.#vectors = vectors;
    this.#bank = bank;
    const { dimension } = bank.header;
    const count = vectors.length / dimension;
    this.#width = Math.ceil(dimension / 4) * 4;
    this.bias = new Int32Array(count);
    [this.scale, this.onMean, this.rest, this.length] = Array.from(
      { length: 4 },
      () => new Float32Array(count),
    );
    [this.#norm, this.#centredSquare, this.#slack] = Array.from({ length: 3 }, () => new Float64Array(count));
  }

  /**
   * Returns the codes of `count` query rows, starting with `first`, and sets their bias, scale and other numbers.
   * @param columns a multiple of four
   * @returns Int16 [columns / 4][width / 4][4 queries][4 codes]; queries after `count` hold 0
   */
  block(first: number, count: number, columns: number): Int16Array {
    const codes = new Int16Array(this.#width * columns);
    const centred = new Float64Array(this.#bank.header.dimension);
    for (let q = 0; q < count; q++) {
      const panel = (q >> 2) * this.#width * 4 + (q & 3) * 4;
      this.#prepare(first + q, centred, (i, code) => (codes[panel + (i >> 2) * 16 + (i & 3)] = code));
    }
    return codes;
  }

  #prepare(row: number, centred: Float64Array, write: (i: number, code: number) => void): void {
    const { mean } = this.#bank;
    const dimension = centred.length;
    let [square, centredSquare, onMean, largest] = [0, 0, 0, 0];
    for (let i = 0; i < dimension; i++) {
      const x = this.#vectors[row * dimension + i];
      const c = x - mean[i];
      centred[i] = c;
      square += x * x;
      centredSquare += c * c;
      onMean += x * mean[i];
      largest = Math.max(largest, Math.abs(c));
    }
    if (!Number.isFinite(square)) throw new RangeError(`query row ${row} holds a number that is not finite`);
    const scale = Math.fround(largest / levels);
    const usable = scale > 0 && Number.isFinite(scale);
    let restSquare = 0;
    let sum = 0;
    for (let i = 0; i < dimension; i++) {
      const code = usable ? Math.max(-levels, Math.min(levels, Math.floor(centred[i] / scale + 0.5))) : 0;
      write(i, code);
      sum += code;
      const rest = centred[i] - scale * code;
      restSquare += rest * rest;
    }
    this.bias[row] = -128 * sum;
    this.scale[row] = usable ? scale : 0;
    this.onMean[row] = onMean;
    this.rest[row] = Math.sqrt(restSquare) * up;
    this.length[row] = Math.sqrt(centredSquare) * up;
    this.#norm[row] = Math.sqrt(square);
    this.#centredSquare[row] = centredSquare;
    this.#slack[row] = this.#slackOf(row, onMean);
  }

  /** Computes the slack, which allows for sixteen roundings of all terms of the sum, and for numbers too small for float32. */
  #slackOf(row: number, onMean: number): number {
    if (Math.abs(onMean) > maxNumber) return maxNumber;
    const [codes, b, c, h, g] = this.#bank.limits[this.#metric];
    const length = Math.sqrt(this.#centredSquare[row]);
    const own = this.#metric === 'cosine' ? this.#norm[row] : this.#centredSquare[row];
    const magnitudes = length * (codes + h + g) + b + Math.abs(onMean) * c + own;
    return 2 ** -20 * magnitudes + c / 1e44 + 1e-30;
  }

  /** Says whether bounds from products with this row are usable. */
  isUsable(row: number): boolean {
    return this.#slack[row] < maxNumber && (this.#metric === 'l2' || this.#norm[row] > 0);
  }

  /** Returns the minimum bound of a bank row within `distance`. */
  minBound(row: number, distance: number): number {
    const min =
      this.#metric === 'cosine'
        ? (1 - distance) * this.#norm[row]
        : 0.5 * (this.#centredSquare[row] - distance);
    const exact = min - this.#slack[row];
    // The result is rounded down to float32.
    return exact - Math.abs(exact) * 2 ** -23;
  }

  /**
   * Returns the interval that contains the distance of a pair with this upper bound.
   * @param rests H and G of the bank's row
   */
  interval(row: number, bound: number, [h, g]: readonly [number, number]): { min: number; max: number } {
    const width = 2 * (this.rest[row] * h + this.length[row] * g) * up;
    const [high, low] = [bound + this.#slack[row], bound - width - this.#slack[row]];
    const distance = (value: number) =>
      this.#metric === 'cosine' ? 1 - value / this.#norm[row] : this.#centredSquare[row] - 2 * value;
    // A row that must always be compared has no proven distance.
    return { min: distance(high), max: bound > always ? Number.POSITIVE_INFINITY : distance(low) };
  }

  /** Returns the length of the query row. */
  normOf(row: number): number {
    return this.#norm[row];
  }
}
