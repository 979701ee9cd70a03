import type { Neighbours, QueryBank } from '@kindred/kernels/knn';
import type { Instructions, NativeAddon } from '../native.js';
import { readBankHeader } from './reader.js';
import { type BankAnswer, type BankSearchOptions, type SearchBank, searchAborted } from './search-bank.js';

/** Queries of each thread between two looks at progress and cancellation. */
const sliceQueries = 448;

/** A bank mapped by the addon. */
export function openNativeBank(addon: NativeAddon, instructions: Instructions, path: string): SearchBank {
  const header = readBankHeader(path);
  const bank = addon.openBank({ path });
  return {
    header,
    method: 'native',
    search(queries, options) {
      const rows = queriesByRow(queries, header.dimension);
      const shared = {
        bank,
        instructions,
        subsets: options.subsets?.length ?? 1,
        subsetBits: options.subsets && subsetBits(options.subsets, header.references),
        cosine: metricFlag(options.metric),
        k: options.k,
        threshold: Math.fround(options.distanceThreshold ?? Number.POSITIVE_INFINITY),
        threads: options.threads ?? 1,
        control: options.control,
      };
      const excluded =
        options.includeSelf || !queries.sequence ? new Int32Array(rows.nQuery).fill(-1) : queries.sequence;
      if (excluded.length !== rows.nQuery)
        throw new RangeError(`${rows.nQuery} queries, but sequence names ${excluded.length}`);
      return new Slices(addon, shared, options).run({ ...rows, excluded }, header.dimension);
    },
    close: () => addon.closeBank({ bank }),
  };
}

type Request = Parameters<NativeAddon['search']>[0];
type SharedRequest = Omit<Request, 'vectors' | 'rowStart' | 'excluded' | 'neighbours' | 'distances'>;

interface Rows {
  vectors: Float32Array;
  rowStart: Int32Array;
  nQuery: number;
}

/** Hands the queries over in slices, so that progress and cancellation get a turn. */
class Slices {
  constructor(
    private readonly addon: NativeAddon,
    private readonly shared: SharedRequest,
    private readonly options: BankSearchOptions,
  ) {}

  run(rows: Rows & { excluded: Int32Array }, dimension: number): BankAnswer {
    const { k, subsets } = this.shared;
    if (!Number.isInteger(k) || k < 1) throw new RangeError(`k must be an integer of 1 or more, got ${k}`);
    const { isAborted, onProgress, signal } = this.options;
    const watched = isAborted !== undefined || onProgress !== undefined || signal !== undefined;
    const step = watched ? sliceQueries * this.shared.threads : Math.max(1, rows.nQuery);
    const lists: Neighbours[] = Array.from({ length: subsets }, () => ({
      nQuery: rows.nQuery,
      k,
      neighbours: new Int32Array(rows.nQuery * k),
      distances: new Float32Array(rows.nQuery * k),
    }));
    const answer: BankAnswer = { lists, uncertified: 0, compared: 0 };
    for (let first = 0; first < rows.nQuery; first += step) {
      if (isAborted?.()) throw searchAborted();
      signal?.throwIfAborted();
      const last = Math.min(rows.nQuery, first + step);
      this.slice(rows, { first, last, dimension }, answer);
      onProgress?.(last / rows.nQuery);
    }
    return answer;
  }

  private slice(
    rows: Rows & { excluded: Int32Array },
    { first, last, dimension }: { first: number; last: number; dimension: number },
    answer: BankAnswer,
  ): void {
    const { k, subsets } = this.shared;
    const begin = rows.rowStart[first];
    const rowStart = rows.rowStart.slice(first, last + 1).map((row) => row - begin);
    const cells = (last - first) * k;
    const neighbours = new Int32Array(subsets * cells);
    const distances = new Float32Array(subsets * cells);
    const report = this.addon.search({
      ...this.shared,
      vectors: rows.vectors.subarray(begin * dimension, rows.rowStart[last] * dimension),
      rowStart,
      excluded: rows.excluded.subarray(first, last),
      neighbours,
      distances,
    });
    if (report.aborted) throw searchAborted();
    for (const [s, list] of answer.lists.entries()) {
      list.neighbours.set(neighbours.subarray(s * cells, (s + 1) * cells), first * k);
      list.distances.set(distances.subarray(s * cells, (s + 1) * cells), first * k);
    }
    answer.uncertified += report.uncertified;
    answer.compared += report.compared;
  }
}

function metricFlag(metric: string): 0 | 1 {
  if (metric !== 'cosine' && metric !== 'l2')
    throw new RangeError(`metric must be cosine or l2, got ${metric}`);
  return metric === 'cosine' ? 1 : 0;
}

/** Rows put in the order of their queries; copied only where they are not so already. */
function queriesByRow(queries: QueryBank, dimension: number): Rows {
  const { vectors, query } = queries;
  const nRows = vectors.length / dimension;
  if (!Number.isInteger(nRows))
    throw new RangeError(`query vectors are ${vectors.length} numbers, not rows of ${dimension}`);
  const nQuery = queries.count ?? nRows;
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

function subsetBits(subsets: readonly Int32Array[], references: number): Uint8Array {
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
