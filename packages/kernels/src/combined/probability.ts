import { lastAtOrBelow, leastProteins } from '../calibration/index.js';

/** A range of scores and what it means. Null where too few proteins stand behind it. */
export interface ProbabilityBin {
  score_from: number;
  score_to: number;
  /** Share of the predictions in the range that experiments found by the later date, 0 to 1. */
  probability: number | null;
  low: number | null;
  high: number | null;
  proteins: number;
}

/** What the scores of a method mean for terms of one aspect, of proteins of which so much is known. */
export interface ProbabilityCurve {
  method: string;
  /** What it was fitted for; null for curves that are shipped. */
  reference: string | null;
  aspect: string;
  known: 'nothing' | 'other aspects' | 'same aspect';
  /** By ascending score; probabilities ascend. */
  bins: ProbabilityBin[];
  windows: string[];
  /** Superkingdoms of the windows' organisms. */
  kingdoms: string[];
}

export interface AskedScore {
  aspect: string;
  known: ProbabilityCurve['known'];
  /** Superkingdom of the query (`Bacteria`, ...); null where it is unknown. */
  kingdom: string | null;
  score: number;
}

/**
 * The bin that says what a score means, or null: not calibrated. So it is without a curve for the aspect and what is known, where no
 * window of the query's kingdom is in the curve, where the kingdom is unknown, and where fewer than 100 proteins stand behind the
 * bin. Between two bins the lower one counts; beyond the ends the first or last.
 */
export function probabilityOf(
  curves: readonly ProbabilityCurve[],
  { aspect, known, kingdom, score }: AskedScore,
): (ProbabilityBin & { probability: number }) | null {
  const curve = curves.find((one) => one.aspect === aspect && one.known === known);
  if (curve === undefined || kingdom === null || !curve.kingdoms.includes(kingdom)) return null;
  const from = curve.bins.map(({ score_from }) => score_from);
  const bin = curve.bins[Math.max(0, lastAtOrBelow(from, score))];
  if (bin === undefined || bin.probability === null || bin.proteins < leastProteins) return null;
  return { ...bin, probability: bin.probability };
}
