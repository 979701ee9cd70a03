import { aspects, type Aspect } from '@kindred/contracts';
import { combinedDonors } from '@kindred/contracts/resources/prediction-sets';
import { indexOfSorted, ranksInGroups } from '@kindred/kernels/arrays';
import { type EvidenceGroup, evidenceGroups, type ProbabilityCurve } from '@kindred/kernels/combined';
import { groupReferences, type SequenceGroups } from '@kindred/kernels/knn';
import type { OntologyColumns } from '@kindred/kernels/ontology';
import {
  type CombinedInput,
  type CombinedOutput,
  combinedSources,
  combinedTask,
} from '../../compute/combined-tasks.js';
import type { ReferenceBank } from '../../compute/reference-bank.js';
import type { KnownBy, PredictionBatch, TermSource } from '../../store/predictions/prediction-writer.js';
import { storedCurves } from '../../store/predictions/calibration.repository.js';
import { type QueryRow, sequenceTexts } from '../../store/proteins/queries.repository.js';
import type { OperationContext } from '../operation.js';
import { type Contradictions, contradictionsOf } from './contradictions.js';
import { combinedReferenceOf, shippedCurves } from './combined-reference.js';
import { Numbering } from './numbering.js';
import { kingdomOf, lineagesByTaxon } from './query-lineages.js';
import { queryVectors } from './query-vectors.js';

/** What a job of the method `combined` chose. */
export interface CombinedChoices {
  k: number;
  evidence: readonly EvidenceGroup[] | null;
  aspect: Aspect | null;
}

export interface CombinedSubject {
  queries: readonly QueryRow[];
  bank: ReferenceBank;
  config: { id: string; number: number; dimension: number; model_name: string };
  /** The bank's annotation set, and its snapshot. */
  set: { id: string; number: number; ontology_snapshot_id: string };
}

/** The reference protein that a query is, by its accession, else by its exact sequence. */
interface KnownProtein {
  reference: number;
  by: KnownBy;
}

/** The rows of a batch by the method `combined`. */
export async function combinedPredictions(
  subject: CombinedSubject,
  choices: CombinedChoices,
  { setNumber, jsonb, context }: { setNumber: number; jsonb: boolean; context: OperationContext },
): Promise<PredictionBatch> {
  const { input, known, ontology, lineages } = await combinedInput(subject, choices, context);
  const found = await context.compute.run(combinedTask, input, { signal: context.signal });
  const { queries, bank, set } = subject;
  const contradictions = await contradictionsOf(
    found,
    {
      bank,
      setNumber: set.number,
      ontology,
      closure: input.shared.closure,
      taxon: input.taxon,
      lineages,
      self: input.self,
    },
    context,
  );
  return {
    ...packed(found, { bank, curves: input.curves, contradictions }),
    setNumber,
    jsonb,
    hasFeatures: false,
    queries: queries.map(({ accession, sequence_id, taxonomy_id }, q) => {
      const is = known[q];
      return {
        accession,
        sequence_id,
        taxonomy_id,
        no_answer: found.noAnswer[q],
        known_accession: is === null ? null : bank.texts.accessions[is.reference],
        known_by: is === null ? null : is.by,
      };
    }),
  };
}

/** Everything that a thread needs to score the queries. */
async function combinedInput(
  { queries, bank, config, set }: CombinedSubject,
  { k, evidence, aspect }: CombinedChoices,
  context: Pick<OperationContext, 'db' | 'compute' | 'signal'>,
): Promise<{
  input: CombinedInput;
  known: (KnownProtein | null)[];
  ontology: OntologyColumns;
  lineages: ReadonlyMap<number, readonly number[]>;
}> {
  const groups = evidence ?? evidenceGroups;
  const mask = groups.reduce((sum, group) => sum | (1 << evidenceGroups.indexOf(group)), 0);
  const { ontology, ...reference } = await combinedReferenceOf(
    bank,
    { snapshotId: set.ontology_snapshot_id, evidence: mask },
    context,
  );
  const texts = await sequenceTexts(context.db, [...new Set(queries.map((query) => query.sequence_id))]);
  const { vectors, queryOfRow } = await queryVectors(queries, config, context);
  const known = knownProteins(queries, bank);
  const taxon = Int32Array.from(queries, ({ taxonomy_id }, q) => {
    const is = known[q];
    return taxonomy_id ?? (is === null ? 0 : bank.arrays.referenceTaxon[is.reference]);
  });
  const lineages = await lineagesByTaxon(context.db, taxon);
  return {
    known,
    ontology,
    lineages,
    input: {
      bank: { vectorsFile: bank.vectorsFile, arrays: bank.arrays },
      ...reference,
      k,
      aspects: Uint8Array.from(aspects, (one) => Number(aspect === null || aspect === one)),
      curves: await curvesFor({ config, set }, { k, evidence }, context),
      sequences: queries.map((query) => texts.get(query.sequence_id) as string),
      vectors,
      queryOfRow,
      querySequence: Int32Array.from(queries, (query) =>
        indexOfSorted(bank.arrays.sequenceIds, query.sequence_id),
      ),
      self: Int32Array.from(known, (is) => is?.reference ?? -1),
      taxon,
      kingdom: Array.from(taxon, (id) => kingdomOf(lineages.get(id))),
    },
  };
}

/** Curves that were fitted for the reference come first; the shipped ones are for the donors that they were measured with. */
async function curvesFor(
  { config, set }: Pick<CombinedSubject, 'config' | 'set'>,
  { k, evidence }: Pick<CombinedChoices, 'k' | 'evidence'>,
  { db }: Pick<OperationContext, 'db'>,
): Promise<ProbabilityCurve[]> {
  const stored = await storedCurves(db, {
    annotationSetId: set.id,
    embeddingConfigId: config.id,
    donors: k,
    evidence: evidence ?? evidenceGroups,
  });
  const isShippedFor = k === combinedDonors && evidence === null && config.model_name === calibratedEmbedding;
  return isShippedFor ? [...stored, ...(await shippedCurves())] : stored;
}

/** The embedding of the donors by distance that the shipped curves were measured with. */
const calibratedEmbedding = 'kmer-1024';

let grouped: { key: unknown; groups: SequenceGroups } | null = null;

/** Of several proteins with the query's sequence the one of its taxon, else the first by accession. */
function knownProteins(
  queries: readonly Pick<QueryRow, 'accession' | 'sequence_id' | 'taxonomy_id'>[],
  bank: ReferenceBank,
): (KnownProtein | null)[] {
  const { sequenceIds, referenceSequence, referenceTaxon } = bank.arrays;
  if (grouped?.key !== referenceSequence)
    grouped = {
      key: referenceSequence,
      groups: groupReferences(referenceSequence, Int32Array.from(referenceSequence.keys())),
    };
  const { start, members } = grouped.groups;
  return queries.map(({ accession, sequence_id, taxonomy_id }) => {
    const byAccession = indexOfSorted(bank.texts.accessions, accession);
    if (byAccession >= 0) return { reference: byAccession, by: 'accession' };
    const sequence = indexOfSorted(sequenceIds, sequence_id);
    if (sequence < 0) return null;
    const same = members.subarray(start[sequence], start[sequence + 1]);
    const ofTaxon = same.find((reference) => referenceTaxon[reference] === taxonomy_id);
    return { reference: ofTaxon ?? same[0], by: 'sequence' };
  });
}

/** Rows for the writer: references and terms become accessions and database ids. */
function packed(
  found: CombinedOutput,
  {
    bank,
    curves,
    contradictions,
  }: { bank: ReferenceBank; curves: readonly ProbabilityCurve[]; contradictions: Contradictions },
): Pick<PredictionBatch, 'query' | 'source' | 'sources' | 'columns' | 'texts'> {
  const sources = new Numbering<TermSource>(({ kind, id }) => `${kind} ${id}`);
  const source = found.reference.map((reference, row) =>
    sources.numberOf(sourceOf(found.source[row], reference, bank)),
  );
  return {
    query: found.query,
    source,
    sources: sources.values,
    columns: {
      go_term_id: found.term.map((term) => bank.arrays.termRowId[term]),
      score: found.score,
      probability: found.probability,
      probability_low: found.low,
      probability_high: found.high,
      calibrated_on: found.curve,
      answer_rank: found.answerRank,
      contradiction: contradictions.row,
      distance: found.distance,
      term_rank: ranksInGroups(found.query),
      is_nearest: new Uint8Array(found.query.length).fill(1),
      evidence_code: found.evidence,
      qualifier: new Int32Array(found.query.length).fill(-1),
    },
    texts: {
      qualifier: [],
      evidence_code: bank.texts.evidenceCodes,
      taxonomic_relation: [],
      calibrated_on: curves.map(({ windows }) => windows.join(', ')),
      contradiction: contradictions.texts,
    },
  };
}

function sourceOf(source: number, reference: number, { texts, arrays }: ReferenceBank): TermSource {
  return reference < 0
    ? { kind: 'none', id: null, taxonomy_id: null }
    : {
        kind: combinedSources[source],
        id: texts.accessions[reference],
        taxonomy_id: arrays.referenceTaxon[reference] || null,
      };
}
