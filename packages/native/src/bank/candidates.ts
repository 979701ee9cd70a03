/** The properties of the bank and the subsets that candidate lists need. */
export interface CandidateOrder {
  /** Returns the sequence number of a row of the bank. */
  sequenceOfRow(row: number): number;
  inSubset(row: number, subset: number): boolean;
  subsets: number;
  /** Whether no two rows of the bank share a sequence. */
  distinct: boolean;
}

/**
 * Rows that may be neighbours of one query and wait for an exact comparison, each with an interval that contains its distance. The
 * intervals alone exclude nearly all of them. The rows are stored in columns, because there are millions.
 */
export class WaitingList {
  /** The upper bound of the distance of any neighbour, for each subset, from the intervals of all candidates so far. */
  readonly proven: Float64Array;
  readonly room: number;
  size = 0;
  readonly row: Int32Array;
  /** The row of the query's vectors that found each candidate. */
  readonly queryRow: Int32Array;
  readonly min: Float64Array;
  readonly #max: Float64Array;

  readonly #k: number;
  readonly #order: CandidateOrder;

  constructor(k: number, order: CandidateOrder) {
    this.#k = k;
    this.#order = order;
    this.proven = new Float64Array(order.subsets).fill(Number.POSITIVE_INFINITY);
    this.room = Math.max(256, 8 * k);
    this.row = new Int32Array(this.room);
    this.queryRow = new Int32Array(this.room);
    this.min = new Float64Array(this.room);
    this.#max = new Float64Array(this.room);
  }

  /** Adds a candidate. The caller must check that there is room. */
  // oxlint-disable-next-line eslint/max-params -- innermost loop: an object for each call would cost more than the work
  push(row: number, queryRow: number, min: number, max: number): void {
    this.row[this.size] = row;
    this.queryRow[this.size] = queryRow;
    this.min[this.size] = min;
    this.#max[this.size++] = max;
  }

  /** Tightens `proven`; `widen` adds the maximum effect of rounding to a distance. */
  prove(widen: (distance: number) => number): void {
    for (let s = 0; s < this.#order.subsets; s++)
      this.proven[s] = Math.min(this.proven[s], widen(this.#kthMax(s)));
  }

  /** Removes the candidates that `keep` rejects. */
  filter(keep: (row: number, min: number) => boolean): void {
    let kept = 0;
    for (let i = 0; i < this.size; i++) {
      if (!keep(this.row[i], this.min[i])) continue;
      this.row[kept] = this.row[i];
      this.queryRow[kept] = this.queryRow[i];
      this.min[kept] = this.min[i];
      this.#max[kept++] = this.#max[i];
    }
    this.size = kept;
  }

  /** Returns the positions in the list, the most promising first. */
  byPromise(): Int32Array {
    const { min, row, queryRow } = this;
    return Int32Array.from({ length: this.size }, (_, i) => i).sort(
      (a, b) => min[a] - min[b] || row[a] - row[b] || queryRow[a] - queryRow[b],
    );
  }

  /** Returns the k-th smallest upper limit of distinct sequences in a subset; infinite if there are fewer. */
  #kthMax(subset: number): number {
    const order = this.#order;
    const max = this.#max;
    const k = this.#k;
    const { row, queryRow } = this;
    const members: number[] = [];
    let oneRow = true;
    for (let i = 0; i < this.size; i++) {
      if (!order.inSubset(row[i], subset)) continue;
      members.push(i);
      oneRow &&= queryRow[i] === queryRow[0];
    }
    if (members.length < k) return Number.POSITIVE_INFINITY;
    if (order.distinct && oneRow) return Float64Array.from(members, (i) => max[i]).sort()[k - 1];
    const seen = new Set<number>();
    for (const i of members.sort((a, b) => max[a] - max[b])) {
      seen.add(order.sequenceOfRow(row[i]));
      if (seen.size === k) return max[i];
    }
    return Number.POSITIVE_INFINITY;
  }
}
