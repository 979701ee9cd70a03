import { ContributionRecorder, type PassContributions } from './contributions.js';
import { ExactSum } from '../../arrays/index.js';
import { ThresholdSums } from './threshold-sums.js';
import type { EvaluationPass } from '../frame/frame.js';

/** Sums over proteins at each threshold, not normalised: float64, one entry for each threshold. */
export interface ThresholdTotals {
  n: Float64Array;
  tp: Float64Array;
  fp: Float64Array;
  fn: Float64Array;
  precision: Float64Array;
  recall: Float64Array;
  /** The number of proteins to divide by, N. */
  divisor: number;
}

/**
 * Adds up one pass. For each protein, call `add` for the cells of a level, `closeLevel` after each level (falling), and `closeRow` at the
 * end; proteins come in any order. The cost of a protein is its cells plus the thresholds at which its sums change, so a finer grid costs
 * almost nothing.
 */
export class PassAccumulator {
  readonly weights: Float64Array;
  readonly #pass: EvaluationPass;
  readonly #size: number;
  readonly #n: Float64Array;
  readonly #tp: ThresholdSums;
  readonly #fp: ThresholdSums;
  readonly #fn: ThresholdSums;
  readonly #precision: ThresholdSums;
  readonly #recall: ThresholdSums;
  readonly #recorder: ContributionRecorder | null;
  // Sums of the current protein: the weight found and wrong so far, and the part that the totals already include.
  readonly #found = new ExactSum();
  readonly #wrong = new ExactSum();
  #foundBefore = 0;
  #wrongBefore = 0;
  #precisionBefore = 0;
  #recallBefore = 0;

  /** @param thresholds number of thresholds */
  constructor(pass: EvaluationPass, thresholds: number, record: boolean) {
    this.#pass = pass;
    this.weights = pass.weights;
    this.#size = thresholds;
    this.#n = new Float64Array(thresholds);
    // One extra entry above the grid holds the state before any prediction, where all true terms are missing.
    const sums = (): ThresholdSums => new ThresholdSums(thresholds + 1);
    this.#tp = sums();
    this.#fp = sums();
    this.#fn = sums();
    this.#precision = sums();
    this.#recall = sums();
    this.#recorder = record ? new ContributionRecorder(pass.counted.length) : null;
  }

  add(term: number, isTrue: boolean): void {
    (isTrue ? this.#found : this.#wrong).add(this.weights[term]);
  }

  /** @param at index of the highest threshold at which the cells added since the last call count as predicted */
  closeLevel(row: number, at: number): void {
    const pass = this.#pass;
    const found = this.#found.value;
    const wrong = this.#wrong.value;
    const tp = found - this.#foundBefore;
    const fp = wrong - this.#wrongBefore;
    if ((tp === 0 && fp === 0) || !pass.counted[row]) return;
    if (pass.covers[row] && this.#foundBefore + this.#wrongBefore === 0) this.#n[at]++;
    const precision = found / (found + wrong);
    const recall = pass.truthWeight[row] > 0 ? found / pass.truthWeight[row] : 0;
    this.#tp.replace(at, this.#foundBefore, found);
    this.#fp.replace(at, this.#wrongBefore, wrong);
    this.#fn.replace(at, found, this.#foundBefore);
    this.#precision.replace(at, this.#precisionBefore, precision);
    this.#recall.replace(at, this.#recallBefore, recall);
    this.#recorder?.step(at, {
      tp,
      fp,
      precision: precision - this.#precisionBefore,
      recall: recall - this.#recallBefore,
    });
    this.#foundBefore = found;
    this.#wrongBefore = wrong;
    this.#precisionBefore = precision;
    this.#recallBefore = recall;
  }

  closeRow(row: number): void {
    if (this.#pass.counted[row]) this.#fn.replace(this.#size, 0, this.#pass.truthWeight[row]);
    this.#recorder?.closeRow(row);
    this.#found.clear();
    this.#wrong.clear();
    this.#foundBefore = this.#wrongBefore = 0;
    this.#precisionBefore = this.#recallBefore = 0;
  }

  totals(): ThresholdTotals {
    const n = this.#n.slice();
    for (let k = this.#size - 2; k >= 0; k--) n[k] += n[k + 1];
    const sum = (sums: ThresholdSums): Float64Array => sums.fromAbove(this.#size);
    return {
      n,
      tp: sum(this.#tp),
      fp: sum(this.#fp),
      fn: sum(this.#fn).map((value) => Math.max(0, value)),
      precision: sum(this.#precision),
      recall: sum(this.#recall),
      divisor: this.#pass.divisor,
    };
  }

  contributions(): PassContributions | null {
    return this.#recorder?.finish(this.#pass) ?? null;
  }
}
