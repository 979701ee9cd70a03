import type { Neighbours } from '@kindred/kernels/knn';
import type { Instructions, NativeAddon } from '../addon.js';
import { readBankHeader } from './reader.js';
import {
  type BankAnswer,
  type BankSearchOptions,
  type NeighbourIndex,
  searchAborted,
} from './neighbour-index.js';
import { checkSearch, markSubsets, orderQueries, type QueryRows } from './query-rows.js';

/** The number of queries of a thread between two checks of progress and cancellation. */
const sliceQueries = 448;

/** Opens a bank that the addon maps into memory. */
export function openNativeBank(addon: NativeAddon, instructions: Instructions, path: string): NeighbourIndex {
  const header = readBankHeader(path);
  const bank = addon.openBank({ path });
  return {
    header,
    method: 'native',
    async search(queries, options) {
      checkSearch(options.k, options.metric, options.distanceThreshold);
      const rows = orderQueries(queries, header.dimension, options.includeSelf);
      const shared = {
        bank,
        instructions,
        subsets: options.subsets?.length ?? 1,
        subsetBits: options.subsets && markSubsets(options.subsets, header.references),
        cosine: options.metric === 'cosine' ? (1 as const) : (0 as const),
        k: options.k,
        threshold: Math.fround(options.distanceThreshold ?? Number.POSITIVE_INFINITY),
        threads: options.threads ?? 1,
        control: options.control,
      };
      return new Slices(addon, shared, options).run(rows, header.dimension);
    },
    close: async () => addon.closeBank({ bank }),
  };
}

type Request = Parameters<NativeAddon['search']>[0];
type SharedRequest = Omit<Request, 'vectors' | 'rowStart' | 'excluded' | 'neighbours' | 'distances'>;

/** Searches in slices of queries, with progress and cancellation between slices. */
class Slices {
  readonly #addon: NativeAddon;
  readonly #shared: SharedRequest;
  readonly #options: BankSearchOptions;

  constructor(addon: NativeAddon, shared: SharedRequest, options: BankSearchOptions) {
    this.#addon = addon;
    this.#shared = shared;
    this.#options = options;
  }

  run(rows: QueryRows, dimension: number): BankAnswer {
    const { k, subsets } = this.#shared;
    const { isAborted, onProgress, signal } = this.#options;
    const watched = isAborted !== undefined || onProgress !== undefined || signal !== undefined;
    const step = watched ? sliceQueries * this.#shared.threads : Math.max(1, rows.nQuery);
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
      this.#slice(rows, { first, last, dimension }, answer);
      onProgress?.(last / rows.nQuery);
    }
    return answer;
  }

  #slice(
    rows: QueryRows,
    { first, last, dimension }: { first: number; last: number; dimension: number },
    answer: BankAnswer,
  ): void {
    const { k, subsets } = this.#shared;
    const begin = rows.rowStart[first];
    const rowStart = rows.rowStart.slice(first, last + 1).map((row) => row - begin);
    const cells = (last - first) * k;
    const neighbours = new Int32Array(subsets * cells);
    const distances = new Float32Array(subsets * cells);
    const report = this.#addon.search({
      ...this.#shared,
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
