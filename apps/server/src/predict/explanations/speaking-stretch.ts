import type { SpeakingStretch } from '@kindred/kernels/network';
import type { BankContext } from '../banks/bank-context.js';
import { networkOutputOf } from '../banks/network-outputs.js';
import { speakingStretchTask } from '../compute/tasks/speaking-stretch.js';
import { queryOfSet } from '../../store/predictions/term-evidence.repository.js';
import { sequenceTexts } from '../../store/proteins/queries.repository.js';

/**
 * Finds the stretch of a protein that speaks most for a term that it has from its sequence alone; null where none does, and where the
 * network gives the term only through one below it.
 */
export async function stretchFor(
  set: Parameters<typeof queryOfSet>[1],
  { accession, goId }: { accession: string; goId: string },
  { db, compute, memory, signal }: BankContext,
): Promise<SpeakingStretch | null> {
  const output = await networkOutputOf(goId, { memory });
  const query = await queryOfSet(db, set, accession);
  if (output < 0 || query === undefined) return null;
  const sequence = (await sequenceTexts(db, [query.sequence_id])).get(query.sequence_id);
  return sequence === undefined ? null : compute.run(speakingStretchTask, { sequence, output }, { signal });
}
