/** The rule for when probabilities may be shown, from which the pages take their sentence. */
export { calibrationRule } from '@kindred/kernels/calibration';
