import type { CalibrationCurve, CalibrationPoints } from '@kindred/kernels/calibration';
import type { ComputeTask } from './pool.js';

/** A curve, and its test on proteins that curves of the others have not seen. */
export interface FittedCurve {
  curve: CalibrationCurve;
  test: {
    predictions: number;
    /** Expected calibration error, over all predictions and over those said to be at least 10 % right. */
    error: number;
    errorFrom10: number;
    /** Said to be at least 80 % right, and how many of them are. */
    claimed: number;
    claimedRight: number;
    isCalibrated: boolean;
    isSure: boolean;
  };
}

export const fitCurveTask: ComputeTask<CalibrationPoints, FittedCurve | null> = {
  module: 'calibration',
  export: 'fitCurve',
};
