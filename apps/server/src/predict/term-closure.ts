import { sharedCopy } from '@kindred/kernels/arrays';
import type { TermLists } from '@kindred/kernels/features';
import { liveNumbers, type OntologyColumns, OntologyGraph } from '@kindred/kernels/ontology';
import type { BankContext } from './banks/bank-context.js';
import { LastValue } from '../ground/last-value.js';
import { findSnapshot } from '../store/ontology/ontology.repository.js';
import { ontologyColumns } from '../store/ontology/ontology-columns.repository.js';

const closures = () => new LastValue<TermLists>();

/**
 * Gives each live term of a snapshot with everything above it (is_a and part_of within its aspect), in memory
 * that the threads share. Terms are numbered by GO id, as in the reference banks. The last closure is kept. A
 * load that adds edges to a snapshot changes its count of edges, and so the key.
 */
export async function termClosure(
  { db, memory }: Pick<BankContext, 'db' | 'memory'>,
  snapshotId: string,
): Promise<TermLists> {
  const snapshot = await findSnapshot(db, snapshotId);
  const key = `${snapshotId} ${snapshot?.relationship_count}`;
  return memory.part(closures).get(key, async () => liveClosure(await ontologyColumns(db, snapshotId)));
}

function liveClosure(columns: OntologyColumns): TermLists {
  const { start, terms } = new OntologyGraph(columns).ancestorClosure();
  const numbers = liveNumbers(columns.obsolete);
  const liveStart: number[] = [0];
  const live: number[] = [];
  for (let term = 0; term < columns.termIds.length; term++) {
    if (columns.obsolete[term]) continue;
    for (let at = start[term]; at < start[term + 1]; at++) live.push(numbers[terms[at]]);
    liveStart.push(live.length);
  }
  return { start: sharedCopy(Int32Array.from(liveStart)), terms: sharedCopy(Int32Array.from(live)) };
}
