import type { EvaluationPass } from './frame.js';
import { Float64Buffer, Int32Buffer } from './growing-list.js';

/**
 * What each protein adds to the sums at each threshold, as steps: step e of row r (stepStart[r] <= e < stepStart[r + 1])
 * holds at threshold at[e] and all lower ones. Highest threshold first; the first step of a row also makes it one of n
 * if `covers`. Enough to recompute every figure for any multiset of proteins.
 */
export interface PassContributions {
  stepStart: Int32Array;
  at: Int32Array;
  tp: Float64Array;
  fp: Float64Array;
  /** Change of TP / w(P). */
  precision: Float64Array;
  /** Change of TP / w(T). */
  recall: Float64Array;
  /** Per row: w(T), and whether the row counts, covers and divides (see EvaluationPass). */
  truthWeight: Float64Array;
  counted: Uint8Array;
  covers: Uint8Array;
  divides: Uint8Array;
}

/** Collects contributions while a namespace is evaluated; rows come in order. */
export class ContributionRecorder {
  private readonly stepStart = new Int32Buffer();
  private readonly at = new Int32Buffer();
  private readonly tp = new Float64Buffer();
  private readonly fp = new Float64Buffer();
  private readonly precision = new Float64Buffer();
  private readonly recall = new Float64Buffer();

  constructor() {
    this.stepStart.push(0);
  }

  closeRow(): void {
    this.stepStart.push(this.at.length);
  }

  step(at: number, step: { tp: number; fp: number; precision: number; recall: number }): void {
    this.at.push(at);
    this.tp.push(step.tp);
    this.fp.push(step.fp);
    this.precision.push(step.precision);
    this.recall.push(step.recall);
  }

  finish(pass: EvaluationPass): PassContributions {
    const { truthWeight, counted, covers, divides } = pass;
    return {
      stepStart: this.stepStart.view().slice(),
      at: this.at.view().slice(),
      tp: this.tp.view().slice(),
      fp: this.fp.view().slice(),
      precision: this.precision.view().slice(),
      recall: this.recall.view().slice(),
      truthWeight,
      counted,
      covers,
      divides,
    };
  }
}
