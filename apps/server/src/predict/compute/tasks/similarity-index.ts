import { buildSeedIndex, type SeedIndex } from '@kindred/kernels/homology';
import { task, type TaskControl } from '../../../ground/pool/pool.js';
import { inSharedMemory } from '../seed-index-memory.js';

export interface SimilarityIndexInput {
  /** All distinct reference sequences are given by residue codes, one after the other. */
  codes: Uint8Array;
  /** Sequence s is codes[start[s] .. start[s + 1]). */
  start: Int32Array;
}

/** The references' index is in shared memory, so every thread searches the same one. */
export type SimilarityIndex = SeedIndex;

/** Builds the index of the references in memory that all threads see. */
function similarityIndex({ codes, start }: SimilarityIndexInput, control: TaskControl): SimilarityIndex {
  const sequences = Array.from({ length: start.length - 1 }, (_, s) =>
    codes.subarray(start[s], start[s + 1]),
  );
  return buildSeedIndex(sequences, inSharedMemory(control));
}

export const similarityIndexTask = task(import.meta.url, similarityIndex);
