import { Random } from '../arrays/index.js';
import { binLookup, calibrationCurve, type CalibrationPoints } from './calibration-curve.js';

/** The test that a curve must pass, on proteins that it has not seen, before its probabilities are shown. */
export const calibrationRule = {
  /** From this probability on, at least `minRight` of the predictions must be right. */
  sure: 0.8,
  minRight: 0.75,
  /**
   * The largest expected calibration error that is allowed, over all predictions and over those with a probability of at least 10 %. Most
   * predictions have less than 10 %; they are easy and would hide errors in the others.
   */
  largestError: 0.05,
} as const;

const binCount = 10;

/** Predictions with a probability and their outcome, in ten bins of equal width. */
export class CalibrationTally {
  /** Three values for each bin: predictions, the sum of their probabilities, and right predictions. */
  readonly count = new Float64Array(binCount);
  readonly said = new Float64Array(binCount);
  readonly right = new Float64Array(binCount);
  /** The number of predictions with a probability of at least `calibrationRule.sure`, and how many of them are right. */
  claimed = 0;
  claimedRight = 0;

  /** @param probability 0 to 1 */
  add(probability: number, isRight: boolean): void {
    const bin = Math.min(binCount - 1, Math.floor(probability * binCount));
    this.count[bin]++;
    this.said[bin] += probability;
    this.right[bin] += Number(isRight);
    if (probability < calibrationRule.sure) return;
    this.claimed++;
    this.claimedRight += Number(isRight);
  }

  get predictions(): number {
    return this.count.reduce((sum, count) => sum + count, 0);
  }

  /**
   * The expected calibration error: |mean probability - share right|, as the mean over the predictions of the bins from `firstBin` on; 0
   * without any.
   *
   * @cite Naeini2015
   */
  error(firstBin = 0): number {
    let all = 0;
    let off = 0;
    for (let bin = firstBin; bin < binCount; bin++) {
      all += this.count[bin];
      off += Math.abs(this.said[bin] - this.right[bin]);
    }
    return all === 0 ? 0 : off / all;
  }
}

/** The result of the test: whether probabilities are shown at all, and whether those from `calibrationRule.sure` on are shown. */
export interface CalibrationVerdict {
  isCalibrated: boolean;
  isSure: boolean;
}

/** Judges a test. Without a prediction nothing is allowed, and without a sure prediction no sure one. */
export function verdictOf(test: CalibrationTally): CalibrationVerdict {
  const { minRight, largestError } = calibrationRule;
  return {
    isCalibrated: test.predictions > 0 && Math.max(test.error(), test.error(1)) <= largestError,
    isSure: test.claimed > 0 && test.claimedRight >= minRight * test.claimed,
  };
}

/**
 * Tests a curve by cross-validation: the proteins are distributed over folds at random, and the points of each fold get their probability
 * from a curve of the other folds. Points without one (too few proteins) are not counted. The cost is that of `folds` isotonic fits.
 *
 * @throws RangeError for fewer than 2 folds, or fewer proteins than folds
 */
export function crossFitted(
  points: CalibrationPoints,
  { folds = 5, seed = 1, signal }: { folds?: number; seed?: number; signal?: AbortSignal } = {},
): CalibrationTally {
  const proteins = [...new Set(points.protein)].sort((a, b) => a - b);
  if (!(Number.isInteger(folds) && folds >= 2) || proteins.length < folds)
    throw new RangeError(
      `${folds} folds of ${proteins.length} proteins: expected 2 folds or more, no empty one`,
    );
  const random = new Random(seed);
  for (let i = proteins.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [proteins[i], proteins[j]] = [proteins[j], proteins[i]];
  }
  const foldOf = new Map(proteins.map((protein, i) => [protein, i % folds]));
  const tally = new CalibrationTally();
  for (let fold = 0; fold < folds; fold++) {
    signal?.throwIfAborted();
    const isIn = (i: number): boolean => foldOf.get(points.protein[i]) === fold;
    const others = Array.from(points.score.keys()).filter((i) => !isIn(i));
    const { bins } = calibrationCurve(
      {
        score: Float64Array.from(others, (i) => points.score[i]),
        isRight: Uint8Array.from(others, (i) => points.isRight[i]),
        protein: Int32Array.from(others, (i) => points.protein[i]),
      },
      { resamples: 1 },
    );
    const binOf = binLookup(bins.map(({ low }) => low));
    for (let i = 0; i < points.score.length; i++) {
      if (!isIn(i)) continue;
      const { probability } = bins[binOf(points.score[i])];
      if (probability !== null) tally.add(probability, points.isRight[i] === 1);
    }
  }
  return tally;
}
