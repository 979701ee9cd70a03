import { alphabetSize, type AlignmentTable, type PairAligner } from '../alignment/index.js';
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
  /** Relatives of a query. */
  maxTargets: number;
  /** log10 of the largest E-value. */
  maxLogEValue: number;
  /** The sequence that each query may not find, -1 for none: [queries]. @default none */
  excluded?: Int32Array;
  isAborted?: () => boolean;
}

/** Relatives by query, then by falling score, ties by number of the sequence. Columns of one length. */
export interface RelativeTable {
  query: Int32Array;
  /** Number in the index. */
  sequence: Int32Array;
  /** Of the local alignment, BLOSUM62, a gap of n costs 11 + n. */
  score: Int32Array;
  bits: Float32Array;
  /** log10 of the E-value. */
  logEValue: Float32Array;
  /** Identical columns over columns of the alignment, 0 to 1. */
  identity: Float32Array;
  /** Score over the score of the query against itself, 0 to 1. */
  normalisedScore: Float32Array;
  /** Residues of the query, and of the sequence, that the alignment pairs with a residue, over all of them: 0 to 1. */
  queryCoverage: Float32Array;
  sequenceCoverage: Float32Array;
}

export interface RelativeSearch {
  index: SeedIndex;
  finder: CandidateFinder;
  aligner: PairAligner;
}

/** Share of the score that an E-value needs which a candidate must reach within its band. */
const bandShare = 0.65;
/** Candidates aligned for each relative that is wanted: the order within the band is not quite that of the alignments. */
const candidatesPerTarget = 1.25;

/**
 * The best relatives of each query by local alignment with BLAST's scoring. Scores, identities and E-values are those of
 * the whole Smith-Waterman alignment of the pair; only which pairs are looked at is heuristic (see CandidateFinder).
 * The answer for a query does not depend on the other queries.
 *
 * Empty queries have no relatives. Cost: a few milliseconds of the addon for a protein against 25,000 others.
 * @param queries residue codes (encodeResidues)
 * @throws RangeError for a code that is not a letter; AbortError
 */
export function findRelatives(
  search: RelativeSearch,
  queries: readonly Uint8Array[],
  options: RelativeOptions,
): RelativeTable {
  const { index, finder } = search;
  const sequences = index.start.length - 1;
  const space = { residues: index.start[sequences] - index.start[0] - sequences, sequences };
  const limit = Math.ceil(options.maxTargets * candidatesPerTarget) + 8;
  const candidates = finder.find(
    {
      ...concatenateRows(queries),
      masked: concatenateRows(queries.map((query) => lowComplexity(query))).codes,
      excluded: options.excluded ?? new Int32Array(queries.length).fill(-1),
      minimumBand: Int32Array.from(queries, (query) => minimumInBand(query.length, space, options)),
    },
    { scoring: blastScoring, limit, isAborted: options.isAborted },
  );
  const pairs = candidatePairs(candidates, limit);
  const table = aligned(search, queries, pairs, options);
  const kept = chosen(table, pairs, queries, { ...options, space });
  return columns(kept, table, { queries, index, pairs, space });
}

function minimumInBand(length: number, space: SearchSpace, { maxLogEValue }: RelativeOptions): number {
  return Math.max(1, Math.ceil(bandShare * minimumScore(maxLogEValue, length, space, blastStatistics)));
}

interface Pairs {
  query: Int32Array;
  sequence: Int32Array;
}

function candidatePairs({ sequence, count }: CandidateTable, limit: number): Pairs {
  const total = count.reduce((sum, more) => sum + more, 0);
  const pairs = { query: new Int32Array(total), sequence: new Int32Array(total) };
  let at = 0;
  for (let q = 0; q < count.length; q++) {
    pairs.query.fill(q, at, at + count[q]);
    pairs.sequence.set(sequence.subarray(q * limit, q * limit + count[q]), at);
    at += count[q];
  }
  return pairs;
}

/** Aligns the pairs; the aligner gets each sequence that occurs once. */
function aligned(
  { index, aligner }: RelativeSearch,
  queries: readonly Uint8Array[],
  pairs: Pairs,
  { isAborted }: RelativeOptions,
): AlignmentTable {
  const sequences: Uint8Array[] = [];
  const numbered = (codes: Int32Array, codesOf: (number: number) => Uint8Array): Int32Array => {
    const position = new Map<number, number>();
    return codes.map((number) => {
      const known = position.get(number);
      if (known !== undefined) return known;
      position.set(number, sequences.length);
      return sequences.push(codesOf(number)) - 1;
    });
  };
  const query = numbered(pairs.query, (q) => queries[q]);
  const target = numbered(pairs.sequence, (s) =>
    index.codes.subarray(index.start[s], index.start[s + 1] - 1),
  );
  return aligner.align({ sequences, query, target }, { mode: 'local', scoring: blastScoring, isAborted });
}

/** Pairs within the E-value, of each query the best. */
function chosen(
  { score }: AlignmentTable,
  pairs: Pairs,
  queries: readonly Uint8Array[],
  { maxTargets, maxLogEValue, space }: RelativeOptions & { space: SearchSpace },
): number[] {
  const ofQuery = queries.map((): number[] => []);
  pairs.query.forEach((query, pair) => {
    const expected = logEValue(score[pair], queries[query].length, space, blastStatistics);
    if (expected <= maxLogEValue) ofQuery[query].push(pair);
  });
  return ofQuery.flatMap((found) =>
    found.sort((a, b) => score[b] - score[a] || pairs.sequence[a] - pairs.sequence[b]).slice(0, maxTargets),
  );
}

function columns(
  kept: readonly number[],
  table: AlignmentTable,
  {
    queries,
    index,
    pairs,
    space,
  }: { queries: readonly Uint8Array[]; index: SeedIndex; pairs: Pairs; space: SearchSpace },
): RelativeTable {
  const own = queries.map(selfScore);
  const column = (value: (pair: number) => number): Float32Array => Float32Array.from(kept, value);
  const paired = (pair: number): number => table.length[pair] - table.gaps[pair];
  const query = Int32Array.from(kept, (pair) => pairs.query[pair]);
  const sequence = Int32Array.from(kept, (pair) => pairs.sequence[pair]);
  const lengthOf = (s: number): number => index.start[s + 1] - 1 - index.start[s];
  return {
    query,
    sequence,
    score: Int32Array.from(kept, (pair) => table.score[pair]),
    bits: column((pair) => bitScore(table.score[pair], blastStatistics)),
    logEValue: column((pair) =>
      logEValue(table.score[pair], queries[pairs.query[pair]].length, space, blastStatistics),
    ),
    identity: column((pair) => table.identical[pair] / Math.max(1, table.length[pair])),
    normalisedScore: column((pair) => Math.min(1, table.score[pair] / Math.max(1, own[pairs.query[pair]]))),
    queryCoverage: column((pair) => paired(pair) / queries[pairs.query[pair]].length),
    sequenceCoverage: column((pair) => paired(pair) / lengthOf(pairs.sequence[pair])),
  };
}

/** Score of a sequence against itself without gaps. */
function selfScore(codes: Uint8Array): number {
  return codes.reduce((sum, code) => sum + blastScoring.matrix[code * alphabetSize + code], 0);
}
