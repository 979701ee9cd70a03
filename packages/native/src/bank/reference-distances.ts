import { distanceBetween, type Metric } from '@kindred/kernels/knn';
import type { BankFile } from './bank-file.js';

/**
 * The distances of single references of a bank, whose rows are read when they are needed. The numbers are the same as those of a search.
 */
export class ReferenceDistances {
  readonly #file: BankFile;
  /** The start of each reference's rows: those of reference r are rowOf[start[r] .. start[r + 1]). */
  readonly #start: Int32Array;
  readonly #rowOf: Int32Array;
  readonly #single: Float32Array;

  constructor(file: BankFile) {
    const { header, reference } = file;
    this.#file = file;
    this.#start = new Int32Array(header.references + 1);
    for (const each of reference) this.#start[each + 1]++;
    for (let r = 0; r < header.references; r++) this.#start[r + 1] += this.#start[r];
    const next = this.#start.slice();
    this.#rowOf = new Int32Array(reference.length);
    reference.forEach((each, row) => {
      this.#rowOf[next[each]++] = row;
    });
    this.#single = new Float32Array(header.dimension);
  }

  rowsOf(reference: number): number {
    return this.#start[reference + 1] - this.#start[reference];
  }

  /** Returns the smallest distance between the vectors of a query and those of a reference, as float32 in a number. */
  nearest(reference: number, vectors: readonly Float32Array[], metric: Metric): number {
    let distance = Number.POSITIVE_INFINITY;
    for (let at = this.#start[reference]; at < this.#start[reference + 1]; at++) {
      this.#file.readRows(this.#rowOf[at], this.#single);
      for (const vector of vectors)
        distance = Math.min(distance, distanceBetween(vector, this.#single, metric));
    }
    return distance;
  }

  /** Returns the vectors of a reference, one after the other. */
  vectorsOf(reference: number): Float32Array {
    const { dimension } = this.#file.header;
    const all = new Float32Array(this.rowsOf(reference) * dimension);
    for (let i = 0; i < this.rowsOf(reference); i++)
      this.#file.readRows(
        this.#rowOf[this.#start[reference] + i],
        all.subarray(i * dimension, (i + 1) * dimension),
      );
    return all;
  }
}
