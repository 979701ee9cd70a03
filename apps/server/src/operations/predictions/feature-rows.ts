import {
  emptyFeatureTable,
  featureAspects,
  type FeatureTable,
  type PairFeatures,
  projectionAxes,
} from '@kindred/kernels/features';
import type { ReferenceBank } from '../../compute/reference-bank.js';
import type { PredictionColumns } from './prediction-frame.js';

/** The feature vectors of the (query, term) pairs of a batch, in the order of the rows. */
export interface FeatureRows extends FeatureTable {
  /** Index of the query: [rowCount] */
  query: Int32Array;
  /** Index into the bank's terms: [rowCount] */
  term: Int32Array;
  /** The nearest donor, as index into the bank's references: [rowCount] */
  reference: Int32Array;
}

type Numbers = Record<string, Float32Array>;
const aspectNames = (['P', 'F', 'C'] as const).map((aspect) => featureAspects[aspect]);

/** One row for each (query, term): the values that the service stores for a prediction. */
export function featureRows(
  columns: PredictionColumns,
  bank: ReferenceBank,
  queryCount: number,
): FeatureRows {
  const { rows } = columns;
  const nearest = Int32Array.from(rows.isNearest.keys()).filter((row) => rows.isNearest[row] === 1);
  const table = emptyFeatureTable(nearest.length);
  const at = (values: ArrayLike<number>) => Float32Array.from(nearest, (row) => values[row]);
  table.numbers.distance = at(rows.distance);
  fillAlignments(table.numbers, columns, at);
  fillTaxonomy(table, columns, nearest);
  if (columns.rerankerFeatures) {
    table.numbers.vote_count = at(rows.voteCount);
    table.numbers.k_position = at(rows.kPosition);
    table.numbers.go_term_frequency = at(rows.termFrequency);
    table.numbers.ref_annotation_density = at(rows.annotationDensity);
    table.numbers.neighbor_distance_std = at(rows.distanceStd);
    table.numbers.neighbor_vote_fraction = at(rows.voteFraction);
  }
  const query = nearest.map((row) => rows.query[row]);
  if (columns.pairFeatures !== null) fillPairs(table.numbers, columns.pairFeatures, { query, queryCount });
  const texts = (values: ArrayLike<number>, names: readonly string[]) =>
    Array.from(nearest, (row) => names[values[row]] ?? null);
  table.categories.qualifier = texts(rows.qualifier, bank.texts.qualifiers);
  table.categories.evidence_code = texts(rows.evidence, bank.texts.evidenceCodes);
  table.categories.aspect = Array.from(nearest, (row) => aspectNames[bank.arrays.termAspect[rows.term[row]]]);
  return {
    ...table,
    query,
    term: nearest.map((row) => rows.term[row]),
    reference: nearest.map((row) => rows.reference[row]),
  };
}

function fillAlignments(
  numbers: Numbers,
  { alignments }: PredictionColumns,
  at: (values: ArrayLike<number>) => Float32Array,
): void {
  if (alignments === null) return;
  for (const [suffix, mode] of [
    ['nw', alignments.global],
    ['sw', alignments.local],
  ] as const) {
    numbers[`identity_${suffix}`] = at(mode.identity);
    numbers[`similarity_${suffix}`] = at(mode.similarity);
    numbers[`alignment_score_${suffix}`] = at(mode.score);
    numbers[`gaps_pct_${suffix}`] = at(mode.gaps);
    numbers[`alignment_length_${suffix}`] = at(mode.length);
  }
  numbers.length_query = at(alignments.lengthQuery);
  numbers.length_ref = at(alignments.lengthReference);
}

function fillTaxonomy(
  table: { numbers: Numbers; categories: Record<string, (string | null)[]> },
  { taxonomy }: PredictionColumns,
  nearest: Int32Array,
): void {
  if (taxonomy === null) return;
  const { distance, commonAncestors, relation, relations } = taxonomy;
  table.numbers.taxonomic_distance = Float32Array.from(nearest, (row) =>
    distance[row] < 0 ? Number.NaN : distance[row],
  );
  table.numbers.taxonomic_common_ancestors = Float32Array.from(nearest, (row) => commonAncestors[row]);
  table.categories.taxonomic_relation = Array.from(nearest, (row) => relations[relation[row]]);
}

function fillPairs(
  numbers: Numbers,
  features: PairFeatures,
  { query, queryCount }: { query: Int32Array; queryCount: number },
): void {
  const { lineage, taxa, termVectors, projected } = features;
  const isAbove = (counts: Int32Array) => Float32Array.from(counts, (count) => Number(count > 0));
  numbers.neighbor_min_distance = features.minDistance;
  numbers.neighbor_mean_distance = features.meanDistance;
  numbers.lineage_is_ancestor_of_known = isAbove(lineage.ancestorOf);
  numbers.lineage_is_descendant_of_known = isAbove(lineage.descendantOf);
  numbers.lineage_ancestor_of_count = Float32Array.from(lineage.ancestorOf);
  numbers.lineage_descendant_of_count = Float32Array.from(lineage.descendantOf);
  if (taxa !== null) {
    numbers.tax_voters_same_frac = taxa.same;
    numbers.tax_voters_close_frac = taxa.close;
    numbers.tax_voters_mean_common_ancestors = taxa.meanCommonAncestors;
  }
  if (termVectors !== null) {
    numbers.anc2vec_neighbor_cos = termVectors.neighbourCosine;
    numbers.anc2vec_neighbor_maxcos = termVectors.neighbourLargestCosine;
    numbers.anc2vec_has_emb = Float32Array.from(termVectors.hasVector);
    numbers.anc2vec_query_known_cos = termVectors.knownCosine;
    numbers.anc2vec_query_known_maxcos = termVectors.knownLargestCosine;
    numbers.anc2vec_query_known_count = Float32Array.from(termVectors.knownCount);
  }
  if (projected === null || query.length === 0) return;
  const axes = projected.length / queryCount;
  for (let axis = 0; axis < Math.min(axes, projectionAxes); axis++)
    numbers[`emb_pca_query_${axis}`] = Float32Array.from(query, (of) => projected[of * axes + axis]);
}
