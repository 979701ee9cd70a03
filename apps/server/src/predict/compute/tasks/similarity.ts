import { encodeResidues } from '@kindred/kernels/alignment';
import { findRelatives, type RelativeSearch, type RelativeTable } from '@kindred/kernels/homology';
import { createCandidateFinder } from '@kindred/native';
import { task, type TaskControl } from '../../../ground/pool/pool.js';
import { nativeKernels } from '../native-kernels.js';
import type { SimilarityIndex } from './similarity-index.js';

export interface SimilarityInput {
  /** The key identifies the index: a thread keeps what it built for the last key. */
  key: string;
  index: SimilarityIndex;
  queries: string[];
  /** A query may not find this reference sequence, -1 for none: [queries]. */
  excluded: Int32Array;
  maxTargets: number;
  /** E-values may be at most 10 to this power. */
  maxLogEValue: number;
}

export type SimilarityOutput = RelativeTable;

let open: { key: string; search: RelativeSearch } | null = null;

/** Finds relatives of each query by local alignment with BLAST's scoring. */
function similarity(input: SimilarityInput, control: TaskControl): SimilarityOutput {
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
  const search = { index, finder: createCandidateFinder(index, nativeKernels()) };
  open = { key, search };
  return search;
}

export const similarityTask = task(import.meta.url, similarity);
