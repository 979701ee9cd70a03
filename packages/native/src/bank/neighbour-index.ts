import { type Neighbours, type QueryBank, type SearchOptions, search } from '@kindred/kernels/knn';
import type { BankHeader } from './format.js';
import { loadBank } from './reader.js';

export interface BankSearchOptions extends Omit<SearchOptions, 'queryBlock' | 'referenceBlock'> {
  /** The number of threads; without the addon, a search always uses one. @default 1 */
  threads?: number;
  /** A function that is called between slices of queries; when it returns true, the call ends with an AbortError. */
  isAborted?: () => boolean;
  /**
   * A control array, Int32 [2] in shared memory: a value other than 0 in [0], set by any thread, stops the search within milliseconds;
   * [1] counts finished queries. The plain search checks it between blocks.
   */
  control?: Int32Array;
}

export interface BankAnswer {
  /** The neighbours, one list for each subset. */
  lists: Neighbours[];
  /** The number of queries that were compared with every vector because the integer bounds excluded too few. */
  uncertified: number;
  /** The number of pairs of vectors that were compared exactly. */
  compared: number;
}

/**
 * A searchable bank. Three methods are exact and return identical results: `native` (the addon), `blocks` (WebAssembly's
 * products, then an exact comparison) and `plain` (TypeScript, what the others are tested against). `graph` is approximate:
 * its distances are exact, but it may miss neighbours.
 */
export interface NeighbourIndex {
  readonly header: BankHeader;
  readonly method: 'native' | 'blocks' | 'plain' | 'graph';
  /** Searches the bank, and blocks its thread meanwhile. @throws (rejects with) RangeError for invalid arguments, AbortError */
  search(queries: QueryBank, options: BankSearchOptions): Promise<BankAnswer>;
  close(): Promise<void>;
}

/** Reads a bank into memory (4 bytes for each number of its vectors) and searches it in TypeScript. */
export function openPlainBank(path: string): NeighbourIndex {
  const { header, bank } = loadBank(path);
  return {
    header,
    method: 'plain',
    async search(queries, { threads: _oneThreadOnly, isAborted, control, ...options }) {
      const lists = search(bank, queries, {
        ...options,
        onProgress: (share) => {
          if (isAborted?.() || (control && Atomics.load(control, 0) !== 0)) throw searchAborted();
          options.onProgress?.(share);
        },
      });
      const nQuery = lists[0].nQuery;
      if (control) Atomics.add(control, 1, nQuery);
      return {
        lists,
        uncertified: 0,
        compared: (queries.vectors.length / bank.dimension) * bank.reference.length,
      };
    },
    async close() {},
  };
}

export function searchAborted(): DOMException {
  return new DOMException('search was cancelled', 'AbortError');
}
