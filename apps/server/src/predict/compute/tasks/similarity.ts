import { encodeResidues } from '@kindred/kernels/alignment';
import {
  buildSeedIndex,
  findRelatives,
  narrowSeedIndex,
  type RelativeSearch,
  type SeedIndexOptions,
} from '@kindred/kernels/homology';
import { createCandidateFinder } from '@kindred/native';
import { nativeKernels } from '../native-kernels.js';
import type { TaskControl } from '../../../ground/pool/pool.js';
import type {
  SimilarityIndex,
  SimilarityIndexInput,
  NarrowIndexInput,
  SimilarityInput,
  SimilarityOutput,
} from '../similarity-tasks.js';

let open: { key: string; search: RelativeSearch } | null = null;

/** Builds the index of the references in memory that all threads see. */
export function similarityIndex(
  { codes, start }: SimilarityIndexInput,
  control: TaskControl,
): SimilarityIndex {
  const sequences = Array.from({ length: start.length - 1 }, (_, s) =>
    codes.subarray(start[s], start[s + 1]),
  );
  return buildSeedIndex(sequences, inSharedMemory(control));
}

/** The index of some of its sequences. */
export function narrowedIndex({ index, keep }: NarrowIndexInput, control: TaskControl): SimilarityIndex {
  return narrowSeedIndex(index, keep, inSharedMemory(control));
}

function inSharedMemory(control: TaskControl): SeedIndexOptions {
  return {
    allocate: (bytes) => nativeKernels?.allocateShared(bytes) ?? new SharedArrayBuffer(bytes),
    isAborted: () => control.aborted(),
  };
}

/** Relatives of each query by local alignment with BLAST's scoring. */
export function similarity(input: SimilarityInput, control: TaskControl): SimilarityOutput {
  const queries = input.queries.map((query) => encodeResidues(query));
  return findRelatives(opened(input), queries, {
    maxTargets: input.maxTargets,
    maxLogEValue: input.maxLogEValue,
    excluded: input.excluded,
    isAborted: () => control.aborted(),
  });
}

function opened({ key, index }: SimilarityInput): RelativeSearch {
  if (open?.key === key) return open.search;
  open = null;
  const search = { index, finder: createCandidateFinder(index, nativeKernels) };
  open = { key, search };
  return search;
}
