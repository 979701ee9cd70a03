import type { PairFeatures } from '@kindred/kernels/features';
import { z } from 'zod';
import type { ReferenceBank } from '../../compute/reference-bank.js';
import type { AlignedMode, TransferOutput } from '../../compute/tasks.js';
import type { PredictionBatch } from '../../store/predictions/prediction-writer.js';
import type { QueryRow } from '../../store/proteins/queries.repository.js';
import type { RowAlignments } from './align-neighbours.js';
import type { RowTaxonomy } from './compare-donor-taxa.js';
import type { BatchProduct } from '../operation.js';
import {
  packPairFeatures,
  pairFeatureBlocks,
  pairFeatureHeader,
  unpackPairFeatures,
} from './prediction-feature-frame.js';

export interface PredictionColumns {
  rows: TransferOutput;
  alignments: RowAlignments | null;
  taxonomy: RowTaxonomy | null;
  rerankerFeatures: boolean;
  /** Beside rerankerFeatures; null where they were not asked for. */
  pairFeatures: PairFeatures | null;
}

const nullableInt = z.int().nullable();
/** Everything that is text or small; the numbers travel as blocks beside it. */
const frameHeader = z.object({
  set_number: z.int(),
  jsonb: z.boolean(),
  alignments: z.boolean(),
  reranker_features: z.boolean(),
  /** Names of the relations between taxa; null where taxa were not compared. */
  taxonomic_relations: z.array(z.string()).nullable(),
  /** Rows of go_prediction_features are to be written. */
  feature_rows: z.boolean(),
  pair_features: pairFeatureHeader,
  queries: z.array(z.object({ accession: z.string(), sequence_id: z.int(), taxonomy_id: nullableInt })),
  references: z.array(z.object({ accession: z.string(), taxonomy_id: nullableInt })),
  evidence_codes: z.array(z.string()),
  qualifiers: z.array(z.string()),
});

/** Packs the rows so that the writer needs no bank: references and terms become accessions and database ids. */
export function packPredictions(
  { rows, alignments, taxonomy, rerankerFeatures, pairFeatures }: PredictionColumns,
  about: { setNumber: number; queries: QueryRow[]; bank: ReferenceBank; jsonb: boolean },
): BatchProduct {
  const { bank, queries } = about;
  const used = Int32Array.from(new Set(rows.reference)).sort();
  const place = new Map(Array.from(used, (reference, index) => [reference, index]));
  const ofPairs = packPairFeatures(pairFeatures, queries.length);
  const featureRows = alignments !== null || taxonomy !== null || rerankerFeatures;
  const header: z.infer<typeof frameHeader> = {
    set_number: about.setNumber,
    jsonb: about.jsonb,
    alignments: alignments !== null,
    reranker_features: rerankerFeatures,
    taxonomic_relations: taxonomy && [...taxonomy.relations],
    feature_rows: featureRows,
    pair_features: ofPairs.header,
    ...textsOf(queries, bank, used),
  };
  const blocks: ArrayBufferView[] = [
    rows.query,
    rows.term.map((term) => bank.arrays.termRowId[term]),
    rows.reference.map((reference) => place.get(reference) as number),
    rows.distance,
    rows.score,
    rows.termRank,
    rows.isNearest,
    rows.evidence,
    rows.qualifier,
  ];
  if (rerankerFeatures) {
    blocks.push(
      rows.voteCount,
      rows.kPosition,
      rows.termFrequency,
      rows.annotationDensity,
      rows.distanceStd,
      rows.voteFraction,
    );
  }
  if (alignments !== null) {
    blocks.push(
      ...modeBlocks(alignments.global),
      ...modeBlocks(alignments.local),
      alignments.lengthQuery,
      alignments.lengthReference,
    );
  }
  if (taxonomy !== null)
    blocks.push(taxonomy.lca, taxonomy.distance, taxonomy.commonAncestors, taxonomy.relation);
  if (featureRows) blocks.push(Uint8Array.from(rows.term, (term) => bank.arrays.termAspect[term]));
  blocks.push(...ofPairs.blocks);
  return { header, blocks };
}

function textsOf(queries: QueryRow[], { texts, arrays }: ReferenceBank, used: Int32Array) {
  return {
    queries: queries.map(({ accession, sequence_id, taxonomy_id }) => ({
      accession,
      sequence_id,
      taxonomy_id,
    })),
    references: Array.from(used, (reference) => ({
      accession: texts.accessions[reference],
      taxonomy_id: arrays.referenceTaxon[reference] || null,
    })),
    evidence_codes: texts.evidenceCodes,
    qualifiers: texts.qualifiers,
  };
}

function modeBlocks(mode: AlignedMode): Float32Array[] {
  return [mode.identity, mode.similarity, mode.score, mode.gaps, mode.length];
}

/** The opposite of packPredictions, checked: the frame may come from another machine. */
export function unpackPredictions(product: BatchProduct): PredictionBatch {
  const header = frameHeader.parse(product.header);
  const blocks = [...product.blocks];
  const expected =
    9 +
    (header.reranker_features ? 6 : 0) +
    (header.alignments ? 12 : 0) +
    (header.taxonomic_relations ? 4 : 0) +
    (header.feature_rows ? 1 : 0) +
    pairFeatureBlocks(header.pair_features);
  if (blocks.length !== expected)
    throw new RangeError(`a frame of predictions has ${blocks.length} blocks, expected ${expected}`);
  const take = <T>() => blocks.shift() as T;
  return {
    setNumber: header.set_number,
    jsonb: header.jsonb,
    queries: header.queries,
    references: header.references,
    evidenceCodes: header.evidence_codes,
    qualifiers: header.qualifiers,
    query: take(),
    termRowId: take(),
    reference: take(),
    distance: take(),
    score: take(),
    termRank: take(),
    isNearest: take(),
    evidence: take(),
    qualifier: take(),
    reranker: header.reranker_features
      ? {
          voteCount: take(),
          kPosition: take(),
          termFrequency: take(),
          annotationDensity: take(),
          distanceStd: take(),
          voteFraction: take(),
        }
      : null,
    alignment: header.alignments
      ? {
          shares: Array.from({ length: 10 }, () => take<Float32Array>()),
          lengthQuery: take(),
          lengthReference: take(),
        }
      : null,
    taxonomy: header.taxonomic_relations && {
      lca: take(),
      distance: take(),
      commonAncestors: take(),
      relation: take(),
      relations: header.taxonomic_relations,
    },
    aspect: header.feature_rows ? take() : null,
    pairFeatures: unpackPairFeatures(header.pair_features, take),
  };
}
