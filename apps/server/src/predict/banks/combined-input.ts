import { aspects, type Aspect, experimentalEvidence, unrecordedEvidence } from '@kindred/contracts';
import { combinedSources } from '@kindred/contracts/resources/prediction-sets';
import { indexOfSorted } from '@kindred/kernels/arrays';
import { type CombinedQuery, evidenceGroups, ownTermsOrNull } from '@kindred/kernels/combined';
import type { OntologyColumns } from '@kindred/kernels/ontology';
import type { CombinedInput } from '../compute/combined-queries.js';
import type { SharedReference } from '../compute/tasks/combined-reference.js';
import type { ForeignHit } from '../compute/joined-hits.js';
import { type ReferenceBank, searchedBank, sequenceNumber } from '../compute/reference-bank.js';
import { storedCurves } from '../../store/evaluation/calibration.repository.js';
import { hitsOfQueries } from '../../store/proteins/query-hits.repository.js';
import { type QueryRow, sequenceTexts } from '../../store/proteins/queries.repository.js';
import type { BankContext } from './bank-context.js';
import type { SourceChoice } from './source-choice.js';
import {
  combinedCountsOf,
  combinedReferenceOf,
  shippedCurves,
  shippedDatabaseCurves,
} from './combined-reference.js';
import { type Known, knownProteins } from './known-proteins.js';
import { type Merging, mergedInput } from './merged-embeddings.js';
import { kingdomOf, lineagesByTaxon } from './query-lineages.js';
import { queryVectors } from './query-vectors.js';

/** A job of the method `combined` makes these choices. */
export interface CombinedChoices {
  k: number;
  /** The bank contains the chosen sources, and this is the choice. */
  sources: SourceChoice;
  aspect: Aspect | null;
  /** Hits that were uploaded with this query set join the relatives, and are shown by this name. @default none */
  hits?: { querySetId: string; name: string } | null;
  /** If true, a query without a similar protein may get terms from its sequence alone. */
  sequenceOnly: boolean;
}

export interface CombinedSubject {
  queries: readonly QueryRow[];
  bank: ReferenceBank;
  config: { id: string; number: number; dimension: number; model_name: string };
  /** The bank was made from this annotation set, which has this snapshot. */
  set: { id: string; number: number; ontology_snapshot_id: string };
  /** The neighbours in these other embeddings count, too; null means none. */
  merging: Merging | null;
}

/** Gathers everything that a thread needs to score the queries. */
export async function combinedInput(
  { queries, bank, config, set, merging }: CombinedSubject,
  { k, sources, aspect, hits = null, sequenceOnly }: CombinedChoices,
  context: Pick<BankContext, 'db' | 'compute' | 'memory' | 'signal'>,
): Promise<{
  input: CombinedInput;
  known: Known[];
  ontology: OntologyColumns;
  lineages: ReadonlyMap<number, readonly number[]>;
}> {
  const { ontology, network, ...reference } = await combinedReferenceOf(
    bank,
    set.ontology_snapshot_id,
    context,
  );
  const texts = await sequenceTexts(context.db, [...new Set(queries.map((query) => query.sequence_id))]);
  const { vectors, queryOfRow } = await queryVectors(queries, config, context);
  const { known, taxon } = await knowledgeOf(queries, bank, context);
  const lineages = await lineagesByTaxon(context.db, taxon);
  const kingdom = Array.from(taxon, (id) => kingdomOf(lineages.get(id)));
  return {
    known,
    ontology,
    lineages,
    input: {
      bank: searchedBank(bank),
      ...reference,
      k,
      aspects: Uint8Array.from(aspects, (one) => Number(aspect === null || aspect === one)),
      ...(await curvesFor({ bank, config, set, merging }, { k, sources }, context)),
      sequences: queries.map((query) => texts.get(query.sequence_id) as string),
      vectors,
      queryOfRow,
      merged: merging === null ? null : await mergedInput(merging, queries, context),
      querySequence: Int32Array.from(queries, (query) => sequenceNumber(bank.arrays, query.sequence_id)),
      self: Int32Array.from(known, ({ protein }) => protein?.reference ?? -1),
      taxon,
      sequenceAlone: sequenceOnly ? network : null,
      hits: hits === null ? null : await foreignHits(queries, { bank, ...hits }, context),
      kingdom,
      hasModel: Uint8Array.from(kingdom, (one) =>
        Number(isOfModels({ config, isMerged: merging !== null }, one)),
      ),
    },
  };
}

/** Reads uploaded hits in the numbers of the bank, without targets that it lacks. */
async function foreignHits(
  queries: readonly QueryRow[],
  { bank: { texts, arrays }, querySetId }: { bank: ReferenceBank; querySetId: string },
  { db }: Pick<BankContext, 'db'>,
): Promise<ForeignHit[][]> {
  const accessions = queries.map(({ accession }) => accession);
  const stored = await hitsOfQueries(db, querySetId, accessions);
  return accessions.map((accession) =>
    (stored.get(accession) ?? []).flatMap(([target, logEValue, identity]) => {
      const reference = indexOfSorted(texts.accessions, target);
      return reference < 0
        ? []
        : [
            {
              sequence: arrays.referenceSequence[reference],
              // Sources are stored as float32, and the evidence of a term must give its score.
              logEValue: Math.fround(logEValue),
              identity: Math.fround(identity),
            },
          ];
    }),
  );
}

/** Gives a query with known sources in the form that the combination scores, and whether the models of eukaryotes score it. */
export async function queryWithSources(
  {
    query,
    bank,
    config,
    set,
    isMerged,
  }: { query: QueryRow; isMerged: boolean } & Pick<CombinedSubject, 'bank' | 'config' | 'set'>,
  sources: Pick<CombinedQuery, 'aligned' | 'near'>,
  context: Pick<BankContext, 'db' | 'compute' | 'memory' | 'signal'>,
): Promise<{ shared: SharedReference; query: CombinedQuery; hasModel: boolean }> {
  const { shared } = await combinedCountsOf(bank, set.ontology_snapshot_id, context);
  const { known, taxon } = await knowledgeOf([query], bank, context);
  const self = known[0].protein?.reference ?? -1;
  const own = ownTermsOrNull(shared.reference, self);
  const organism =
    own === null ? indexOfSorted(shared.organismTaxa, taxon[0]) : shared.reference.organism[self];
  const lineages = await lineagesByTaxon(context.db, taxon);
  const hasModel = isOfModels({ config, isMerged }, kingdomOf(lineages.get(taxon[0])));
  return { shared, query: { ...sources, self, own, organism }, hasModel };
}

/** Says whether queries of a superkingdom are scored by the models that learnt from eukaryotes and one embedding. */
function isOfModels(
  { config, isMerged }: Pick<CombinedSubject, 'config'> & { isMerged: boolean },
  kingdom: string | null,
): boolean {
  return kingdom === 'Eukaryota' && !isMerged && config.model_name === calibratedEmbedding;
}

/** Gives the reference that each query is, and its taxon (0 if unknown). */
async function knowledgeOf(
  queries: readonly QueryRow[],
  bank: ReferenceBank,
  context: Pick<BankContext, 'db' | 'compute' | 'memory' | 'signal'>,
): Promise<{ known: Known[]; taxon: Int32Array }> {
  const known = await knownProteins(queries, bank, context);
  const taxon = Int32Array.from(queries, ({ taxonomy_id }, q) => {
    const { protein } = known[q];
    return taxonomy_id ?? (protein === null ? 0 : bank.arrays.referenceTaxon[protein.reference]);
  });
  return { known, taxon };
}

/**
 * Curves that were fitted for the reference come first; the shipped ones are for the sources that they were measured with. What experiments
 * show was measured where all annotations have evidence codes: on a broad reference, bare process terms that were said to be 50 % and more
 * were right in 43 %. What databases hold was measured on a reference that also has annotations without recorded evidence, and on one
 * without any experiment.
 */
export async function curvesFor(
  { bank, config, set, merging }: Pick<CombinedSubject, 'bank' | 'config' | 'set' | 'merging'>,
  { k, sources }: Pick<CombinedChoices, 'k' | 'sources'>,
  context: Pick<BankContext, 'db' | 'memory'>,
): Promise<Pick<CombinedInput, 'curves' | 'databaseCurves'>> {
  const { evidence, ...others } = sources;
  // The curves were measured without a choice of sources, aspects or organisms.
  if (Object.values(others).some((choice) => choice !== null)) return { curves: [], databaseCurves: [] };
  const further = merging?.further ?? [];
  const stored = await storedCurves(context.db, {
    annotationSetId: set.id,
    embeddingConfigIds: [config.id, ...further.map((one) => one.config.id)],
    donors: k,
    evidence: evidence ?? evidenceGroups,
  });
  const isShippedFor =
    k === combinedSources &&
    evidence === null &&
    further.length === 0 &&
    config.model_name === calibratedEmbedding;
  if (!isShippedFor) return { curves: stored, databaseCurves: [] };
  return isOfDatabases(bank.texts.evidenceCodes)
    ? { curves: stored, databaseCurves: await shippedDatabaseCurves(context) }
    : { curves: [...stored, ...(await shippedCurves(context))], databaseCurves: [] };
}

/**
 * Says whether queries without a similar protein may get terms from their sequence alone: how often these are right was measured beside a
 * whole reference, searched as by default.
 */
export function mayAnswerFromSequence(
  { model_name }: Pick<CombinedSubject['config'], 'model_name'>,
  { sources, isMerged, codes }: { sources: SourceChoice; isMerged: boolean; codes: readonly string[] },
): boolean {
  const isWhole = Object.values(sources).every((choice) => choice === null);
  // Without experiments there are no frequencies that the network's terms move to.
  return isWhole && !isMerged && hasExperiments(codes) && model_name === calibratedEmbedding;
}

/** Says whether a reference with these codes can only say what databases hold: some evidence is not recorded, or none is experimental. */
function isOfDatabases(codes: readonly string[]): boolean {
  return codes.includes(unrecordedEvidence) || !hasExperiments(codes);
}

function hasExperiments(codes: readonly string[]): boolean {
  const shown: ReadonlySet<string> = new Set(experimentalEvidence);
  return codes.some((code) => shown.has(code));
}

/** The shipped curves and the models of eukaryotes were made with this embedding, which gave the sources by distance. */
const calibratedEmbedding = 'kmer-1024';
