import { groupRows } from './format.js';

/** A number that marks a row that must always (or, negated, never) be compared exactly. */
const always = 1e37;
/** The fraction of the centre's length below which a row counts as tiny. */
const tiny = 1e-3;
/** A factor that keeps a rounded float32 at or above the float64. */
const up = 1 + 2 ** -22;

/** The maximum magnitudes of A |I| (which is |r'| / w), B, C, H, G over all rows that are not tiny. */
export type Limits = [number, number, number, number, number];

export interface QuantisedGroup {
  /** The codes of the group: Uint8 [ceil(D / 4) x 16 x 4]. */
  codes: Uint8Array;
  /** The five numbers of each row: Float32 [5 x 16]. */
  cosine: Float32Array;
  l2: Float32Array;
}

/** Turns groups of sixteen rows into the sections `codes`, `cosine` and `l2` of a bank (see format.ts). */
export class Quantiser {
  readonly limits: { cosine: Limits; l2: Limits } = { cosine: [0, 0, 0, 0, 0], l2: [0, 0, 0, 0, 0] };
  readonly #centreLength: number;
  readonly #centred: Float64Array;

  readonly #mean: Float32Array;

  constructor(mean: Float32Array) {
    this.#mean = mean;
    this.#centreLength = Math.hypot(...chunkNorms(mean));
    this.#centred = new Float64Array(mean.length);
  }

  /**
   * @param rows Float32 [count x D], 1 to 16 rows
   * @param norms the lengths of the rows
   */
  group(rows: Float32Array, norms: Float64Array): QuantisedGroup {
    const dimension = this.#mean.length;
    const codes = new Uint8Array(Math.ceil(dimension / 4) * 4 * groupRows).fill(128);
    const cosine = new Float32Array(5 * groupRows);
    const l2 = new Float32Array(5 * groupRows);
    for (let lane = 0; lane < groupRows; lane++) {
      if (lane >= norms.length) {
        cosine[groupRows + lane] = -always;
        l2[groupRows + lane] = -always;
        continue;
      }
      const row = this.#quantise(rows.subarray(lane * dimension, (lane + 1) * dimension), codes, lane);
      this.#write(
        l2,
        lane,
        this.limits.l2,
        [row.scale, -0.5 * row.centredSquare, 0, row.kept, row.rest],
        row.centredSquare,
      );
      const w = norms[lane];
      if (w === 0) continue;
      if (w < tiny * this.#centreLength) cosine[groupRows + lane] = always;
      else {
        const five = [row.scale / w, row.onMean / w, 1 / w, row.kept / w, row.rest / w];
        this.#write(cosine, lane, this.limits.cosine, five, row.centredSquare / (w * w));
      }
    }
    return { codes, cosine, l2 };
  }

  // oxlint-disable-next-line eslint/max-params -- innermost loop: an object for each call would cost more than the work
  #write(out: Float32Array, lane: number, limits: Limits, five: number[], square: number): void {
    const [a, b, c, kept, rest] = five;
    const values = [a, b, c, kept * up, rest * up];
    for (let n = 0; n < 5; n++) {
      out[n * groupRows + lane] = values[n];
      limits[n] = Math.max(limits[n], n === 0 ? Math.sqrt(square) * 1.1 : Math.abs(values[n]));
    }
  }

  /** Writes the codes of one row, and returns its scale and the lengths of its parts. */
  #quantise(row: Float32Array, codes: Uint8Array, lane: number): QuantisedRow {
    const mean = this.#mean;
    const centred = this.#centred;
    let max = 0;
    let centredSquare = 0;
    let onMean = 0;
    for (let i = 0; i < row.length; i++) {
      const value = row[i] - mean[i];
      centred[i] = value;
      centredSquare += value * value;
      onMean += mean[i] * value;
      if (value > max) max = value;
      else if (-value > max) max = -value;
    }
    // The scale is rounded to float32, as it is stored, because the remainder is relative to it.
    const scale = Math.fround(max / 127);
    const inverse = scale > 0 ? 1 / scale : 0;
    let keptSquare = 0;
    let restSquare = 0;
    for (let i = 0; i < row.length; i++) {
      const code = Math.max(-127, Math.min(127, Math.floor(centred[i] * inverse + 0.5)));
      codes[(i >> 2) * 64 + lane * 4 + (i & 3)] = code + 128;
      const kept = scale * code;
      const rest = centred[i] - kept;
      keptSquare += kept * kept;
      restSquare += rest * rest;
    }
    return { scale, centredSquare, onMean, kept: Math.sqrt(keptSquare), rest: Math.sqrt(restSquare) };
  }
}

interface QuantisedRow {
  scale: number;
  centredSquare: number;
  /** The inner product with the mean. */
  onMean: number;
  kept: number;
  rest: number;
}

function chunkNorms(vector: Float32Array): number[] {
  const norms: number[] = [];
  for (let at = 0; at < vector.length; at += 256) norms.push(Math.hypot(...vector.subarray(at, at + 256)));
  return norms;
}
