import {
  type CalibrationCurve,
  type CalibrationPoints,
  calibrationCurve,
  crossFitted,
  leastProteins,
  verdictOf,
} from '@kindred/kernels/calibration';
import { task } from '../../../ground/pool/pool.js';

/** The test of a curve uses proteins that the other parts' curves have not seen. */
export interface FittedCurve {
  curve: CalibrationCurve;
  test: {
    predictions: number;
    /**
     * The expected calibration error covers all predictions; `errorFrom10` covers those with a probability of
     * at least 10 %.
     */
    error: number;
    errorFrom10: number;
    /** The number of predictions with a probability of at least 80 %, and how many of them are right. */
    claimed: number;
    claimedRight: number;
    isCalibrated: boolean;
    isSure: boolean;
  };
}

/** Returns null if the points come from fewer proteins than a bin needs. */
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
