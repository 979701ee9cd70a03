import type { ComputeTask } from './pool.js';

export interface SimilarityInput {
  /** Names the references: a thread keeps the index of the last. */
  key: string;
  /** Residue codes of all distinct reference sequences, one after the other, in shared memory. */
  codes: Uint8Array;
  /** Sequence s is codes[start[s] .. start[s + 1]), in shared memory. */
  start: Int32Array;
  queries: string[];
  /** The reference sequence that each query may not find, -1 for none: [queries]. */
  excluded: Int32Array;
  maxTargets: number;
  /** log10 of the largest E-value. */
  logExpect: number;
}

/** Relatives of the queries, by query, best score first, ties by reference. Columns of one length. */
export interface SimilarityOutput {
  query: Int32Array;
  /** Number of the reference sequence. */
  sequence: Int32Array;
  /** Identical columns over columns of the local alignment, 0 to 1. */
  identity: Float32Array;
  /** Score over the score of the query against itself, 0 to 1. */
  normalisedScore: Float32Array;
  bits: Float32Array;
}

export const similarityTask: ComputeTask<SimilarityInput, SimilarityOutput> = {
  module: 'similarity',
  export: 'similarity',
};
