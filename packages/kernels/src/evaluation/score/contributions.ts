import type { EvaluationPass } from '../frame/frame.js';
import { GrowingFloat64, GrowingInt32 } from '../../arrays/index.js';

/**
 * The amounts that each protein adds to the sums at each threshold, as steps: step e of row r (stepStart[r] <= e < stepStart[r + 1])
 * holds at threshold at[e] and all lower ones. The highest threshold comes first; the first step of a row also adds the row to n if
 * `covers` is set. The steps suffice to recompute every metric for any multiset of proteins.
 */
export interface PassContributions {
  stepStart: Int32Array;
  at: Int32Array;
  /** Four adjacent numbers for each step: tp, fp, the change of TP / w(P), and the change of TP / w(T). float64 [steps x 4] */
  changes: Float64Array;
  /** w(T) of each row, and whether the row counts, covers and divides (see EvaluationPass). */
  truthWeight: Float64Array;
  counted: Uint8Array;
  covers: Uint8Array;
  divides: Uint8Array;
}

/** Collects contributions while a namespace is evaluated. Rows may come in any order, each once. */
export class ContributionRecorder {
  readonly #at = new GrowingInt32();
  readonly #changes = new GrowingFloat64();
  readonly #from: Int32Array;
  readonly #to: Int32Array;
  #opened = 0;
  #lastRow = -1;
  #isInOrder = true;

  /** @param rows the number of rows */
  constructor(rows: number) {
    this.#from = new Int32Array(rows);
    this.#to = new Int32Array(rows);
  }

  closeRow(row: number): void {
    this.#from[row] = this.#opened;
    this.#to[row] = this.#opened = this.#at.length;
    if (row < this.#lastRow) this.#isInOrder = false;
    this.#lastRow = row;
  }

  step(at: number, step: { tp: number; fp: number; precision: number; recall: number }): void {
    this.#at.push(at);
    this.#changes.push(step.tp);
    this.#changes.push(step.fp);
    this.#changes.push(step.precision);
    this.#changes.push(step.recall);
  }

  finish(pass: EvaluationPass): PassContributions {
    const { truthWeight, counted, covers, divides } = pass;
    const rows = this.#from.length;
    const stepStart = new Int32Array(rows + 1);
    for (let row = 0; row < rows; row++)
      stepStart[row + 1] = stepStart[row] + this.#to[row] - this.#from[row];
    return { stepStart, ...this.#steps(stepStart), truthWeight, counted, covers, divides };
  }

  /** Returns the steps in the order of the rows, so that a resample adds them in an order that the input does not change. */
  #steps(stepStart: Int32Array): { at: Int32Array; changes: Float64Array } {
    const [at, changes] = [this.#at.view(), this.#changes.view()];
    if (this.#isInOrder) return { at, changes };
    const ordered = { at: new Int32Array(at.length), changes: new Float64Array(changes.length) };
    for (let row = 0; row < this.#from.length; row++) {
      const [from, to] = [this.#from[row], this.#to[row]];
      ordered.at.set(at.subarray(from, to), stepStart[row]);
      ordered.changes.set(changes.subarray(from * 4, to * 4), stepStart[row] * 4);
    }
    return ordered;
  }
}
