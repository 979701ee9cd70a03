import { binLookup, leastProteins } from '../calibration/index.js';

/** A range of scores and its probability, which is null if the range has too few proteins. */
export interface ProbabilityBin {
  score_from: number;
  score_to: number;
  /** The share of the predictions in the range that experiments found by the later date, 0 to 1. */
  probability: number | null;
  low: number | null;
  high: number | null;
  proteins: number;
}

/** A curve that turns the scores of a method into probabilities, for one aspect and proteins with the same amount of prior knowledge. */
export interface ProbabilityCurve {
  method: string;
  /** The reference that the curve was fitted for; null for curves that are shipped. */
  reference: string | null;
  aspect: string;
  known: 'nothing' | 'other aspects' | 'same aspect';
  /** The bins by ascending score; their probabilities ascend, too. */
  bins: ProbabilityBin[];
  windows: string[];
  /** The superkingdoms to which the curve applies: those of the windows' organisms that passed the test. */
  kingdoms: string[];
}

export interface AskedCurve {
  method: string;
  aspect: string;
  known: ProbabilityCurve['known'];
  /** The superkingdom of the query (`Bacteria`, ...); null where it is unknown. */
  kingdom: string | null;
}

/** A bin that has a probability, and the number of its curve. */
export type KnownProbability = ProbabilityBin & { probability: number; curve: number };

/** Returns the number of the curve that decides; -1 if there is none. */
function numberOfCurve(
  curves: readonly ProbabilityCurve[],
  { method, aspect, known, kingdom }: AskedCurve,
): number {
  if (kingdom === null) return -1;
  return curves.findIndex(
    (one) =>
      one.method === method && one.aspect === aspect && one.known === known && one.kingdoms.includes(kingdom),
  );
}

/** Returns the curve that `probabilitiesOf` reads. */
export function curveOf(
  curves: readonly ProbabilityCurve[],
  asked: AskedCurve,
): ProbabilityCurve | undefined {
  return curves[numberOfCurve(curves, asked)];
}

/**
 * Makes a lookup of the bin for a score, with the number of its curve. The result is null (not calibrated) without a curve for the
 * method, the aspect, what is known, and the query's kingdom; for an unknown kingdom; and for a bin with fewer than 100 proteins. The
 * first curve that fits all of these decides. Between two bins the lower one counts; beyond the ends the first or last.
 */
export function probabilitiesOf(
  curves: readonly ProbabilityCurve[],
  asked: AskedCurve,
): (score: number) => KnownProbability | null {
  const number = numberOfCurve(curves, asked);
  if (number < 0) return () => null;
  const { bins } = curves[number];
  const binOf = binLookup(bins.map(({ score_from }) => score_from));
  const meanings = bins.map((bin) =>
    bin.probability === null || bin.proteins < leastProteins
      ? null
      : { ...bin, probability: bin.probability, curve: number },
  );
  return (score) => meanings[binOf(score)] ?? null;
}
