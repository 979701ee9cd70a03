import { rowNorms } from './distance.js';
import { NearestLists } from './nearest.js';
import type { QueryBank, VectorBank, SearchOptions } from './types.js';

/** Everything that a search prepares before its first block. */
export interface SearchPlan {
  nQuery: number;
  queryOfRow: Int32Array;
  /** The sequence number to exclude for each query; -1 if there is none. */
  excluded: Int32Array;
  queryNorms: Float64Array;
  referenceNorms: Float64Array;
  /** The rows of the bank that are in some subset, ascending. */
  rows: Int32Array;
  /** The subsets of each reference: bit s is set if subset s contains it. */
  subsetBits: Uint8Array;
  lists: NearestLists[];
}

/** Checks the arguments and prepares the lists. @throws RangeError naming the invalid argument */
export function planSearch(bank: VectorBank, queries: QueryBank, options: SearchOptions): SearchPlan {
  checkBank(bank);
  const { metric, k } = options;
  if (!Number.isInteger(k) || k < 1) throw new RangeError(`k must be an integer of 1 or more, got ${k}`);
  if (metric !== 'cosine' && metric !== 'l2')
    throw new RangeError(`metric must be cosine or l2, got ${String(metric)}`);
  const threshold = options.distanceThreshold ?? Number.POSITIVE_INFINITY;
  if (Number.isNaN(threshold)) throw new RangeError('distanceThreshold must be a number');
  const { queryOfRow, nQuery } = queryRows(queries, bank.dimension);
  const subsetBits = markSubsets(options.subsets, bank.sequence.length);
  const nSubsets = options.subsets?.length ?? 1;
  const order = { sequence: bank.sequence, rank: bank.rank };
  return {
    nQuery,
    queryOfRow,
    excluded: options.includeSelf || !queries.sequence ? new Int32Array(nQuery).fill(-1) : queries.sequence,
    queryNorms: rowNorms(queries.vectors, bank.dimension, metric),
    referenceNorms: rowNorms(bank.vectors, bank.dimension, metric),
    rows: Int32Array.from(bank.reference.keys()).filter((row) => subsetBits[bank.reference[row]] !== 0),
    subsetBits,
    lists: Array.from({ length: nSubsets }, () => new NearestLists(nQuery, k, order, Math.fround(threshold))),
  };
}

function checkBank(bank: VectorBank): void {
  const { vectors, dimension, reference, sequence, rank } = bank;
  if (!Number.isInteger(dimension) || dimension < 1)
    throw new RangeError(`dimension must be an integer of 1 or more, got ${dimension}`);
  if (vectors.length !== reference.length * dimension)
    throw new RangeError(
      `${reference.length} rows of dimension ${dimension} need ${reference.length * dimension} numbers, got ${vectors.length}`,
    );
  if (sequence.length !== rank.length)
    throw new RangeError(`sequence names ${sequence.length} references, rank ${rank.length}`);
  for (let row = 0; row < reference.length; row++) {
    if (reference[row] < 0 || reference[row] >= rank.length)
      throw new RangeError(`row ${row} belongs to reference ${reference[row]}; there are ${rank.length}`);
  }
}

function queryRows(queries: QueryBank, dimension: number): { queryOfRow: Int32Array; nQuery: number } {
  const rows = queries.vectors.length / dimension;
  if (!Number.isInteger(rows))
    throw new RangeError(`query vectors are ${queries.vectors.length} numbers, not rows of ${dimension}`);
  const queryOfRow = queries.query ?? Int32Array.from({ length: rows }, (_, row) => row);
  const nQuery = queries.count ?? rows;
  if (queryOfRow.length !== rows)
    throw new RangeError(`${rows} query rows, but query names ${queryOfRow.length}`);
  if (queries.sequence && queries.sequence.length !== nQuery)
    throw new RangeError(`${nQuery} queries, but sequence names ${queries.sequence.length}`);
  const stray = queryOfRow.findIndex((query) => query < 0 || query >= nQuery);
  if (stray >= 0)
    throw new RangeError(`query row ${stray} belongs to query ${queryOfRow[stray]} of ${nQuery}`);
  return { queryOfRow, nQuery };
}

function markSubsets(subsets: readonly Int32Array[] | undefined, nReference: number): Uint8Array {
  if (!subsets) return new Uint8Array(nReference).fill(1);
  if (subsets.length < 1 || subsets.length > 8)
    throw new RangeError(`1 to 8 subsets can be searched at once, got ${subsets.length}`);
  const bits = new Uint8Array(nReference);
  subsets.forEach((subset, s) => {
    for (let i = 0; i < subset.length; i++) {
      const reference = subset[i];
      if (reference < 0 || reference >= nReference || (i > 0 && reference <= subset[i - 1]))
        throw new RangeError(
          `subset ${s} must list references 0 to ${nReference - 1} in ascending order; entry ${i} is ${reference}`,
        );
      bits[reference] |= 1 << s;
    }
  });
  return bits;
}
