import { aspects } from '@kindred/contracts';
import { groupReferences, type SequenceGroups } from '@kindred/kernels/knn';
import { type NeighbourIndex, openBank as openVectors } from '@kindred/native';
import { nativeKernels } from './native-kernels.js';
import type { BankArrays } from './reference-bank.js';

const nAspects = aspects.length;

/** What a thread keeps of the bank that it used last. */
export interface OpenBank {
  path: string;
  search: NeighbourIndex;
  /** Opened when a job asks for it. */
  graph: { file: string; expansion: number; search: NeighbourIndex } | null;
  groups: SequenceGroups;
  /** First reference (lowest accession) of each sequence. */
  firstReference: Int32Array;
  /** Sequences that can give a term of the aspect, ascending; one list for each aspect, and all of them. */
  sequencesOfAspect: Int32Array[];
  allSequences: Int32Array;
  termFrequency: Int32Array;
}
let open: OpenBank | null = null;

/** The bank of this thread: the last one stays open. */
export async function openedBank(path: string, arrays: BankArrays): Promise<OpenBank> {
  if (open?.path === path) return open;
  await open?.search.close();
  await open?.graph?.search.close();
  open = null;
  const { referenceSequence, termStart, terms, termAspect } = arrays;
  const groups = groupReferences(referenceSequence, Int32Array.from(referenceSequence.keys()));
  const nSequences = arrays.sequenceIds.length;
  const firstReference = Int32Array.from(
    { length: nSequences },
    (_, sequence) => groups.members[groups.start[sequence]],
  );
  const gives = Array.from({ length: nAspects }, () => new Uint8Array(nSequences));
  const termFrequency = new Int32Array(arrays.termRowId.length);
  for (let reference = 0; reference < referenceSequence.length; reference++) {
    for (let at = termStart[reference]; at < termStart[reference + 1]; at++) {
      gives[termAspect[terms[at]]][referenceSequence[reference]] = 1;
      termFrequency[terms[at]]++;
    }
  }
  const allSequences = Int32Array.from(firstReference.keys());
  const sequencesOfAspect = gives.map((given) => allSequences.filter((sequence) => given[sequence] === 1));
  open = {
    path,
    search: await openVectors(path, nativeKernels),
    graph: null,
    groups,
    firstReference,
    sequencesOfAspect,
    allSequences,
    termFrequency,
  };
  return open;
}

/** Place of (reference, term) in the compressed rows; the terms of a reference ascend. */
export function entryOf(arrays: BankArrays, reference: number, term: number): number {
  let low = arrays.termStart[reference];
  let high = arrays.termStart[reference + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (arrays.terms[middle] < term) low = middle + 1;
    else high = middle;
  }
  return low;
}
