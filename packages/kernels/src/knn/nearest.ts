import type { Neighbours } from './types.js';

/**
 * The k nearest distinct sequences of every query, kept sorted while candidates arrive in any order. A sequence counts with its nearest
 * row; of equal ones the lower rank wins, then the lower reference. The final lists do not depend on the order of the offers. A rejected
 * offer costs O(1), an accepted one O(k).
 */
export class NearestLists {
  /** The distance that a candidate must not exceed, for each query: the k-th so far, or the threshold. */
  readonly bound: Float64Array;
  readonly #reference: Int32Array;
  readonly #distance: Float64Array;
  readonly #size: Int32Array;

  readonly #nQuery: number;
  readonly #k: number;
  readonly #order: { sequence: Int32Array; rank: Int32Array };

  constructor(
    nQuery: number,
    k: number,
    order: { sequence: Int32Array; rank: Int32Array },
    threshold: number,
  ) {
    this.#nQuery = nQuery;
    this.#k = k;
    this.#order = order;
    this.bound = new Float64Array(nQuery).fill(threshold);
    this.#reference = new Int32Array(nQuery * k).fill(-1);
    this.#distance = new Float64Array(nQuery * k).fill(Number.POSITIVE_INFINITY);
    this.#size = new Int32Array(nQuery);
  }

  /** Offers a reference at a distance (float32 precision) to a query. */
  offer(query: number, reference: number, distance: number): void {
    if (!(distance <= this.bound[query])) return;
    const start = query * this.#k;
    const size = this.#size[query];
    const sequence = this.#order.sequence[reference];
    let last = start + size;
    for (let i = start; i < start + size; i++) {
      if (this.#order.sequence[this.#reference[i]] !== sequence) continue;
      if (!this.#precedes(reference, distance, i)) return;
      last = i;
      break;
    }
    if (last === start + this.#k) {
      last--;
      if (!this.#precedes(reference, distance, last)) return;
    } else if (last === start + size) {
      this.#size[query] = size + 1;
    }
    while (last > start && this.#precedes(reference, distance, last - 1)) {
      this.#reference[last] = this.#reference[last - 1];
      this.#distance[last] = this.#distance[last - 1];
      last--;
    }
    this.#reference[last] = reference;
    this.#distance[last] = distance;
    if (this.#size[query] === this.#k) this.bound[query] = this.#distance[start + this.#k - 1];
  }

  #precedes(reference: number, distance: number, entry: number): boolean {
    if (distance !== this.#distance[entry]) return distance < this.#distance[entry];
    const other = this.#reference[entry];
    const byRank = this.#order.rank[reference] - this.#order.rank[other];
    return byRank === 0 ? reference < other : byRank < 0;
  }

  result(): Neighbours {
    return {
      nQuery: this.#nQuery,
      k: this.#k,
      neighbours: this.#reference,
      distances: Float32Array.from(this.#distance),
    };
  }
}
