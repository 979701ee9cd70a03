import { ContributionRecorder, type PassContributions } from './contributions.js';
import { ThresholdSums } from './exact-sum.js';
import type { EvaluationPass } from './frame.js';

/** Sums over proteins at each threshold, not normalised. float64, one entry per threshold */
export interface ThresholdTotals {
  n: Float64Array;
  tp: Float64Array;
  fp: Float64Array;
  fn: Float64Array;
  precision: Float64Array;
  recall: Float64Array;
  /** N */
  divisor: number;
}

/**
 * Adds up one pass. Per protein: `add` for each evaluated cell, then `closeRow`. A protein costs its cells plus the
 * thresholds at which it changes, so a finer grid costs almost nothing.
 */
export class PassAccumulator {
  readonly weights: Float64Array;
  private readonly pass: EvaluationPass;
  private readonly size: number;
  private readonly n: Float64Array;
  private readonly tp: ThresholdSums;
  private readonly fp: ThresholdSums;
  private readonly fn: ThresholdSums;
  private readonly precision: ThresholdSums;
  private readonly recall: ThresholdSums;
  /** Of the open protein: weight of true and false terms whose highest threshold is k, and the k that occur. */
  private readonly trueAt: Float64Array;
  private readonly falseAt: Float64Array;
  private readonly occurring: Int32Array;
  private occurs = 0;
  private readonly recorder: ContributionRecorder | null;

  /** @param thresholds number of thresholds */
  constructor(pass: EvaluationPass, thresholds: number, record: boolean) {
    this.pass = pass;
    this.weights = pass.weights;
    this.size = thresholds;
    this.n = new Float64Array(thresholds + 1);
    // One place above the grid holds what is there before any prediction: the whole truth.
    const sums = (): ThresholdSums => new ThresholdSums(thresholds + 1);
    this.tp = sums();
    this.fp = sums();
    this.fn = sums();
    this.precision = sums();
    this.recall = sums();
    this.trueAt = new Float64Array(thresholds);
    this.falseAt = new Float64Array(thresholds);
    this.occurring = new Int32Array(thresholds);
    this.recorder = record ? new ContributionRecorder() : null;
  }

  /** @param at index of the highest threshold at which the term is predicted */
  add(at: number, weight: number, isTrue: boolean): void {
    if (this.trueAt[at] === 0 && this.falseAt[at] === 0) this.occurring[this.occurs++] = at;
    if (isTrue) this.trueAt[at] += weight;
    else this.falseAt[at] += weight;
  }

  closeRow(row: number): void {
    this.recorder?.openRow();
    const { pass } = this;
    if (pass.counted[row]) this.fn.add(this.size, pass.truthWeight[row]);
    if (this.occurs === 0) return;
    const occurring = this.occurring.subarray(0, this.occurs).sort();
    if (pass.counted[row]) {
      if (pass.covers[row]) this.n[occurring[this.occurs - 1]]++;
      this.walk(occurring, pass.truthWeight[row]);
    }
    for (const at of occurring) this.trueAt[at] = this.falseAt[at] = 0;
    this.occurs = 0;
  }

  /** From the highest threshold down: the predicted set grows, the ratios change. */
  private walk(occurring: Int32Array, truthWeight: number): void {
    let found = 0;
    let wrong = 0;
    let precision = 0;
    let recall = 0;
    for (let i = occurring.length - 1; i >= 0; i--) {
      const at = occurring[i];
      const tp = this.trueAt[at];
      const fp = this.falseAt[at];
      found += tp;
      wrong += fp;
      const newPrecision = found / (found + wrong);
      const newRecall = truthWeight > 0 ? found / truthWeight : 0;
      this.tp.add(at, tp);
      this.fp.add(at, fp);
      this.fn.add(at, -tp);
      this.precision.add(at, newPrecision);
      this.precision.add(at, -precision);
      this.recall.add(at, newRecall);
      this.recall.add(at, -recall);
      this.recorder?.step(at, { tp, fp, precision: newPrecision - precision, recall: newRecall - recall });
      precision = newPrecision;
      recall = newRecall;
    }
  }

  totals(): ThresholdTotals {
    const n = this.n.slice(0, this.size);
    for (let k = this.size - 2; k >= 0; k--) n[k] += n[k + 1];
    const sum = (sums: ThresholdSums): Float64Array => sums.fromAbove(this.size);
    return {
      n,
      tp: sum(this.tp),
      fp: sum(this.fp),
      fn: sum(this.fn).map((value) => Math.max(0, value)),
      precision: sum(this.precision),
      recall: sum(this.recall),
      divisor: this.pass.divisor,
    };
  }

  contributions(): PassContributions | null {
    return this.recorder?.finish(this.pass) ?? null;
  }
}
