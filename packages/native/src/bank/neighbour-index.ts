import { type Neighbours, type QueryBank, type SearchOptions, search } from '@kindred/kernels/knn';
import type { BankHeader } from './format.js';
import { loadBank } from './reader.js';

export interface BankSearchOptions extends Omit<SearchOptions, 'queryBlock' | 'referenceBlock'> {
  /** Threads of the search; the plain one has no others. @default 1 */
  threads?: number;
  /** Asked between slices of queries; true ends the call with an AbortError. */
  isAborted?: () => boolean;
  /**
   * Int32 [2] over shared memory: [0] not 0 stops the search within some milliseconds, from any thread; [1] counts
   * finished queries. The plain search looks at it between blocks.
   */
  control?: Int32Array;
}

export interface BankAnswer {
  /** One for each subset. */
  lists: Neighbours[];
  /** Queries whose integer bounds decided too little, so that they were compared with every vector. */
  uncertified: number;
  /** Pairs of vectors that were compared exactly. */
  compared: number;
}

/**
 * A bank that answers searches exactly; these methods give the same bits: `native` is the addon, `blocks` onnxruntime's
 * products with an exact second look, `plain` TypeScript. Only `graph` is approximate: its distances are exact, but
 * it may miss neighbours.
 */
export interface NeighbourIndex {
  readonly header: BankHeader;
  readonly method: 'native' | 'blocks' | 'plain' | 'graph';
  /** Keeps its thread busy. @throws (rejects with) RangeError for arguments that do not fit, AbortError */
  search(queries: QueryBank, options: BankSearchOptions): Promise<BankAnswer>;
  close(): Promise<void>;
}

/** Reads a bank into memory (4 bytes per number of its vectors) and searches it in TypeScript. */
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
