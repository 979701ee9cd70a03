import { encodeResidues, type PairAligner } from '@kindred/kernels/alignment';
import {
  blastScoring,
  blastStatistics,
  compositionCorrection,
  correctedLogEValue,
  findRelatives,
  logEValue,
  type RelativeSearch,
  type RelativeTable,
  type SeedIndex,
  searchSpaceOf,
} from '@kindred/kernels/homology';
import { checkRelatives, isDistantAt, withoutLowComplexity } from '@kindred/kernels/query-check';
import { createAligner } from '@kindred/native';
import { nativeKernels } from './native-kernels.js';

/**
 * The best relatives of a query are aligned in these turns before a second search, because the first relative
 * settles most queries. The numbers change the cost, not the answer.
 */
const checkedRelatives = [1, 7] as const;

/**
 * An alignment with an E-value below 10 to this power settles the question. Closer to the limit, the search
 * decides, because it sees less than the whole alignment: among 500 shuffled proteins, it found no relative
 * for 5 for which the alignment alone would have found one.
 */
const clearLogEValue = -8;

/** At most this many relatives of a refused query are aligned with the correction for composition. */
const correctedRelatives = 4;

let aligner: PairAligner | null = null;

export interface FoundRelatives {
  sequences: readonly string[];
  /** A query may not find this sequence of the index, -1 for none: [queries]. */
  excluded: Int32Array;
  /** The table has the relatives of the whole sequences, and `hits` the rows of each query, best first. */
  table: RelativeTable;
  hits: readonly (readonly number[])[];
  /** The first search stopped at an E-value of 10 to this power. */
  maxLogEValue: number;
  /** The answer of these queries depends on the result; the others count as having relatives. [queries] */
  asked: readonly boolean[];
}

/** A sequence of the index that is similar to the query, with the log10 of the E-value. */
export interface NearestSequence {
  sequence: number;
  logEValue: number;
}

/** A query without a relative may have a distant one. */
export interface Unlike {
  distant: NearestSequence | null;
}

/**
 * Finds queries without a relative, null for the others: an E-value of at most 0.001 once their low-complexity stretches are left
 * out, or once their residues score less where the residues around are like them. Leaving stretches out only
 * makes an alignment worse, so a query without relatives before needs no second look. For the others, aligning
 * the rest with a known relative usually decides; the remaining queries are searched again. Stretches of
 * membranes are of low complexity, too, so whom that refuses is aligned with its relatives once more, with the
 * correction for composition: it takes from a run of few letters what is similar by chance, and no more. A distant relative is looked for
 * in the same search that found no relative.
 */
export function withoutRelatives(
  { sequences, excluded, table, hits, maxLogEValue, asked }: FoundRelatives,
  search: RelativeSearch,
  isAborted: () => boolean,
): (Unlike | null)[] {
  const best = hits.map((rows) =>
    Math.min(Number.POSITIVE_INFINITY, ...rows.map((row) => table.logEValue[row])),
  );
  const nearest = hits.map(([row]) => (row === undefined ? null : nearestAt(table, row)));
  const plain = sequences.map((sequence, q) =>
    asked[q] && checkRelatives(best[q]) === null ? withoutLowComplexity(sequence) : sequence,
  );
  const changed = [...plain.keys()].filter((q) => plain[q] !== sequences[q]);
  const queries = changed.map((q) => encodeResidues(plain[q]));
  const known = bestAmongKnown(
    queries,
    changed.map((q) => hits[q].map((row) => table.sequence[row])),
    search.index,
    isAborted,
  );
  changed.forEach((q, i) => {
    best[q] = known[i] <= clearLogEValue ? known[i] : Number.POSITIVE_INFINITY;
    nearest[q] = null;
  });
  const open = [...changed.keys()].filter((i) => known[i] > clearLogEValue);
  const second = findRelatives(
    search,
    open.map((i) => queries[i]),
    {
      maxTargets: 1,
      maxLogEValue,
      excluded: Int32Array.from(open, (i) => excluded[changed[i]]),
      isAborted,
    },
  );
  second.query.forEach((place, hit) => {
    const q = changed[open[place]];
    best[q] = Math.min(best[q], second.logEValue[hit]);
    nearest[q] = nearestAt(second, hit);
  });
  for (const q of open.map((i) => changed[i])) {
    if (checkRelatives(best[q]) === null) continue;
    const relatives = hits[q].filter((row) => checkRelatives(table.logEValue[row]) === null);
    best[q] = bestCorrected(
      encodeResidues(sequences[q]),
      relatives.map((row) => table.sequence[row]),
      search.index,
      isAborted,
    );
  }
  return best.map((value, q) => {
    if (!asked[q] || checkRelatives(value) === null) return null;
    const distant = nearest[q];
    return { distant: distant !== null && isDistantAt(distant.logEValue) ? distant : null };
  });
}

function nearestAt({ sequence, logEValue }: RelativeTable, row: number): NearestSequence {
  return { sequence: sequence[row], logEValue: logEValue[row] };
}

/**
 * Gives the log10 of the smallest E-value of a query with its best relatives, corrected for composition, up to
 * the first that makes a relative.
 */
function bestCorrected(
  query: Uint8Array,
  relatives: readonly number[],
  index: SeedIndex,
  isAborted: () => boolean,
): number {
  const space = searchSpaceOf(index);
  const correction = compositionCorrection(query);
  let best = Number.POSITIVE_INFINITY;
  for (const target of relatives.slice(0, correctedRelatives)) {
    if (isAborted()) throw new DOMException('the prediction was cancelled', 'AbortError');
    const codes = index.codes.subarray(index.start[target], index.start[target + 1] - 1);
    best = Math.min(best, correctedLogEValue(query, codes, { correction, space }));
    if (checkRelatives(best) === null) break;
  }
  return best;
}

/**
 * Gives the log10 of the smallest E-value of each query with its named sequences of the index, up to the
 * first clear one.
 */
function bestAmongKnown(
  queries: readonly Uint8Array[],
  targets: readonly (readonly number[])[],
  index: SeedIndex,
  isAborted: () => boolean,
): number[] {
  aligner ??= createAligner(nativeKernels());
  const space = searchSpaceOf(index);
  const best = queries.map(() => Number.POSITIVE_INFINITY);
  let checked = 0;
  for (const count of checkedRelatives) {
    const open = [...queries.keys()].filter((query) => best[query] > clearLogEValue);
    const pairs = open.flatMap((query) =>
      targets[query].slice(checked, checked + count).map((target) => ({ query, target })),
    );
    checked += count;
    if (pairs.length === 0) continue;
    const { score } = aligner.align(
      {
        sequences: [
          ...queries,
          ...pairs.map(({ target }) =>
            index.codes.subarray(index.start[target], index.start[target + 1] - 1),
          ),
        ],
        query: Int32Array.from(pairs, ({ query }) => query),
        target: Int32Array.from(pairs.keys(), (pair) => queries.length + pair),
      },
      { mode: 'local', scoring: blastScoring, isAborted },
    );
    pairs.forEach(({ query }, pair) => {
      const value = logEValue(score[pair], queries[query].length, space, blastStatistics);
      best[query] = Math.min(best[query], value);
    });
  }
  return best;
}
