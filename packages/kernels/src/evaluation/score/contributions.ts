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

/** Collects contributions while a namespace is evaluated. Rows must come in order. */
export class ContributionRecorder {
  readonly #stepStart = new GrowingInt32();
  readonly #at = new GrowingInt32();
  readonly #changes = new GrowingFloat64();

  constructor() {
    this.#stepStart.push(0);
  }

  closeRow(): void {
    this.#stepStart.push(this.#at.length);
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
    return {
      stepStart: this.#stepStart.finish(),
      at: this.#at.finish(),
      changes: this.#changes.finish(),
      truthWeight,
      counted,
      covers,
      divides,
    };
  }
}
