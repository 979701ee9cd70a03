import type { QueryBank } from '@kindred/kernels/knn';

/** Query vectors in the order of their queries. */
export interface QueryRows {
  /** The vectors: Float32 [rows x dimension]. */
  vectors: Float32Array;
  /** The start of each query's rows: those of query q are rowStart[q] .. rowStart[q + 1). Int32 [queries + 1] */
  rowStart: Int32Array;
  nQuery: number;
  /** The sequence number to exclude for each query, or -1: Int32 [queries]. */
  excluded: Int32Array;
}

/** Checks the queries and orders their rows. They are copied only if they are not in order. @throws RangeError */
export function orderQueries(queries: QueryBank, dimension: number, includeSelf = false): QueryRows {
  const rows = rowsByQuery(queries, dimension);
  const excluded = includeSelf || !queries.sequence ? new Int32Array(rows.nQuery).fill(-1) : queries.sequence;
  if (excluded.length !== rows.nQuery)
    throw new RangeError(`${rows.nQuery} queries, but sequence names ${excluded.length}`);
  return { ...rows, excluded };
}

export function vectorsOfQuery(
  { rowStart, vectors }: QueryRows,
  query: number,
  dimension: number,
): Float32Array[] {
  return Array.from({ length: rowStart[query + 1] - rowStart[query] }, (_, i) =>
    vectors.subarray((rowStart[query] + i) * dimension, (rowStart[query] + i + 1) * dimension),
  );
}

function rowsByQuery({ vectors, query, count }: QueryBank, dimension: number): Omit<QueryRows, 'excluded'> {
  const nRows = vectors.length / dimension;
  if (!Number.isInteger(nRows))
    throw new RangeError(`query vectors are ${vectors.length} numbers, not rows of ${dimension}`);
  const nQuery = count ?? nRows;
  if (query && query.length !== nRows)
    throw new RangeError(`${nRows} query rows, but query names ${query.length}`);
  if (!query && nQuery !== nRows) throw new RangeError(`${nRows} query rows, but count is ${nQuery}`);
  const rowStart = new Int32Array(nQuery + 1);
  if (!query) return { vectors, nQuery, rowStart: rowStart.map((_, q) => q) };
  for (const [row, q] of query.entries()) {
    if (q < 0 || q >= nQuery) throw new RangeError(`query row ${row} belongs to query ${q} of ${nQuery}`);
    rowStart[q + 1]++;
  }
  for (let q = 0; q < nQuery; q++) rowStart[q + 1] += rowStart[q];
  if (query.every((q, row) => row === 0 || query[row - 1] <= q)) return { vectors, nQuery, rowStart };
  const next = rowStart.slice();
  const ordered = new Float32Array(vectors.length);
  for (const [row, q] of query.entries()) {
    ordered.set(vectors.subarray(row * dimension, (row + 1) * dimension), next[q]++ * dimension);
  }
  return { vectors: ordered, nQuery, rowStart };
}

/** Marks the subsets of each reference, bit s for subset s: Uint8 [references]. @throws RangeError for lists that do not ascend */
export function markSubsets(subsets: readonly Int32Array[], references: number): Uint8Array {
  if (subsets.length < 1 || subsets.length > 8) {
    throw new RangeError(`1 to 8 subsets can be searched at once, got ${subsets.length}`);
  }
  const bits = new Uint8Array(references);
  for (const [s, subset] of subsets.entries()) {
    for (const [i, reference] of subset.entries()) {
      if (reference < 0 || reference >= references || (i > 0 && reference <= subset[i - 1])) {
        throw new RangeError(
          `subset ${s} must list references 0 to ${references - 1} in ascending order; entry ${i} is ${reference}`,
        );
      }
      bits[reference] |= 1 << s;
    }
  }
  return bits;
}

/** @throws RangeError for an invalid k, metric or threshold */
export function checkSearch(k: number, metric: string, distanceThreshold: number | undefined): void {
  if (!Number.isInteger(k) || k < 1) throw new RangeError(`k must be an integer of 1 or more, got ${k}`);
  if (metric !== 'cosine' && metric !== 'l2')
    throw new RangeError(`metric must be cosine or l2, got ${metric}`);
  if (Number.isNaN(distanceThreshold)) throw new RangeError('distanceThreshold must be a number');
}
