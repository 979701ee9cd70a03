import { aspects, type Aspect } from '@kindred/contracts';
import { combinedDonors } from '@kindred/contracts/resources/prediction-sets';
import { indexOfSorted } from '@kindred/kernels/arrays';
import {
  type CombinedQuery,
  evidenceGroups,
  ownTermsOrNull,
  type ProbabilityCurve,
} from '@kindred/kernels/combined';
import { groupReferences, type SequenceGroups } from '@kindred/kernels/knn';
import type { OntologyColumns } from '@kindred/kernels/ontology';
import type { CombinedInput, SharedReference } from '../compute/combined-tasks.js';
import { type ReferenceBank, searchedBank } from '../compute/reference-bank.js';
import { storedCurves } from '../store/predictions/calibration.repository.js';
import type { KnownBy } from '../store/predictions/prediction-writer.js';
import { type QueryRow, sequenceTexts } from '../store/proteins/queries.repository.js';
import type { BankContext } from './bank-context.js';
import type { DonorChoice } from './donor-choice.js';
import { combinedCountsOf, combinedReferenceOf, shippedCurves } from './combined-reference.js';
import { type Merging, mergedInput } from './merged-embeddings.js';
import { kingdomOf, lineagesByTaxon } from './query-lineages.js';
import { queryVectors } from './query-vectors.js';

/** What a job of the method `combined` chose. */
export interface CombinedChoices {
  k: number;
  /** What was chosen of the reference, as `bank` is. */
  donors: DonorChoice;
  aspect: Aspect | null;
}

export interface CombinedSubject {
  queries: readonly QueryRow[];
  bank: ReferenceBank;
  config: { id: string; number: number; dimension: number; model_name: string };
  /** The bank's annotation set, and its snapshot. */
  set: { id: string; number: number; ontology_snapshot_id: string };
  /** Other embeddings whose neighbours count, too; null: none. */
  merging: Merging | null;
}

/** The reference protein that is the query itself: of the same accession, or else of the same sequence. */
interface KnownProtein {
  reference: number;
  by: KnownBy;
}

/** Everything that a thread needs to score the queries. */
export async function combinedInput(
  { queries, bank, config, set, merging }: CombinedSubject,
  { k, donors, aspect }: CombinedChoices,
  context: Pick<BankContext, 'db' | 'compute' | 'signal'>,
): Promise<{
  input: CombinedInput;
  known: (KnownProtein | null)[];
  ontology: OntologyColumns;
  lineages: ReadonlyMap<number, readonly number[]>;
}> {
  const { ontology, ...reference } = await combinedReferenceOf(bank, set.ontology_snapshot_id, context);
  const texts = await sequenceTexts(context.db, [...new Set(queries.map((query) => query.sequence_id))]);
  const { vectors, queryOfRow } = await queryVectors(queries, config, context);
  const { known, taxon } = knowledgeOf(queries, bank);
  const lineages = await lineagesByTaxon(context.db, taxon);
  return {
    known,
    ontology,
    lineages,
    input: {
      bank: searchedBank(bank),
      ...reference,
      k,
      aspects: Uint8Array.from(aspects, (one) => Number(aspect === null || aspect === one)),
      curves: await curvesFor({ config, set, merging }, { k, donors }, context),
      sequences: queries.map((query) => texts.get(query.sequence_id) as string),
      vectors,
      queryOfRow,
      merged: merging === null ? null : await mergedInput(merging, queries, context),
      querySequence: Int32Array.from(queries, (query) =>
        indexOfSorted(bank.arrays.sequenceIds, query.sequence_id),
      ),
      self: Int32Array.from(known, (is) => is?.reference ?? -1),
      taxon,
      kingdom: Array.from(taxon, (id) => kingdomOf(lineages.get(id))),
    },
  };
}

/** A query whose donors are known already, as the combination scores it. */
export async function queryWithDonors(
  { query, bank, set }: { query: QueryRow; bank: ReferenceBank; set: CombinedSubject['set'] },
  donors: Pick<CombinedQuery, 'aligned' | 'near'>,
  context: Pick<BankContext, 'db' | 'compute' | 'signal'>,
): Promise<{ shared: SharedReference; query: CombinedQuery }> {
  const { shared } = await combinedCountsOf(bank, set.ontology_snapshot_id, context);
  const { known, taxon } = knowledgeOf([query], bank);
  const self = known[0]?.reference ?? -1;
  const own = ownTermsOrNull(shared.reference, self);
  const organism =
    own === null ? indexOfSorted(shared.organismTaxa, taxon[0]) : shared.reference.organism[self];
  return { shared, query: { ...donors, self, own, organism } };
}

/** The reference that each query is, and its taxon (0 where nothing says it). */
function knowledgeOf(
  queries: readonly QueryRow[],
  bank: ReferenceBank,
): { known: (KnownProtein | null)[]; taxon: Int32Array } {
  const known = knownProteins(queries, bank);
  const taxon = Int32Array.from(queries, ({ taxonomy_id }, q) => {
    const is = known[q];
    return taxonomy_id ?? (is === null ? 0 : bank.arrays.referenceTaxon[is.reference]);
  });
  return { known, taxon };
}

/** Curves that were fitted for the reference come first; the shipped ones are for the donors that they were measured with. */
async function curvesFor(
  { config, set, merging }: Pick<CombinedSubject, 'config' | 'set' | 'merging'>,
  { k, donors }: Pick<CombinedChoices, 'k' | 'donors'>,
  { db }: Pick<BankContext, 'db'>,
): Promise<ProbabilityCurve[]> {
  const { evidence, ...others } = donors;
  // Nothing was measured with a choice of sources, aspects or organisms.
  if (Object.values(others).some((choice) => choice !== null)) return [];
  const further = merging?.further ?? [];
  const stored = await storedCurves(db, {
    annotationSetId: set.id,
    embeddingConfigIds: [config.id, ...further.map((one) => one.config.id)],
    donors: k,
    evidence: evidence ?? evidenceGroups,
  });
  const isShippedFor =
    k === combinedDonors &&
    evidence === null &&
    further.length === 0 &&
    config.model_name === calibratedEmbedding;
  return isShippedFor ? [...stored, ...(await shippedCurves())] : stored;
}

/** The embedding of the donors by distance that the shipped curves were measured with. */
const calibratedEmbedding = 'kmer-1024';

let grouped: { key: unknown; groups: SequenceGroups } | null = null;

/** If several proteins have the query's sequence: the one of its taxon, or else the first by accession. */
function knownProteins(
  queries: readonly Pick<QueryRow, 'accession' | 'sequence_id' | 'taxonomy_id'>[],
  bank: ReferenceBank,
): (KnownProtein | null)[] {
  const { sequenceIds, referenceSequence, referenceTaxon } = bank.arrays;
  if (grouped?.key !== referenceSequence)
    grouped = {
      key: referenceSequence,
      groups: groupReferences(
        referenceSequence,
        Int32Array.from(referenceSequence.keys()),
        sequenceIds.length,
      ),
    };
  const { start, members } = grouped.groups;
  return queries.map(({ accession, sequence_id, taxonomy_id }) => {
    const byAccession = indexOfSorted(bank.texts.accessions, accession);
    if (byAccession >= 0) return { reference: byAccession, by: 'accession' };
    const sequence = indexOfSorted(sequenceIds, sequence_id);
    if (sequence < 0) return null;
    const same = members.subarray(start[sequence], start[sequence + 1]);
    if (same.length === 0) return null;
    const ofTaxon = same.find((reference) => referenceTaxon[reference] === taxonomy_id);
    return { reference: ofTaxon ?? same[0], by: 'sequence' };
  });
}
