import type { CalibrationCurve, CalibrationPoints } from '@kindred/kernels/calibration';
import type { ComputeTask } from '../../ground/pool/pool.js';

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

export const fitCurveTask: ComputeTask<CalibrationPoints, FittedCurve | null> = {
  file: new URL('./tasks/calibration.js', import.meta.url),
  export: 'fitCurve',
};
