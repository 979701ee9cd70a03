import { featureAspects, type PairFeatures, projectionAxes } from '@kindred/kernels/features';
import type { BinaryRows } from '../postgres/binary-copy.js';
import { copyRowsWhileWriting } from '../postgres/binary-copy.js';
import type { Transaction } from '../postgres/db.js';
import type { PredictionBatch } from './prediction-writer.js';

/** Columns of the pairs, in the order of the rows; `projected` is [queries x axes]. */
export type PairFeatureColumns = Omit<PairFeatures, 'pairCount' | 'projected'> & {
  axes: number;
  projected: Float32Array;
};

/** Writes the value of a column for a row, which is that of the nearest donor, and its pair. */
type Write = (rows: BinaryRows, row: number, pair: number) => void;
type Writers = Record<string, Write>;

const real =
  (values: ArrayLike<number>): Write =>
  (rows, row) =>
    rows.float4(values[row]);
const integer =
  (values: ArrayLike<number>): Write =>
  (rows, row) =>
    rows.int4(values[row]);
const realOfPair =
  (values: ArrayLike<number>): Write =>
  (rows, _, pair) =>
    rows.float4(values[pair]);
const integerOfPair =
  (values: ArrayLike<number>): Write =>
  (rows, _, pair) =>
    rows.int4(values[pair]);

/** One row for each (query, term), in the order of the batch. Columns that nothing was computed for stay null. */
export async function storePredictionFeatures(trx: Transaction, batch: PredictionBatch): Promise<number> {
  if (!batch.aspect) return 0;
  const nearest = nearestRows(batch);
  if (nearest.length === 0) return 0;
  const writers: Writers = {
    ...keyWriters(batch),
    ...alwaysWriters(batch, batch.aspect),
    ...alignmentWriters(batch.alignment),
    ...taxonomyWriters(batch.taxonomy),
    ...rerankerWriters(batch.reranker),
    ...pairWriters(batch, batch.pairFeatures ?? null),
  };
  const columns = Object.keys(writers);
  const write = Object.values(writers);
  await copyRowsWhileWriting(
    trx,
    { table: 'go_prediction_features', columns },
    nearest.length,
    (rows, pair) => {
      rows.row();
      for (const writeColumn of write) writeColumn(rows, nearest[pair], pair);
    },
  );
  return nearest.length;
}

/** Row of the nearest donor of each pair; a pair has exactly one. */
function nearestRows({ isNearest }: PredictionBatch): Int32Array {
  return Int32Array.from(isNearest.keys()).filter((row) => isNearest[row] === 1);
}

function keyWriters({
  setNumber,
  queries,
  query,
  termRowId,
  references,
  reference,
}: PredictionBatch): Writers {
  return {
    prediction_set_number: (rows) => rows.int4(setNumber),
    protein_accession: (rows, row) => rows.text(queries[query[row]].accession),
    go_term_id: integer(termRowId),
    ref_protein_accession: (rows, row) => rows.text(references[reference[row]].accession),
  };
}

const aspectNames = (['P', 'F', 'C'] as const).map((aspect) => featureAspects[aspect]);

function alwaysWriters(batch: PredictionBatch, aspect: Uint8Array): Writers {
  return {
    distance: real(batch.distance),
    qualifier: (rows, row) => rows.text(batch.qualifiers[batch.qualifier[row]] ?? null),
    evidence_code: (rows, row) => rows.text(batch.evidenceCodes[batch.evidence[row]] ?? null),
    aspect: (rows, row) => rows.text(aspectNames[aspect[row]]),
  };
}

function alignmentWriters(alignment: PredictionBatch['alignment']): Writers {
  if (alignment === null) return {};
  const modes = ['nw', 'sw'].flatMap((mode) =>
    ['identity', 'similarity', 'alignment_score', 'gaps_pct', 'alignment_length'].map(
      (name) => `${name}_${mode}`,
    ),
  );
  return {
    ...Object.fromEntries(modes.map((name, at) => [name, real(alignment.shares[at])])),
    length_query: integer(alignment.lengthQuery),
    length_ref: integer(alignment.lengthReference),
  };
}

function taxonomyWriters(taxonomy: PredictionBatch['taxonomy']): Writers {
  if (taxonomy === null) return {};
  const { distance, commonAncestors, relation, relations } = taxonomy;
  return {
    taxonomic_distance: (rows, row) => (distance[row] < 0 ? rows.null() : rows.int4(distance[row])),
    taxonomic_common_ancestors: integer(commonAncestors),
    taxonomic_relation: (rows, row) => rows.text(relations[relation[row]]),
  };
}

function rerankerWriters(reranker: PredictionBatch['reranker']): Writers {
  if (reranker === null) return {};
  return {
    vote_count: integer(reranker.voteCount),
    k_position: integer(reranker.kPosition),
    go_term_frequency: integer(reranker.termFrequency),
    ref_annotation_density: integer(reranker.annotationDensity),
    neighbor_distance_std: real(reranker.distanceStd),
    neighbor_vote_fraction: real(reranker.voteFraction),
  };
}

function pairWriters(batch: PredictionBatch, features: PairFeatureColumns | null): Writers {
  if (features === null) return {};
  const { lineage, taxa, termVectors, axes, projected } = features;
  const isAbove =
    (counts: Int32Array): Write =>
    (rows, _, pair) =>
      rows.boolean(counts[pair] > 0);
  const found = Math.min(axes, projectionAxes);
  const coordinates = Array.from({ length: found }, (_, axis): [string, Write] => [
    `emb_pca_query_${axis}`,
    (rows, row) => rows.float4(projected[batch.query[row] * axes + axis]),
  ]);
  return {
    neighbor_min_distance: realOfPair(features.minDistance),
    neighbor_mean_distance: realOfPair(features.meanDistance),
    ...(taxa && {
      tax_voters_same_frac: realOfPair(taxa.same),
      tax_voters_close_frac: realOfPair(taxa.close),
      tax_voters_mean_common_ancestors: realOfPair(taxa.meanCommonAncestors),
    }),
    ...(termVectors && {
      anc2vec_neighbor_cos: realOfPair(termVectors.neighbourCosine),
      anc2vec_neighbor_maxcos: realOfPair(termVectors.neighbourLargestCosine),
      anc2vec_has_emb: (rows, _, pair) => rows.boolean(termVectors.hasVector[pair] === 1),
      anc2vec_query_known_cos: realOfPair(termVectors.knownCosine),
      anc2vec_query_known_maxcos: realOfPair(termVectors.knownLargestCosine),
      anc2vec_query_known_count: integerOfPair(termVectors.knownCount),
    }),
    ...Object.fromEntries(coordinates),
    lineage_is_ancestor_of_known: isAbove(lineage.ancestorOf),
    lineage_is_descendant_of_known: isAbove(lineage.descendantOf),
    lineage_ancestor_of_count: integerOfPair(lineage.ancestorOf),
    lineage_descendant_of_count: integerOfPair(lineage.descendantOf),
  };
}
