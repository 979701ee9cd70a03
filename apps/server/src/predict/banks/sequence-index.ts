import { concatenateRows } from '@kindred/kernels/arrays';
import { encodeResidues } from '@kindred/kernels/alignment';
import { type SimilarityIndex, similarityIndexTask } from '../compute/tasks/similarity-index.js';
import { sequenceTexts } from '../../store/proteins/queries.repository.js';
import type { BankContext } from './bank-context.js';

/** Builds the index of the sequences in memory that all threads see. */
export async function sequenceIndex(
  sequenceIds: Float64Array,
  { db, signal, compute }: Pick<BankContext, 'db' | 'signal' | 'compute'>,
): Promise<SimilarityIndex> {
  const parts: Uint8Array[] = [];
  const page = 5000;
  for (let from = 0; from < sequenceIds.length; from += page) {
    signal.throwIfAborted();
    const ids = Array.from(sequenceIds.subarray(from, from + page));
    const texts = await sequenceTexts(db, ids);
    for (const id of ids) parts.push(encodeResidues(texts.get(id) as string));
  }
  return compute.run(similarityIndexTask, concatenateRows(parts), { signal });
}
