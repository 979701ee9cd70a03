import {
  type CalibrationPoints,
  calibrationCurve,
  crossFitted,
  leastProteins,
  verdictOf,
} from '@kindred/kernels/calibration';
import type { FittedCurve } from '../calibration-tasks.js';

/** Null where fewer proteins than a bin needs are behind the points. */
export function fitCurve(points: CalibrationPoints): FittedCurve | null {
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
