import { combinedFeatures } from './feature-names.js';

const width = combinedFeatures.length;

/** One row of features per candidate term of a query, in order of first appearance. Reused for every query. */
export class TermTable {
  readonly #slotOf: Int32Array;
  #values = new Float64Array(4096 * width);
  #terms = new Int32Array(4096);
  size = 0;

  constructor(termCount: number) {
    this.#slotOf = new Int32Array(termCount).fill(-1);
  }

  clear(): void {
    for (let slot = 0; slot < this.size; slot++) this.#slotOf[this.#terms[slot]] = -1;
    this.size = 0;
  }

  /** Offset of the term's row; a new one is all 0. */
  rowOf(term: number): number {
    const known = this.#slotOf[term];
    if (known >= 0) return known * width;
    const slot = this.size++;
    if (slot === this.#terms.length) this.#grow();
    this.#slotOf[term] = slot;
    this.#terms[slot] = term;
    this.#values.fill(0, slot * width, (slot + 1) * width);
    return slot * width;
  }

  has(term: number): boolean {
    return this.#slotOf[term] >= 0;
  }

  termAt(slot: number): number {
    return this.#terms[slot];
  }

  /** The array is replaced when it grows: read this again after `rowOf`. */
  get values(): Float64Array {
    return this.#values;
  }

  #grow(): void {
    const values = new Float64Array(this.#values.length * 2);
    values.set(this.#values);
    this.#values = values;
    const terms = new Int32Array(this.#terms.length * 2);
    terms.set(this.#terms);
    this.#terms = terms;
  }
}
