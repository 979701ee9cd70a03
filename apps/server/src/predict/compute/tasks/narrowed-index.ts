import { narrowSeedIndex } from '@kindred/kernels/homology';
import { task, type TaskControl } from '../../../ground/pool/pool.js';
import { inSharedMemory } from '../seed-index-memory.js';
import type { SimilarityIndex } from './similarity-index.js';

export interface NarrowIndexInput {
  index: Pick<SimilarityIndex, 'codes' | 'start'>;
  /** A sequence that is kept has 1: [sequences]. */
  keep: Uint8Array;
}

/** Makes an index of some of the sequences of an index. */
function narrowedIndex({ index, keep }: NarrowIndexInput, control: TaskControl): SimilarityIndex {
  return narrowSeedIndex(index, keep, inSharedMemory(control));
}

export const narrowedIndexTask = task(import.meta.url, narrowedIndex);
