import { type AlignmentScoring, blosum62, defaultScoring } from '../alignment/index.js';

/** The constants of gapped local alignment scores, which were measured by simulation and published with BLAST for BLOSUM62. */
export interface GappedStatistics {
  lambda: number;
  k: number;
  alpha: number;
  beta: number;
}

/** BLAST's own costs: BLOSUM62, where a gap of n residues costs 11 + n. */
export const blastScoring: AlignmentScoring = { matrix: blosum62, gapOpen: 12, gapExtend: 1 };
export const blastStatistics: GappedStatistics = { lambda: 0.267, k: 0.041, alpha: 1.9, beta: -30 };
/** The statistics of `defaultScoring`: BLOSUM62, where a gap of n residues costs 9 + n. */
export const defaultStatistics: GappedStatistics = { lambda: 0.206, k: 0.01, alpha: 4, beta: -87 };

/** Returns the statistics of a scoring. @throws RangeError for a scoring whose constants are not known */
export function statisticsOf(scoring: AlignmentScoring): GappedStatistics {
  const is = (known: AlignmentScoring): boolean =>
    scoring.matrix === known.matrix &&
    scoring.gapOpen === known.gapOpen &&
    scoring.gapExtend === known.gapExtend;
  if (is(blastScoring)) return blastStatistics;
  if (is(defaultScoring)) return defaultStatistics;
  throw new RangeError('the statistics of this scoring are not known');
}

/** Turns a gapped local score into bits. @cite Altschul1997 */
export function bitScore(score: number, { lambda, k }: GappedStatistics): number {
  return (lambda * score - Math.log(k)) / Math.LN2;
}

/** The size of the set of sequences that was searched. E-values refer to it. */
export interface SearchSpace {
  /** The number of residues of all references. */
  residues: number;
  sequences: number;
}

/**
 * Computes the expected number of alignments of at least this score in a search among unrelated sequences, as a decimal logarithm:
 * log10(K m' n') - lambda S / ln 10, where the lengths of query and references are each reduced by the expected length of a chance
 * alignment.
 *
 * @param score of a gapped local alignment with the scoring of `statistics`
 * @returns any number; smaller means more surprising, and -3 is BLAST's usual limit of 0.001
 * @cite Altschul1997
 */
export function logEValue(
  score: number,
  queryLength: number,
  space: SearchSpace,
  statistics: GappedStatistics,
): number {
  const { lambda, k } = statistics;
  const taken = lengthAdjustment(queryLength, space, statistics);
  const m = Math.max(1, queryLength - taken);
  const n = Math.max(1, space.residues - space.sequences * taken);
  return (Math.log(k * m * n) - lambda * score) / Math.LN10;
}

/** Returns the smallest whole score whose E-value is at most 10^maxLogEValue; see logEValue. */
export function minimumScore(
  maxLogEValue: number,
  queryLength: number,
  space: SearchSpace,
  statistics: GappedStatistics,
): number {
  const perUnit = statistics.lambda / Math.LN10;
  const score = Math.ceil((logEValue(0, queryLength, space, statistics) - maxLogEValue) / perUnit);
  // The division and the E-value may round differently by one unit, so the neighbours are tried, too.
  const fits = (whole: number): boolean => logEValue(whole, queryLength, space, statistics) <= maxLogEValue;
  if (!fits(score)) return score + 1;
  return fits(score - 1) ? score - 1 : score;
}

/** Finds the length l with l = alpha / lambda * ln(K (m - l)(n - N l)) + beta by damped iteration; it is never below 0. */
function lengthAdjustment(
  queryLength: number,
  { residues, sequences }: SearchSpace,
  { lambda, k, alpha, beta }: GappedStatistics,
): number {
  let length = 0;
  for (let i = 0; i < 20; i++) {
    const m = Math.max(1, queryLength - length);
    const n = Math.max(1, residues - sequences * length);
    const next = Math.max(0, (alpha / lambda) * Math.log(k * m * n) + beta);
    if (Math.abs(next - length) < 0.5) break;
    length = (length + next) / 2;
  }
  return Math.floor(length);
}
