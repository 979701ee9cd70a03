import { aspects } from '@kindred/contracts';
import { groupReferences, type Neighbours, type QueryBank, type SequenceGroups } from '@kindred/kernels/knn';
import {
  type BankAnswer,
  type BankSearchOptions,
  type NeighbourIndex,
  openBank as openVectors,
} from '@kindred/native';
import { nativeKernels } from './native-kernels.js';
import { RecentValues } from '../../ground/recent-values.js';
import {
  type BankArrays,
  type BankSelection,
  proteinsBeside,
  proteinsIn,
  type SearchedBank,
} from './reference-bank.js';

const nAspects = aspects.length;

/** A thread keeps these parts of a bank that it used. */
export interface OpenBank extends BankView {
  path: string;
  search: NeighbourIndex;
  /** A job that asks for the graph opens it; null before that. */
  graph: { file: string; expansion: number; search: NeighbourIndex } | null;
}

/** The lists cover the references that are chosen of a bank. */
interface BankView {
  /** The arrays are the same objects for all tasks with this view. */
  arrays: BankArrays;
  /** The name identifies the choice; the empty text stands for the whole bank. */
  view: string;
  groups: SequenceGroups;
  /** Each sequence has this first reference (lowest accession), -1 if it has none. */
  firstReference: Int32Array;
  /** These sequences can give a term of the aspect, ascending: one list for each aspect, and one of all. */
  sequencesOfAspect: Int32Array[];
  allSequences: Int32Array;
  termFrequency: Int32Array;
  /** Equal distances have another order than in the file. */
  isReordered: boolean;
}
const open = new RecentValues<OpenBank>(proteinsBeside);

/** Opens the bank of this thread. The last ones stay open, and their vectors even while the choice changes. */
export async function openedBank({ vectorsFile: path, arrays, selection }: SearchedBank): Promise<OpenBank> {
  const view = selection?.key ?? '';
  const weight = proteinsIn(arrays);
  const last = open.get(path);
  if (last?.view === view) return last;
  if (last !== undefined) {
    const viewed = { ...last, ...viewOf(arrays, selection) };
    open.set(path, viewed, weight);
    return viewed;
  }
  for (const { search, graph } of open.makeRoom(weight)) {
    await search.close();
    await graph?.search.close();
  }
  const opened: OpenBank = {
    path,
    search: openVectors(path, nativeKernels()),
    graph: null,
    ...viewOf(arrays, selection),
  };
  open.set(path, opened, weight);
  return opened;
}

function viewOf(arrays: BankArrays, selection: BankSelection | null): BankView {
  const { referenceSequence, termStart, terms, termAspect } = arrays;
  const nSequences = arrays.sequenceIds.length;
  const groups = groupReferences(referenceSequence, Int32Array.from(referenceSequence.keys()), nSequences);
  const firstReference = Int32Array.from({ length: nSequences }, (_, sequence) =>
    groups.start[sequence] < groups.start[sequence + 1] ? groups.members[groups.start[sequence]] : -1,
  );
  const gives = Array.from({ length: nAspects }, () => new Uint8Array(nSequences));
  const termFrequency = new Int32Array(arrays.termRowId.length);
  for (let reference = 0; reference < referenceSequence.length; reference++) {
    for (let at = termStart[reference]; at < termStart[reference + 1]; at++) {
      gives[termAspect[terms[at]]][referenceSequence[reference]] = 1;
      termFrequency[terms[at]]++;
    }
  }
  const allSequences = Int32Array.from(firstReference.keys()).filter((s) => firstReference[s] >= 0);
  const sequencesOfAspect = gives.map((given) => allSequences.filter((sequence) => given[sequence] === 1));
  return {
    view: selection?.key ?? '',
    arrays,
    groups,
    firstReference,
    sequencesOfAspect,
    allSequences,
    termFrequency,
    isReordered: selection?.isReordered ?? false,
  };
}

/**
 * The search asks for this many neighbours beyond k, so that most runs of equal distances end within the
 * list.
 */
const extraNeighbours = 4;

/**
 * Searches a view of the bank. Sequences at equal distances keep the order of their first reference in the
 * view. If the file has another order, lists grow until the run of equal distances at their end is whole.
 */
export async function searchView(
  index: NeighbourIndex,
  queries: QueryBank,
  options: BankSearchOptions,
  { isReordered, firstReference }: Pick<BankView, 'isReordered' | 'firstReference'>,
): Promise<BankAnswer> {
  if (!isReordered) return index.search(queries, options);
  for (let k = options.k + extraNeighbours; ; k *= 2) {
    const answer = await index.search(queries, { ...options, k });
    const lists = answer.lists.map((list) => reordered(list, options.k, firstReference));
    if (lists.every((list) => list !== null)) return { ...answer, lists };
  }
}

/**
 * Gives the first k of longer lists in the view's order; null if a run of equal distances may continue after
 * the list.
 */
function reordered(
  { nQuery: count, neighbours, distances, k: length }: Neighbours,
  k: number,
  firstReference: Int32Array,
): Neighbours | null {
  const out = {
    nQuery: count,
    k,
    neighbours: new Int32Array(count * k).fill(-1),
    distances: new Float32Array(count * k).fill(Infinity),
  };
  for (let q = 0; q < count; q++) {
    const from = q * length;
    const last = from + length - 1;
    if (neighbours[last] >= 0 && distances[last] === distances[from + k - 1]) return null;
    const places = Array.from({ length }, (_, i) => from + i).filter((at) => neighbours[at] >= 0);
    places.sort(
      (a, b) => distances[a] - distances[b] || firstReference[neighbours[a]] - firstReference[neighbours[b]],
    );
    places.slice(0, k).forEach((at, i) => {
      out.neighbours[q * k + i] = neighbours[at];
      out.distances[q * k + i] = distances[at];
    });
  }
  return out;
}

/** Finds (reference, term) in the compressed rows; the terms of a reference ascend. */
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
