import type { NamespaceFrame } from '../frame/frame.js';
import type { PredictionCells } from './cell-list.js';
import { groupByRow } from '../frame/closure.js';
import { ExactSum } from '../../arrays/index.js';

/** The predictions with a score in [low, high); the last bin also includes 1. */
export interface ReliabilityBin {
  low: number;
  high: number;
  predictions: number;
  /** The number of distinct proteins with a prediction in the bin. */
  proteins: number;
  /** The mean score; null where the bin is empty. */
  mean_score: number | null;
  share_right: number | null;
}

/** How well scores agree with the share of right predictions when they are read as probabilities. */
export interface Reliability {
  predictions: number;
  /** The expected calibration error: |mean score - share right| averaged over the predictions; null without any. */
  ece: number | null;
  bins: ReliabilityBin[];
}

/**
 * Computes the reliability diagram of one namespace from cells of whole rows. A prediction counts once, with its maximum score and without
 * propagation, if it can be judged: the protein counts, the term is evaluated and was not known before. A prediction is right if its term
 * is in the propagated truth. Bins have equal width. The cost is linear in predictions and truth; the order of rows changes nothing.
 * @cite Naeini2015
 */
export class ReliabilityCounter {
  readonly #frame: NamespaceFrame;
  readonly #bins: { predictions: number; proteins: number; score: ExactSum; right: number; row: number }[];
  readonly #trueIn: Int32Array;
  readonly #knownIn: Int32Array;
  #isAboveOne = false;

  /** @param binCount default 10 */
  constructor(frame: NamespaceFrame, binCount = 10) {
    this.#frame = frame;
    this.#bins = Array.from({ length: binCount }, () => ({
      predictions: 0,
      proteins: 0,
      score: new ExactSum(),
      right: 0,
      row: -1,
    }));
    this.#trueIn = new Int32Array(frame.namespace.size).fill(-1);
    this.#knownIn = new Int32Array(frame.namespace.size).fill(-1);
  }

  /** Adds cells; all cells of a row come in one call. */
  add(cells: PredictionCells): void {
    this.#isAboveOne ||= cells.scores.some((score) => score > 1);
    if (this.#isAboveOne) return;
    const { rowCount, unweighted } = this.#frame;
    const { start, order } = groupByRow(rowCount, cells.rows);
    for (let row = 0; row < rowCount; row++) {
      if (start[row] < start[row + 1] && unweighted.counted[row])
        this.#addRow(row, order.subarray(start[row], start[row + 1]), cells);
    }
  }

  #addRow(row: number, places: Int32Array, cells: PredictionCells): void {
    const { truth, known, unweighted } = this.#frame;
    const [bins, trueIn, knownIn] = [this.#bins, this.#trueIn, this.#knownIn];
    for (let i = truth.start[row]; i < truth.start[row + 1]; i++) trueIn[truth.terms[i]] = row;
    if (known) for (let i = known.start[row]; i < known.start[row + 1]; i++) knownIn[known.terms[i]] = row;
    const best = new Map<number, number>();
    for (const cell of places) {
      const term = cells.terms[cell];
      if (unweighted.weights[term] === 0 || knownIn[term] === row) continue;
      best.set(term, Math.max(best.get(term) ?? 0, cells.scores[cell]));
    }
    for (const [term, score] of best) {
      const bin = bins[Math.min(bins.length - 1, Math.floor(score * bins.length))];
      bin.predictions++;
      bin.score.add(score);
      if (trueIn[term] === row) bin.right++;
      if (bin.row !== row) bin.proteins++;
      bin.row = row;
    }
  }

  /** @returns null if a score is above 1, since such scores are not probabilities */
  value(): Reliability | null {
    if (this.#isAboveOne) return null;
    const bins = this.#bins.map(({ score, ...bin }) => ({ ...bin, score: score.value }));
    const predictions = bins.reduce((sum, bin) => sum + bin.predictions, 0);
    const error = bins.reduce((sum, { score, right }) => sum + Math.abs(score - right), 0);
    return {
      predictions,
      ece: predictions === 0 ? null : error / predictions,
      bins: bins.map(({ predictions: count, proteins, score, right }, b) => ({
        low: b / bins.length,
        high: (b + 1) / bins.length,
        predictions: count,
        proteins,
        mean_score: count === 0 ? null : score / count,
        share_right: count === 0 ? null : right / count,
      })),
    };
  }
}
