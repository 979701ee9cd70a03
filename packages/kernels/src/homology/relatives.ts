import { alphabetSize } from '../alignment/index.js';
import { concatenateRows } from '../arrays/index.js';
import {
  bitScore,
  blastScoring,
  blastStatistics,
  logEValue,
  minimumScore,
  type SearchSpace,
} from './e-value.js';
import { lowComplexity } from './low-complexity.js';
import type { CandidateFinder, CandidateTable } from './relative-search.js';
import type { SeedIndex } from './seed-index.js';

export interface RelativeOptions {
  /** The maximum number of relatives of a query. */
  maxTargets: number;
  /** The decimal logarithm of the largest E-value. */
  maxLogEValue: number;
  /** The sequence that each query may not find; -1 if there is none: [queries]. @default none */
  excluded?: Int32Array;
  /** The minimum score of the five letters of a seed. @default 20 */
  minimumSeed?: number;
  isAborted?: () => boolean;
}

/**
 * The relatives by query, then by falling score; of equal scores the lower sequence number comes first. All columns have the same length.
 */
export interface RelativeTable {
  query: Int32Array;
  /** The number of the sequence in the index. */
  sequence: Int32Array;
  /** The score of the local alignment by BLOSUM62, where a gap of n residues costs 11 + n. */
  score: Int32Array;
  bits: Float32Array;
  /** The decimal logarithm of the E-value. */
  logEValue: Float32Array;
  /** The share of identical columns among the columns of the alignment, 0 to 1. */
  identity: Float32Array;
  /** The score divided by the score of the query against itself, 0 to 1. */
  normalisedScore: Float32Array;
  /** The share of the query's residues that the alignment pairs with a residue, and the same share of the sequence's residues: 0 to 1. */
  queryCoverage: Float32Array;
  sequenceCoverage: Float32Array;
}

export interface RelativeSearch {
  index: SeedIndex;
  finder: CandidateFinder;
}

/** The share of the score that the E-value requires, which a candidate must reach within its band. */
const bandShare = 0.65;
/**
 * The number of candidates to align for each requested relative. It is above 1, because the order within the band is not quite that of
 * the alignments.
 */
const candidatesPerTarget = 1.25;

/**
 * Finds the best relatives of each query by local alignment with BLAST's scoring. The choice of pairs and diagonals is heuristic (see
 * CandidateFinder); scores, identities and E-values are those of the best alignment of these pairs. The answer for a query does not
 * depend on the other queries.
 *
 * Empty queries have no relatives. The addon takes a few milliseconds for a protein against 25,000 others.
 * @param queries residue codes (encodeResidues)
 * @throws RangeError for a code that is not a letter; AbortError
 */
export function relativesBySeeds(
  search: RelativeSearch,
  queries: readonly Uint8Array[],
  options: RelativeOptions,
): RelativeTable {
  const { index, finder } = search;
  const space = searchSpaceOf(index);
  const limit = Math.ceil(options.maxTargets * candidatesPerTarget) + 8;
  const candidates = finder.find(
    {
      ...concatenateRows(queries),
      masked: concatenateRows(queries.map((query) => lowComplexity(query))).codes,
      excluded: options.excluded ?? new Int32Array(queries.length).fill(-1),
      minimumBand: Int32Array.from(queries, (query) => minimumInBand(query.length, space, options)),
    },
    {
      scoring: blastScoring,
      limit,
      minimumSeed: options.minimumSeed,
      isAborted: options.isAborted,
    },
  );
  const table = candidateRows(candidates, limit);
  const kept = chosen(table, queries, { ...options, space });
  return columns(kept, table, { queries, index, space });
}

/** Returns the size of the database that E-values refer to. */
export function searchSpaceOf({ start, space }: Pick<SeedIndex, 'start' | 'space'>): SearchSpace {
  if (space !== undefined) return space;
  const sequences = start.length - 1;
  return { residues: start[sequences] - start[0] - sequences, sequences };
}

function minimumInBand(length: number, space: SearchSpace, { maxLogEValue }: RelativeOptions): number {
  return Math.max(1, Math.ceil(bandShare * minimumScore(maxLogEValue, length, space, blastStatistics)));
}

/** The candidates of all queries, one after the other. */
interface CandidateRows {
  query: Int32Array;
  sequence: Int32Array;
  score: Int32Array;
  identical: Int32Array;
  gaps: Int32Array;
  length: Int32Array;
}

function candidateRows({ sequence, count, aligned }: CandidateTable, limit: number): CandidateRows {
  const rows = [...count].flatMap((found, q) => Array.from({ length: found }, (_, i) => q * limit + i));
  const column = (number: number): Int32Array => Int32Array.from(rows, (row) => aligned[row * 4 + number]);
  return {
    query: Int32Array.from(rows, (row) => Math.floor(row / limit)),
    sequence: Int32Array.from(rows, (row) => sequence[row]),
    score: column(0),
    identical: column(1),
    gaps: column(2),
    length: column(3),
  };
}

/** Returns the pairs within the E-value, the best of each query. */
function chosen(
  { query, sequence, score }: CandidateRows,
  queries: readonly Uint8Array[],
  { maxTargets, maxLogEValue, space }: RelativeOptions & { space: SearchSpace },
): number[] {
  const ofQuery = queries.map((): number[] => []);
  query.forEach((q, row) => {
    const expected = logEValue(score[row], queries[q].length, space, blastStatistics);
    if (expected <= maxLogEValue) ofQuery[q].push(row);
  });
  return ofQuery.flatMap((found) =>
    found.sort((a, b) => score[b] - score[a] || sequence[a] - sequence[b]).slice(0, maxTargets),
  );
}

function columns(
  kept: readonly number[],
  table: CandidateRows,
  { queries, index, space }: { queries: readonly Uint8Array[]; index: SeedIndex; space: SearchSpace },
): RelativeTable {
  const own = queries.map(selfScore);
  const column = (value: (row: number) => number): Float32Array => Float32Array.from(kept, value);
  const paired = (row: number): number => table.length[row] - table.gaps[row];
  const query = Int32Array.from(kept, (row) => table.query[row]);
  const sequence = Int32Array.from(kept, (row) => table.sequence[row]);
  const lengthOf = (s: number): number => index.start[s + 1] - 1 - index.start[s];
  return {
    query,
    sequence,
    score: Int32Array.from(kept, (row) => table.score[row]),
    bits: column((row) => bitScore(table.score[row], blastStatistics)),
    logEValue: column((row) =>
      logEValue(table.score[row], queries[table.query[row]].length, space, blastStatistics),
    ),
    identity: column((row) => table.identical[row] / Math.max(1, table.length[row])),
    normalisedScore: column((row) => Math.min(1, table.score[row] / Math.max(1, own[table.query[row]]))),
    queryCoverage: column((row) => paired(row) / queries[table.query[row]].length),
    sequenceCoverage: column((row) => paired(row) / lengthOf(table.sequence[row])),
  };
}

/** Returns the score of a sequence against itself without gaps. */
export function selfScore(codes: Uint8Array): number {
  return codes.reduce((sum, code) => sum + blastScoring.matrix[code * alphabetSize + code], 0);
}
