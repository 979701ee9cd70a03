/** When probabilities may be shown, as the pages say it. */
export { calibrationRule } from '@kindred/kernels/calibration';
