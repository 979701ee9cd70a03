import { BinaryRows, copyBinaryRows } from '../postgres/binary-copy.js';
import type { Transaction } from '../postgres/db.js';
import { type PairFeatureColumns, storePredictionFeatures } from './prediction-features-writer.js';

/** The rows of one batch, in columns of one length; see prediction-frame.ts. Rows lie by query, then by the term's rank. */
export interface PredictionBatch {
  setNumber: number;
  /** Fill predictions_jsonb too. */
  jsonb: boolean;
  queries: { accession: string; sequence_id: number; taxonomy_id: number | null }[];
  /** An accession of null stands for no donor. */
  references: { accession: string | null; taxonomy_id: number | null }[];
  evidenceCodes: string[];
  qualifiers: string[];
  query: Int32Array;
  termRowId: Int32Array;
  reference: Int32Array;
  distance: Float32Array;
  score: Float32Array;
  termRank: Int32Array;
  isNearest: Uint8Array;
  evidence: Int32Array;
  qualifier: Uint8Array;
  reranker: {
    voteCount: Int32Array;
    kPosition: Int32Array;
    termFrequency: Int32Array;
    annotationDensity: Int32Array;
    distanceStd: Float32Array;
    voteFraction: Float32Array;
  } | null;
  alignment: {
    /** identity, similarity, score, gaps, length: first global, then local. */
    shares: Float32Array[];
    lengthQuery: Int32Array;
    lengthReference: Int32Array;
  } | null;
  taxonomy: {
    /** 0 where there is none. */
    lca: Int32Array;
    /** Edges; negative where there is none. */
    distance: Int32Array;
    commonAncestors: Int32Array;
    /** Index into `relations`. */
    relation: Uint8Array;
    relations: string[];
  } | null;
  /** 0 P, 1 F, 2 C. Without it no feature rows are written. */
  aspect?: Uint8Array | null;
  pairFeatures?: PairFeatureColumns | null;
}

const plainColumns = [
  'prediction_set_number',
  'protein_accession',
  'go_term_id',
  'ref_protein_accession',
  'distance',
  'score',
  'term_rank',
  'is_nearest',
  'qualifier',
  'evidence_code',
  'query_taxonomy_id',
  'ref_taxonomy_id',
];
const rerankerColumns = [
  'vote_count',
  'k_position',
  'go_term_frequency',
  'ref_annotation_density',
  'neighbor_distance_std',
  'neighbor_vote_fraction',
];
const alignmentColumns = [
  'identity_nw',
  'similarity_nw',
  'alignment_score_nw',
  'gaps_pct_nw',
  'alignment_length_nw',
  'identity_sw',
  'similarity_sw',
  'alignment_score_sw',
  'gaps_pct_sw',
  'alignment_length_sw',
  'length_query',
  'length_ref',
];
const taxonomyColumns = [
  'taxonomic_lca',
  'taxonomic_distance',
  'taxonomic_common_ancestors',
  'taxonomic_relation',
];

/** Writes the rows and the counts per query, by COPY. Idempotence is the ledger's: one transaction, one batch. */
export async function storePredictions(
  trx: Transaction,
  batch: PredictionBatch,
): Promise<{ predictions_inserted: number }> {
  const columns = [
    ...plainColumns,
    ...(batch.reranker ? rerankerColumns : []),
    ...(batch.alignment ? alignmentColumns : []),
    ...(batch.taxonomy ? taxonomyColumns : []),
    ...(batch.jsonb ? ['predictions_jsonb'] : []),
  ];
  const rows = new BinaryRows(columns.length);
  for (let at = 0; at < batch.query.length; at++) {
    rows.row();
    writePlain(rows, batch, at);
    if (batch.reranker) writeReranker(rows, batch.reranker, at);
    if (batch.alignment) writeAlignment(rows, batch.alignment, at);
    if (batch.taxonomy) writeTaxonomy(rows, batch.taxonomy, at);
    if (batch.jsonb) rows.json(jsonMirror(batch, at));
  }
  if (rows.rowCount > 0) await copyBinaryRows(trx, 'go_prediction', columns, rows);
  await storePredictionFeatures(trx, batch);
  await storeProteins(trx, batch);
  return { predictions_inserted: rows.rowCount };
}

function writePlain(rows: BinaryRows, batch: PredictionBatch, at: number): void {
  const query = batch.queries[batch.query[at]];
  const reference = batch.references[batch.reference[at]];
  const nullableInt = (value: number | null) => (value === null ? rows.null() : rows.int4(value));
  rows.int4(batch.setNumber);
  rows.text(query.accession);
  rows.int4(batch.termRowId[at]);
  rows.text(reference.accession);
  rows.float4(batch.distance[at]);
  rows.float4(batch.score[at]);
  rows.int4(batch.termRank[at]);
  rows.boolean(batch.isNearest[at] === 1);
  rows.text(batch.qualifiers[batch.qualifier[at]] ?? null);
  rows.text(batch.evidenceCodes[batch.evidence[at]] ?? null);
  nullableInt(query.taxonomy_id);
  nullableInt(reference.taxonomy_id);
}

function writeReranker(
  rows: BinaryRows,
  features: NonNullable<PredictionBatch['reranker']>,
  at: number,
): void {
  rows.int4(features.voteCount[at]);
  rows.int4(features.kPosition[at]);
  rows.int4(features.termFrequency[at]);
  rows.int4(features.annotationDensity[at]);
  rows.float4(features.distanceStd[at]);
  rows.float4(features.voteFraction[at]);
}

function writeAlignment(
  rows: BinaryRows,
  features: NonNullable<PredictionBatch['alignment']>,
  at: number,
): void {
  for (const share of features.shares) rows.float4(share[at]);
  rows.int4(features.lengthQuery[at]);
  rows.int4(features.lengthReference[at]);
}

function writeTaxonomy(
  rows: BinaryRows,
  features: NonNullable<PredictionBatch['taxonomy']>,
  at: number,
): void {
  if (features.lca[at] === 0) rows.null();
  else rows.int4(features.lca[at]);
  if (features.distance[at] < 0) rows.null();
  else rows.int4(features.distance[at]);
  rows.int4(features.commonAncestors[at]);
  rows.text(features.relations[features.relation[at]]);
}

function jsonMirror(batch: PredictionBatch, at: number) {
  const evidence = batch.evidenceCodes[batch.evidence[at]] ?? null;
  return { predictions: [{ go_term_id: batch.termRowId[at], score: batch.score[at], evidence }], count: 1 };
}

/** One row per query of the batch, also for those that got nothing. */
async function storeProteins(trx: Transaction, batch: PredictionBatch): Promise<void> {
  const counts = batch.queries.map(() => ({ terms: 0, predictions: 0, minDistance: Number.NaN }));
  for (let at = 0; at < batch.query.length; at++) {
    const count = counts[batch.query[at]];
    count.predictions++;
    count.terms += batch.isNearest[at];
    if (!(batch.distance[at] >= count.minDistance)) count.minDistance = batch.distance[at];
  }
  const rows = new BinaryRows(6);
  batch.queries.forEach((query, index) => {
    rows.row();
    rows.int4(batch.setNumber);
    rows.text(query.accession);
    rows.int8(query.sequence_id);
    rows.int4(counts[index].terms);
    rows.int4(counts[index].predictions);
    rows.float4(counts[index].minDistance);
  });
  const columns = [
    'prediction_set_number',
    'protein_accession',
    'sequence_id',
    'term_count',
    'prediction_count',
    'min_distance',
  ];
  if (rows.rowCount > 0) await copyBinaryRows(trx, 'prediction_set_protein', columns, rows);
}
