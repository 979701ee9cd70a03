import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseCurve, ProbabilityCurve } from '@kindred/kernels/combined';
import { liveNumbers, type OntologyColumns } from '@kindred/kernels/ontology';
import { combinedReferenceTask, type SharedReference } from '../compute/tasks/combined-reference.js';
import { proteinsBeside, proteinsIn, type ReferenceBank } from '../compute/reference-bank.js';
import { narrowedIndexTask } from '../compute/tasks/narrowed-index.js';
import type { NetworkOutputsOfOntology } from '../compute/sequence-alone.js';
import type { SimilarityIndex } from '../compute/tasks/similarity-index.js';
import { combinedModelsFolder } from '../../ground/folders.js';
import { LastValue } from '../../ground/last-value.js';
import { RecentValues } from '../../ground/recent-values.js';
import { findSnapshot } from '../../store/ontology/ontology.repository.js';
import { ontologyColumns } from '../../store/ontology/ontology-columns.repository.js';
import type { BankContext } from './bank-context.js';
import { networkOutputsOf } from './network-outputs.js';
import { indexOfBank } from './sequence-index.js';

interface CombinedCounts {
  key: string;
  shared: SharedReference;
  /** Only live terms count; they have the numbers of the bank. */
  ontology: OntologyColumns;
  network: NetworkOutputsOfOntology;
}

export interface CombinedReferenceOfBank extends CombinedCounts {
  index: SimilarityIndex;
}

type Context = Pick<BankContext, 'db' | 'compute' | 'memory' | 'signal'>;
const counts = () =>
  new LastValue<CombinedCounts>({
    most: proteinsBeside,
    weigh: ({ shared }) => shared.reference.organism.length,
  });
/**
 * The ontologies of the last snapshots are kept: banks of several choices and sets share them, and reading one takes longer than a
 * small prediction.
 */
const ontologies = () =>
  new LastValue<OntologyColumns>({ most: 150_000, weigh: ({ termIds }) => termIds.length });
interface Words {
  view: string;
  index: SimilarityIndex;
}
/** Words are kept by the key of the bank. */
const keptWords = () => ({
  recent: new RecentValues<Words>(proteinsBeside),
  /** The promise is fulfilled when the last caller has its index. */
  lastTurn: Promise.resolve(),
});

/**
 * Gives the data that the combination needs from a bank besides its vectors: counts of its annotations and the words of its sequences, in
 * memory that the threads share. The last ones are kept.
 */
export async function combinedReferenceOf(
  bank: ReferenceBank,
  snapshotId: string,
  context: Context,
): Promise<CombinedReferenceOfBank> {
  const [counted, index] = await Promise.all([
    combinedCountsOf(bank, snapshotId, context),
    wordsOf(bank, context),
  ]);
  return { ...counted, index };
}

/**
 * Callers take turns, so that those who come together share one index: an index has 5 bytes for each residue of the reference, and a
 * process that predicts on several threads would make one for each.
 */
async function wordsOf(bank: ReferenceBank, context: Context): Promise<SimilarityIndex> {
  const words = context.memory.part(keptWords);
  const index = words.lastTurn.then(() => {
    context.signal.throwIfAborted();
    return recentOrMade(bank, words.recent, context);
  });
  words.lastTurn = index.then(
    () => {},
    () => {},
  );
  return index;
}

/**
 * One choice of a bank at a time has an index. The index of another choice from the same bank takes over its letters,
 * so that they are read from the database once.
 */
async function recentOrMade(
  bank: ReferenceBank,
  words: RecentValues<Words>,
  context: Context,
): Promise<SimilarityIndex> {
  const key = String(bank.origin.key);
  const { selection } = bank;
  const keep = selection?.sequences ?? new Uint8Array(bank.arrays.sequenceIds.length).fill(1);
  const isWhole = !keep.includes(0);
  const view = selection === null || isWhole ? '' : selection.key;
  const last = words.get(key);
  if (last?.view === view) return last.index;
  const letters = last?.index ?? null;
  words.delete(key);
  const weight = proteinsIn(bank.arrays);
  words.makeRoom(weight);
  const { signal } = context;
  const read = letters ?? (await indexOfBank(bank, context));
  const input = { index: { codes: read.codes, start: read.start }, keep };
  const index =
    letters === null && isWhole ? read : await context.compute.run(narrowedIndexTask, input, { signal });
  words.set(key, { view, index }, weight);
  return index;
}

/** Gives the counts alone, because scores of known sources need no more. The last ones are kept. */
export async function combinedCountsOf(
  bank: ReferenceBank,
  snapshotId: string,
  context: Context,
): Promise<CombinedCounts> {
  // The count is part of the key, because a later load can add edges to a snapshot.
  const snapshot = await findSnapshot(context.db, snapshotId);
  const version = `${snapshotId} ${snapshot?.relationship_count}`;
  const key = `${String(bank.origin.key)} ${version} ${bank.selection?.key ?? ''}`;
  return context.memory.part(counts).get(key, async () => {
    const { termStart, terms, groups, referenceTaxon } = bank.arrays;
    const ontology = await context.memory
      .part(ontologies)
      .get(version, async () => liveTerms(await ontologyColumns(context.db, snapshotId)));
    const shared = await context.compute.run(
      combinedReferenceTask,
      { bank: { termStart, terms, groups, referenceTaxon }, ontology },
      { signal: context.signal },
    );
    return { key, shared, ontology, network: await networkOutputsOf(ontology, context) };
  });
}

/**
 * Leaves obsolete terms out, so that terms have the numbers of the banks. No edge leads from a live term to
 * an obsolete one.
 */
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

const readModelFile = async (name: string) =>
  JSON.parse(await readFile(join(combinedModelsFolder, name), 'utf8'));
const readShipped = (): Promise<ProbabilityCurve[]> => readModelFile('calibration.json');
const readDatabases = (): Promise<DatabaseCurve[]> => readModelFile('calibration-databases.json');

/** Reads the curves that turn scores of the shipped models into probabilities. */
export function shippedCurves({ memory }: Pick<BankContext, 'memory'>): Promise<ProbabilityCurve[]> {
  return memory.part(readShipped);
}

/** Reads the curves that say how often databases held a call with such votes. */
export function shippedDatabaseCurves({ memory }: Pick<BankContext, 'memory'>): Promise<DatabaseCurve[]> {
  return memory.part(readDatabases);
}
