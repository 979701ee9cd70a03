import { ranksInGroups } from '@kindred/kernels/arrays';
import { type alignmentOrigins, sequenceAloneData } from '@kindred/kernels/combined';
import { foundBy } from '@kindred/contracts/search-hits';
import { type CombinedChoices, combinedInput, type CombinedSubject } from './banks/combined-input.js';
import { Numbering } from '../ground/numbering.js';
import { type CombinedOutput, combinedSources, combinedTask } from './compute/tasks/combined.js';
import type { ReferenceBank } from './compute/reference-bank.js';
import type { PredictionBatch, StoredQuery, TermSource } from '../store/predictions/prediction-writer.js';
import { encodeSources } from '../store/predictions/stored-sources.js';
import type { OperationContext } from '../work/operation/operation.js';
import { type Contradictions, contradictionsOf } from './contradictions.js';
import type { Known } from './banks/known-proteins.js';
import { storedKnown } from './prediction-frame.js';

export interface CombinedPredictions {
  batch: PredictionBatch;
  /**
   * Each query has a number that says how well the reference fits it: more than 1 if it has the query itself,
   * else the alignment score of the most similar protein, as a share of the query's score with itself; -1
   * without a similar protein. The size of the reference does not count.
   */
  fits: number[];
}

/** Makes the rows of a batch by the method `combined`. */
export async function combinedPredictions(
  subject: CombinedSubject,
  choices: CombinedChoices,
  { setNumber, jsonb, context }: { setNumber: number; jsonb: boolean; context: OperationContext },
): Promise<CombinedPredictions> {
  const { input, known, ontology, lineages } = await combinedInput(subject, choices, context);
  const hits = choices.hits?.name ?? null;
  const found = await context.compute.run(combinedTask, input, { signal: context.signal });
  const { queries, bank, set } = subject;
  const contradictions = await contradictionsOf(
    found,
    {
      bank,
      setNumber: set.number,
      sources: choices.sources,
      ontology,
      closure: input.shared.closure,
      taxon: input.taxon,
      lineages,
      self: input.self,
    },
    context,
  );
  const batch = {
    ...packed(found, {
      bank,
      hits,
      curves: [...input.curves, ...input.databaseCurves, { windows: [sequenceAloneData] }],
      contradictions,
    }),
    setNumber,
    jsonb,
    hasFeatures: false,
    queries: queries.map(({ accession, sequence_id, taxonomy_id }, q) => ({
      accession,
      sequence_id,
      taxonomy_id,
      no_answer: found.noAnswer[q],
      ...storedDistant(found.distant[q], bank),
      ...storedKnown(known[q], bank),
      donors: storedSources(found.sources[q], bank),
    })),
  };
  return { batch, fits: queries.map((_, q) => fitOf(known[q], found.sources[q])) };
}

function fitOf({ protein }: Known, sources: CombinedOutput['sources'][number]): number {
  if (sources === null) return -1;
  if (protein !== null) return 1 + (protein.likeness?.identity ?? 1);
  return sources.aligned.share.reduce((most, share) => Math.max(most, share), 0);
}

/** The E-value of a distant relative lies far within the range of the column. */
function storedDistant(
  distant: CombinedOutput['distant'][number],
  { texts: { accessions } }: ReferenceBank,
): Pick<StoredQuery, 'distant_accession' | 'distant_e_value'> {
  if (distant === null) return {};
  return { distant_accession: accessions[distant.reference], distant_e_value: 10 ** distant.logEValue };
}

function storedSources(
  sources: CombinedOutput['sources'][number],
  { texts: { accessions } }: ReferenceBank,
): Uint8Array | null {
  if (sources === null) return null;
  const { aligned, near } = sources;
  return encodeSources({
    aligned: Array.from(aligned.reference, (reference, i) => ({
      accession: accessions[reference],
      logEValue: aligned.logEValue[i],
      identity: aligned.identity[i],
      share: aligned.share[i],
      origin: aligned.origin?.[i] ?? 0,
    })),
    near: Array.from(near.reference, (reference, i) => ({
      accession: accessions[reference],
      distance: near.distance[i],
    })),
  });
}

/** Packs rows for the writer: references and terms become accessions and database ids. */
function packed(
  found: CombinedOutput,
  {
    bank,
    hits,
    curves,
    contradictions,
  }: {
    bank: ReferenceBank;
    hits: string | null;
    curves: readonly { windows: string[] }[];
    contradictions: Contradictions;
  },
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
      source_found_by: Int32Array.from(found.origin, (origin) => origin - 1),
      distance: found.distance,
      source_identity: found.identity,
      similar_proteins: found.similar,
      supporters: found.supporters,
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
      source_found_by:
        hits === null
          ? []
          : (['hit', 'both'] satisfies (typeof alignmentOrigins)[number][]).map((origin) =>
              foundBy(hits, origin),
            ),
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
