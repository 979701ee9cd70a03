import type { Metric } from '@kindred/kernels/knn';

/** Rows of such length would overflow or vanish in float32: they are always compared exactly. */
const longest = { cosine: 1e37, l2: 1e18 } as const;
const shortest = 1e-30;
/** Products above this could overflow. */
const most = 1e36;
const unit = 2 ** -24;
/** Rounding error of a product that is too small for float32. */
const leastNumber = 2 ** -149;

/**
 * What float32 products of vectors say about distances, with proven bounds: a sum of D products, in any order, is off
 * by at most D u |q| |r| (u = 2^-24), and a little more where the numbers leave float32's range.
 * For cosine the query is scaled to length 1 first.
 */
export class Intervals {
  /** Relative error of a product. */
  private readonly error: number;

  constructor(
    private readonly metric: Metric,
    private readonly dimension: number,
    /** Of the bank's rows. */
    private readonly norms: Float64Array,
  ) {
    this.error = (dimension + 24) * unit * 1.01;
  }

  /** Whether the row's products can be trusted. */
  isOrdinary(row: number): boolean {
    const norm = this.norms[row];
    if (this.metric === 'cosine' && norm > 0 && norm < shortest) return false;
    return norm < longest[this.metric];
  }

  /** Whether products with this query say anything. */
  isUsable(queryNorm: number, longestRow: number): boolean {
    return this.metric === 'cosine' ? queryNorm > 0 : queryNorm * longestRow < most && queryNorm < longest.l2;
  }

  /** What the product is multiplied with before `bias` is added, so that near rows have large values. */
  scale(row: number): number {
    if (!this.isOrdinary(row)) return Number.NaN;
    if (this.metric === 'l2') return 1;
    return this.norms[row] > 0 ? 1 / this.norms[row] : 0;
  }

  bias(row: number): number {
    return this.metric === 'l2' ? -0.5 * this.norms[row] ** 2 : 0;
  }

  /** A row within `distance` of the query has no value below this. `longestRow`: of the ordinary rows of the block. */
  leastValue(distance: number, queryNorm: number, longestRow: number): number {
    if (this.metric === 'cosine') return 1 - distance - this.error - 2 ** -20;
    const size = queryNorm * longestRow + longestRow ** 2;
    return 0.5 * (queryNorm ** 2 - distance) - this.slack(queryNorm, longestRow) - 2 ** -20 * size;
  }

  /** The middle and half the width of the interval that holds the distance to a row with this product. */
  interval(product: number, queryNorm: number, row: number): { middle: number; half: number } {
    if (!this.isOrdinary(row)) return { middle: 0, half: Number.POSITIVE_INFINITY };
    const norm = this.norms[row];
    if (this.metric === 'cosine')
      return { middle: 1 - product * this.scale(row), half: norm > 0 ? this.error + 1e-12 : 1e-12 };
    const squares = queryNorm ** 2 + norm ** 2;
    return { middle: squares - 2 * product, half: 2 * this.slack(queryNorm, norm) + 1e-12 * squares };
  }

  private slack(queryNorm: number, norm: number): number {
    return this.error * queryNorm * norm + this.dimension * leastNumber;
  }

  /** The largest distance, before rounding, that may count as `distance` once it is rounded as distances are. */
  widen(distance: number): number {
    return distance * (1 + 2 ** -22) + (this.metric === 'cosine' ? 2e-12 : 2e-24);
  }
}
