import {
  type CalibrationCurve,
  type CalibrationPoints,
  calibrationCurve,
  crossFitted,
  leastProteins,
  verdictOf,
} from '@kindred/kernels/calibration';
import { task } from '../../../ground/pool/pool.js';

/** A curve, and its test on proteins that curves of the others have not seen. */
export interface FittedCurve {
  curve: CalibrationCurve;
  test: {
    predictions: number;
    /** Expected calibration error, over all predictions and over those with a probability of at least 10 %. */
    error: number;
    errorFrom10: number;
    /** Predictions with a probability of at least 80 %, and how many of them are right. */
    claimed: number;
    claimedRight: number;
    isCalibrated: boolean;
    isSure: boolean;
  };
}

/** Null where fewer proteins than a bin needs are behind the points. */
function fitCurve(points: CalibrationPoints): FittedCurve | null {
  if (new Set(points.protein).size < leastProteins) return null;
  const tally = crossFitted(points);
  return {
    curve: calibrationCurve(points),
    test: {
      predictions: tally.predictions,
      error: tally.error(),
      errorFrom10: tally.error(1),
      claimed: tally.claimed,
      claimedRight: tally.claimedRight,
      ...verdictOf(tally),
    },
  };
}

export const fitCurveTask = task(import.meta.url, fitCurve);
