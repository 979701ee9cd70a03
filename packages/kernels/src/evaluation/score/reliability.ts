import type { NamespaceFrame } from '../frame/frame.js';
import type { PredictionCells } from './cell-list.js';
import { groupByRow } from '../frame/closure.js';

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
 * Computes the reliability diagram of one namespace. A prediction counts once, with its maximum score and without propagation, if it can
 * be judged: the protein counts, the term is evaluated and was not known before. A prediction is right if its term is in the propagated
 * truth. Bins have equal width. The cost is linear in predictions and truth.
 *
 * @param binCount default 10
 * @returns null if a score is above 1, since such scores are not probabilities
 * @cite Naeini2015
 */
export function reliabilityOf(
  frame: NamespaceFrame,
  cells: PredictionCells,
  binCount = 10,
): Reliability | null {
  if (cells.scores.some((score) => score > 1)) return null;
  const { truth, known, unweighted, rowCount, namespace } = frame;
  const bins = Array.from({ length: binCount }, () => ({
    predictions: 0,
    proteins: 0,
    score: 0,
    right: 0,
    row: -1,
  }));
  const trueIn = new Int32Array(namespace.size).fill(-1);
  const knownIn = new Int32Array(namespace.size).fill(-1);
  const { start, order } = groupByRow(rowCount, cells.rows);
  for (let row = 0; row < rowCount; row++) {
    if (!unweighted.counted[row]) continue;
    for (let i = truth.start[row]; i < truth.start[row + 1]; i++) trueIn[truth.terms[i]] = row;
    if (known) for (let i = known.start[row]; i < known.start[row + 1]; i++) knownIn[known.terms[i]] = row;
    const best = new Map<number, number>();
    for (const cell of order.subarray(start[row], start[row + 1])) {
      const term = cells.terms[cell];
      if (unweighted.weights[term] === 0 || knownIn[term] === row) continue;
      best.set(term, Math.max(best.get(term) ?? 0, cells.scores[cell]));
    }
    for (const [term, score] of best) {
      const bin = bins[Math.min(binCount - 1, Math.floor(score * binCount))];
      bin.predictions++;
      bin.score += score;
      if (trueIn[term] === row) bin.right++;
      if (bin.row !== row) bin.proteins++;
      bin.row = row;
    }
  }
  const predictions = bins.reduce((sum, bin) => sum + bin.predictions, 0);
  const error = bins.reduce((sum, { score, right }) => sum + Math.abs(score - right), 0);
  return {
    predictions,
    ece: predictions === 0 ? null : error / predictions,
    bins: bins.map(({ predictions: count, proteins, score, right }, b) => ({
      low: b / binCount,
      high: (b + 1) / binCount,
      predictions: count,
      proteins,
      mean_score: count === 0 ? null : score / count,
      share_right: count === 0 ? null : right / count,
    })),
  };
}
