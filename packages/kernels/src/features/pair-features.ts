import { type Lineage, lineageToKnown } from './lineage.js';
import { type Pairs, stopIf, type TermLists } from './pairs.js';
import { type ColumnArrays, type ColumnsFrom, projectionAxes } from '../prediction/index.js';
import { type Projection, projectGroups } from './projection.js';
import { compareTermVectors, type TermVectorFeatures, type TermVectors } from './term-vectors.js';
import { type VoterTaxa, voterTaxa } from './voter-taxa.js';

/** Rows (query, term, source) as transfer gives them: by query, then term, then nearest source first. */
export interface SourceRows {
  /** The query of each row: Int32 [rows]. */
  query: Int32Array;
  /** The term of each row: Int32 [rows]. */
  term: Int32Array;
  /** The sequence of each source; sources with the same sequence are adjacent within a pair: Int32 [rows]. */
  sequence: Int32Array;
  /** The distance of each source: Float32 [rows]. */
  distance: Float32Array;
}

export interface PairFeatureInput {
  rows: SourceRows;
  queryCount: number;
  termAspect: Uint8Array;
  /** The known terms of each query, each once: rows [queries]. */
  known: TermLists;
  /** Each term with all its ancestors: rows [termCount]. */
  closure: TermLists;
  /** The projection of the vectors; null if none was computed. */
  projection: Projection | null;
  /** The vectors, Float32 [vectors x dimension], and the query of each. */
  vectors: Float32Array;
  queryOfVector: Int32Array;
  /**
   * The relations of taxa; null if they were not compared. A negative number of common ancestors means that one of the two taxa is
   * unknown.
   */
  taxa: { relation: ArrayLike<number>; commonAncestors: Int32Array } | null;
  /** The vectors of terms; null if the service has none. */
  termVectors: TermVectors | null;
  /** A function that is called between steps; when it returns true, the call ends with an error. */
  isAborted?: () => boolean;
}

/** The columns of pairs that do not come from their nearest source: [pairs], in the order of the rows. */
export interface PairFeatures {
  pairCount: number;
  /** The minimum distance among the neighbours that carry the term. */
  minDistance: Float32Array;
  /** The mean distance of the neighbours (distinct sequences) that carry the term. */
  meanDistance: Float32Array;
  lineage: Lineage;
  taxa: VoterTaxa | null;
  termVectors: TermVectorFeatures | null;
  /** The coordinates of each query along the axes: Float32 [queries x axes]. */
  projected: Float32Array | null;
}

type PairColumn =
  | ColumnsFrom<'neighbours'>
  | ColumnsFrom<'lineage'>
  | ColumnsFrom<'voterTaxa'>
  | ColumnsFrom<'termVectors'>
  | ColumnsFrom<'projection'>;

/** Gives the features by the names of their columns. Features that were not computed are left out. */
export function pairFeatureColumns(
  features: PairFeatures,
  queryCount: number,
): Partial<ColumnArrays<PairColumn>> {
  const { lineage, taxa, termVectors, projected } = features;
  const always: ColumnArrays<ColumnsFrom<'neighbours'> | ColumnsFrom<'lineage'>> = {
    neighbor_min_distance: features.minDistance,
    neighbor_mean_distance: features.meanDistance,
    lineage_is_ancestor_of_known: isPositive(lineage.ancestorOf),
    lineage_is_descendant_of_known: isPositive(lineage.descendantOf),
    lineage_ancestor_of_count: lineage.ancestorOf,
    lineage_descendant_of_count: lineage.descendantOf,
  };
  const ofTaxa: ColumnArrays<ColumnsFrom<'voterTaxa'>> | null = taxa && {
    tax_voters_same_frac: taxa.same,
    tax_voters_close_frac: taxa.close,
    tax_voters_mean_common_ancestors: taxa.meanCommonAncestors,
  };
  const ofTermVectors: ColumnArrays<ColumnsFrom<'termVectors'>> | null = termVectors && {
    anc2vec_neighbor_cos: termVectors.neighbourCosine,
    anc2vec_neighbor_maxcos: termVectors.neighbourLargestCosine,
    anc2vec_has_emb: termVectors.hasVector,
    anc2vec_query_known_cos: termVectors.knownCosine,
    anc2vec_query_known_maxcos: termVectors.knownLargestCosine,
    anc2vec_query_known_count: termVectors.knownCount,
  };
  return { ...always, ...ofTaxa, ...ofTermVectors, ...(projected && axisColumns(projected, queryCount)) };
}

function isPositive(counts: Int32Array): Uint8Array {
  return Uint8Array.from(counts, (count) => (count > 0 ? 1 : 0));
}

/** Makes one column for each axis: Float32 [queries]. */
function axisColumns(
  projected: Float32Array,
  queryCount: number,
): Partial<ColumnArrays<ColumnsFrom<'projection'>>> {
  const axes = queryCount === 0 ? 0 : projected.length / queryCount;
  const columns = Array.from({ length: Math.min(axes, projectionAxes) }, (_, axis) => [
    `emb_pca_query_${axis}`,
    Float32Array.from({ length: queryCount }, (_, query) => projected[query * axes + axis]),
  ]);
  return Object.fromEntries(columns);
}

/**
 * Computes the features of (query, term) pairs that need more than the pair's nearest source. A pair's values depend only on its query,
 * the query's neighbours and the reference: other queries in the same call do not change a single bit. The cost is linear in the rows;
 * for term vectors see `compareTermVectors`.
 */
export function pairFeatures(input: PairFeatureInput): PairFeatures {
  const { rows, known, termAspect, taxa, termVectors, projection } = input;
  const { pair, pairs, minDistance, meanDistance } = pairsOf(rows);
  const pairCount = pairs.term.length;
  const { isAborted } = input;
  stopIf(isAborted);
  return {
    pairCount,
    minDistance,
    meanDistance,
    lineage: lineageToKnown({ pairs, known, closure: input.closure }),
    taxa: taxa && voterTaxa({ pairCount, pair, ...taxa }),
    termVectors: termVectors && compareTermVectors({ pairs, known, termAspect, termVectors, isAborted }),
    projected:
      projection &&
      projectGroups(projection, {
        vectors: input.vectors,
        groupOfRow: input.queryOfVector,
        groups: input.queryCount,
      }),
  };
}

function pairsOf({ query, term, sequence, distance }: SourceRows) {
  const count = query.length;
  const pair = new Int32Array(count);
  const firstRow: number[] = [];
  const least: number[] = [];
  const sum: number[] = [];
  const voters: number[] = [];
  for (let row = 0; row < count; row++) {
    const isNew = row === 0 || query[row] !== query[row - 1] || term[row] !== term[row - 1];
    if (isNew) {
      firstRow.push(row);
      least.push(distance[row]);
      sum.push(0);
      voters.push(0);
    }
    const at = firstRow.length - 1;
    pair[row] = at;
    if (!isNew && sequence[row] === sequence[row - 1]) continue;
    voters[at]++;
    sum[at] += distance[row];
    least[at] = Math.min(least[at], distance[row]);
  }
  const pairs: Pairs = {
    query: Int32Array.from(firstRow, (row) => query[row]),
    term: Int32Array.from(firstRow, (row) => term[row]),
  };
  const meanDistance = Float32Array.from(sum, (total, at) => total / voters[at]);
  return { pair, pairs, minDistance: Float32Array.from(least), meanDistance };
}
