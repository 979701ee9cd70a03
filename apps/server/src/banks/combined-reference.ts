import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProbabilityCurve } from '@kindred/kernels/combined';
import { liveNumbers, type OntologyColumns } from '@kindred/kernels/ontology';
import { combinedReferenceTask, type SharedReference } from '../compute/combined-tasks.js';
import type { ReferenceBank } from '../compute/reference-bank.js';
import type { SimilarityIndex } from '../compute/similarity-tasks.js';
import { combinedModelsFolder } from '../folders.js';
import { findSnapshot } from '../store/ontology/ontology.repository.js';
import { ontologyColumns } from '../store/ontology/ontology-columns.repository.js';
import type { BankContext } from './bank-context.js';
import { sequenceIndex } from './sequence-index.js';

export interface CombinedReferenceOfBank {
  key: string;
  shared: SharedReference;
  /** Live terms, numbered as in the bank. */
  ontology: OntologyColumns;
  index: SimilarityIndex;
}

let cached: CombinedReferenceOfBank | null = null;

/**
 * What the combination needs from a bank besides its vectors: counts of its annotations and the words of its sequences, in
 * memory that the threads share. The last one is kept.
 *
 * @param evidence mask of the evidence groups whose annotations count
 */
export async function combinedReferenceOf(
  bank: ReferenceBank,
  { snapshotId, evidence }: { snapshotId: string; evidence: number },
  context: Pick<BankContext, 'db' | 'compute' | 'signal'>,
): Promise<CombinedReferenceOfBank> {
  // The count is part of the key, because a later load can add edges to a snapshot.
  const snapshot = await findSnapshot(context.db, snapshotId);
  const key = `${String(bank.origin.key)} ${snapshot?.relationship_count} ${evidence}`;
  if (cached?.key === key) return cached;
  const isSameBank = cached?.key.startsWith(`${String(bank.origin.key)} `) === true;
  const index = isSameBank ? (cached as CombinedReferenceOfBank).index : null;
  cached = null;
  const { termStart, terms, groups, referenceTaxon, sequenceIds } = bank.arrays;
  const ontology = liveTerms(await ontologyColumns(context.db, snapshotId));
  const [shared, words] = await Promise.all([
    context.compute.run(
      combinedReferenceTask,
      { bank: { termStart, terms, groups, referenceTaxon }, ontology, evidence },
      { signal: context.signal },
    ),
    index ?? sequenceIndex(sequenceIds, context),
  ]);
  cached = { key, shared, ontology, index: words };
  return cached;
}

/** Without obsolete terms, so that terms are numbered as in the banks. An edge never leads to an obsolete term from a live one. */
function liveTerms(columns: OntologyColumns): OntologyColumns {
  const isLive = (term: number): boolean => columns.obsolete[term] === 0;
  const number = liveNumbers(columns.obsolete);
  const edges = Array.from(columns.edgeChild.keys()).filter(
    (edge) => isLive(columns.edgeChild[edge]) && isLive(columns.edgeParent[edge]),
  );
  const alternatives = columns.altIds.map((_, i) => i).filter((i) => isLive(columns.altTerms[i]));
  return {
    ...columns,
    termIds: columns.termIds.filter((_, term) => isLive(term)),
    namespace: columns.namespace.filter((_, term) => isLive(term)),
    obsolete: columns.obsolete.filter((obsolete) => obsolete === 0),
    edgeChild: Int32Array.from(edges, (edge) => number[columns.edgeChild[edge]]),
    edgeParent: Int32Array.from(edges, (edge) => number[columns.edgeParent[edge]]),
    edgeRelation: Uint8Array.from(edges, (edge) => columns.edgeRelation[edge]),
    altIds: alternatives.map((i) => columns.altIds[i]),
    altTerms: Int32Array.from(alternatives, (i) => number[columns.altTerms[i]]),
  };
}

let shipped: Promise<ProbabilityCurve[]> | null = null;

/** What the scores of the shipped models mean. */
export function shippedCurves(): Promise<ProbabilityCurve[]> {
  shipped ??= readFile(join(combinedModelsFolder, 'calibration.json'), 'utf8').then(
    (text) => JSON.parse(text) as ProbabilityCurve[],
  );
  return shipped;
}
