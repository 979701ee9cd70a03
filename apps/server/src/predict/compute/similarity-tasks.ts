import type { RelativeTable, SeedIndex } from '@kindred/kernels/homology';
import type { ComputeTask } from '../../ground/pool/pool.js';

export interface SimilarityIndexInput {
  /** Residue codes of all distinct reference sequences, one after the other. */
  codes: Uint8Array;
  /** Sequence s is codes[start[s] .. start[s + 1]). */
  start: Int32Array;
}

/** The references' index, in shared memory: every thread searches the same one. */
export type SimilarityIndex = SeedIndex;

export const similarityIndexTask: ComputeTask<SimilarityIndexInput, SimilarityIndex> = {
  file: new URL('./tasks/similarity.js', import.meta.url),
  export: 'similarityIndex',
};

export interface NarrowIndexInput {
  index: Pick<SimilarityIndex, 'codes' | 'start'>;
  /** 1 where a sequence is kept: [sequences]. */
  keep: Uint8Array;
}

export const narrowedIndexTask: ComputeTask<NarrowIndexInput, SimilarityIndex> = {
  file: new URL('./tasks/similarity.js', import.meta.url),
  export: 'narrowedIndex',
};

export interface SimilarityInput {
  /** Identifies the index: a thread keeps what it built for the last key. */
  key: string;
  index: SimilarityIndex;
  queries: string[];
  /** The reference sequence that each query may not find, -1 for none: [queries]. */
  excluded: Int32Array;
  maxTargets: number;
  /** log10 of the largest E-value. */
  maxLogEValue: number;
}

export type SimilarityOutput = RelativeTable;

export const similarityTask: ComputeTask<SimilarityInput, SimilarityOutput> = {
  file: new URL('./tasks/similarity.js', import.meta.url),
  export: 'similarity',
};
