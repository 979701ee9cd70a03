/**
 * Sums for each threshold, stored as pairs (value + rounding error), so that adding and then subtracting a ratio gives exactly 0: the
 * order of proteins does not change a sum. A value is added at the highest threshold at which it holds; `fromAbove` carries it to all
 * lower ones.
 */
export class ThresholdSums {
  readonly #high: Float64Array;
  readonly #low: Float64Array;

  constructor(size: number) {
    this.#high = new Float64Array(size);
    this.#low = new Float64Array(size);
  }

  /** Subtracts `before` and adds `after`. */
  replace(at: number, before: number, after: number): void {
    if (before !== 0) this.#add(at, -before);
    this.#add(at, after);
  }

  #add(at: number, value: number): void {
    const before = this.#high[at];
    const sum = before + value;
    const shifted = sum - before;
    this.#low[at] += before - (sum - shifted) + (value - shifted);
    this.#high[at] = sum;
  }

  /** Returns in entry k (below count) the sum of everything that was added at k and above. */
  fromAbove(count: number): Float64Array {
    const out = new Float64Array(count);
    const total = new ThresholdSums(1);
    for (let k = this.#high.length - 1; k >= 0; k--) {
      total.#add(0, this.#high[k]);
      total.#add(0, this.#low[k]);
      if (k < count) out[k] = total.#high[0] + total.#low[0];
    }
    return out;
  }
}
