import { dirname } from 'node:path';
import { concatenate } from '@kindred/kernels/arrays';
import { encodeResidues } from '@kindred/kernels/alignment';
import { type SimilarityIndex, similarityIndexTask } from '../compute/tasks/similarity-index.js';
import { sequenceTexts } from '../../store/proteins/queries.repository.js';
import type { ReferenceBank } from '../compute/reference-bank.js';
import type { BankContext } from './bank-context.js';
import { readWords, wordsFile, writeWords } from './kept-words.js';

type Context = Pick<BankContext, 'db' | 'signal' | 'compute'>;

/**
 * Gives the index of the words of a bank's sequences in memory that all threads see: from the file of an earlier process, else made now and
 * kept in that file. A file that cannot be written (a full disk) is warned of; it costs the next process the time, and nothing else.
 */
export async function indexOfBank(
  { vectorsFile, arrays: { sequenceIds } }: Pick<ReferenceBank, 'vectorsFile' | 'arrays'>,
  context: Context,
): Promise<SimilarityIndex> {
  const file = wordsFile(dirname(vectorsFile));
  const kept = await readWords(file, sequenceIds.length);
  if (kept !== null) return kept;
  const index = await sequenceIndex(sequenceIds, context);
  // The answer does not wait for the disk.
  void writeWords(file, index).catch((error: unknown) =>
    process.emitWarning(
      `The index of a reference's words could not be kept in ${file}, so the next process makes it again: ${String(error)}`,
    ),
  );
  return index;
}

/** Builds the index of the sequences in memory that all threads see. */
export async function sequenceIndex(
  sequenceIds: Float64Array,
  { db, signal, compute }: Context,
): Promise<SimilarityIndex> {
  // The letters of a page are encoded together: an array for each sequence would take as much memory again.
  const pages: Uint8Array<ArrayBuffer>[] = [];
  const start = new Int32Array(sequenceIds.length + 1);
  const pageSize = 5000;
  for (let from = 0; from < sequenceIds.length; from += pageSize) {
    signal.throwIfAborted();
    const ids = Array.from(sequenceIds.subarray(from, from + pageSize));
    const found = await sequenceTexts(db, ids);
    const texts = ids.map((id) => found.get(id) as string);
    pages.push(encodeResidues(texts.join('')));
    texts.forEach(({ length }, i) => {
      start[from + i + 1] = start[from + i] + length;
    });
  }
  const codes = concatenate<Uint8Array<ArrayBuffer>>(pages, Uint8Array);
  return compute.run(similarityIndexTask, { codes, start }, { signal, transfer: [codes.buffer] });
}
