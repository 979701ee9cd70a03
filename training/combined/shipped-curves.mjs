// The form of calibration curves and of their tests in models/combined.
import { calibrationRule } from '@kindred/kernels/calibration';

/** Returns the rows of a shipped curve. Probabilities from `calibrationRule.sure` on are left out unless the test allowed them. */
export function shippedBins(bins, isSure) {
  return bins.map(({ low, high, probability, interval, proteins }) => {
    const isShown = probability !== null && (isSure || probability < calibrationRule.sure);
    return {
      score_from: low,
      score_to: high,
      probability: isShown ? probability : null,
      low: isShown ? interval.low : null,
      high: isShown ? interval.high : null,
      proteins,
    };
  });
}

/** Returns the figures of a test, from which anybody can judge again what the curves may show. */
export function shippedFigures(tally) {
  return {
    predictions: tally.predictions,
    error: tally.error(),
    error_from_10: tally.error(1),
    claimed: tally.claimed,
    right: tally.claimedRight,
  };
}
