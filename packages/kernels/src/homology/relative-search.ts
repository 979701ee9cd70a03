import type { AlignmentScoring } from '../alignment/index.js';

/** The queries of a search for candidates, one after the other. */
export interface CandidateQueries {
  /** The residue codes of all queries. */
  codes: Uint8Array;
  /** The start of each query, and the end of the last: query q is codes[start[q] .. start[q + 1]). [queries + 1] */
  start: Int32Array;
  /** The value is 1 where a residue belongs to a stretch of low complexity. A seed never consists of such residues only. [residues] */
  masked: Uint8Array;
  /** The sequence that each query may not find; -1 if there is none: [queries]. */
  excluded: Int32Array;
  /** The minimum score within the band for each query, at least 1: [queries]. */
  minimumBand: Int32Array;
}

export interface CandidateOptions {
  scoring: AlignmentScoring;
  /** The maximum number of candidates of a query. */
  limit: number;
  /** The minimum score of the five letters of a seed. @default 20 */
  minimumSeed?: number;
  /** The minimum score of the window around a seed, 1 to 126. @default 40 */
  minimumWindow?: number;
  /** A function that is called before each query; when it returns true, the call ends with an AbortError. */
  isAborted?: () => boolean;
}

/**
 * The candidates: those of query q are the rows q * limit .. q * limit + count[q], by falling score; of equal scores the lower number
 * comes first.
 */
export interface CandidateTable {
  sequence: Int32Array;
  /** The best gapped score within the band. */
  score: Int32Array;
  count: Int32Array;
  /** The facts of each row's alignment: score, identical columns, columns with a gap, and all columns. [rows x 4] */
  aligned: Int32Array;
}

/**
 * Finds which indexed sequences may be relatives of queries. All implementations give the same table:
 *
 * 1. Seeds: every word of the index whose five letters score at least `minimumSeed` against the query's letters at
 *    `seedOffsets` from a position, unless all five of these are masked. The index has no words of low complexity either.
 * 2. Windows: the score of a seed is the best sum of letter scores over a segment of its diagonal that contains its
 *    first residue and reaches at most 20 residues before and 27 after that, in saturating 8-bit sums; a window that
 *    reaches 127 has the score of the best segment of the whole diagonal instead. Each sequence keeps its best diagonal
 *    (of equal ones the lowest) if that reaches `minimumWindow`.
 * 3. Bands: the Smith-Waterman score on the 25 diagonals around that one, at most 65,535. The best candidates by it are kept.
 * 4. Alignments: the best local alignment on the 129 diagonals around that one, chosen among equal ones as `alignPlain`
 *    chooses. Its running score is at most 65,535; of a longer one the last part is counted.
 *
 * @cite Ma2002
 * @cite Altschul1990
 * @cite Rognes2011
 */
export interface CandidateFinder {
  find(queries: CandidateQueries, options: CandidateOptions): CandidateTable;
}

/** The numbers of residues of a window before the seed's first residue, and from that residue on. */
export const windowLeft = 20;
export const windowRight = 28;
/** The number of diagonals on either side of the band's middle. */
export const bandRadius = 12;
/**
 * The half width of the band of the alignment. It leaves room for gaps of 64 residues in either sequence; with BLAST's costs most gaps
 * are shorter.
 */
export const alignmentRadius = 64;
/**
 * The value was chosen on 300 proteins of five organisms against 19,724 (blastp's hits, by E-value). From 20 on, the search is at least
 * as sensitive as DIAMOND's very sensitive mode in each class, and takes half of the time of 18. docs/explanation/performance.md has the
 * shares.
 */
export const defaultMinimumSeed = 20;
export const defaultMinimumWindow = 40;

/** @throws RangeError for invalid queries or options */
export function checkCandidateQueries(queries: CandidateQueries, options: CandidateOptions): void {
  const { codes, start, masked, excluded, minimumBand } = queries;
  const count = start.length - 1;
  if (count < 0 || start[0] !== 0 || start[count] !== codes.length || masked.length !== codes.length)
    throw new RangeError('the starts of the queries do not fit their letters');
  if (excluded.length !== count || minimumBand.length !== count)
    throw new RangeError(
      `${count} queries, but ${excluded.length} exclusions and ${minimumBand.length} minima`,
    );
  if (minimumBand.some((minimum) => minimum < 1)) throw new RangeError('a least score in the band below 1');
  const { limit, minimumSeed = defaultMinimumSeed, minimumWindow = defaultMinimumWindow } = options;
  if (!(Number.isInteger(limit) && limit >= 1)) throw new RangeError(`limit ${limit}: expected at least 1`);
  if (!Number.isInteger(minimumSeed) || Math.abs(minimumSeed) > 100)
    throw new RangeError(`minimum score of a seed ${minimumSeed}: expected -100 to 100`);
  if (!(Number.isInteger(minimumWindow) && minimumWindow >= 1 && minimumWindow <= 126))
    throw new RangeError(`minimum score of a window ${minimumWindow}: expected 1 to 126`);
}
