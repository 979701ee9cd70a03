import type { Metric, SequenceGroups } from '../knn/index.js';

/** The annotations of the references, in compressed rows: those of reference r are [start[r] .. start[r + 1]). */
export interface ReferenceAnnotations {
  /** The start of each reference's annotations, and the end of the last: Int32 [references + 1]. */
  start: Int32Array;
  /** The term of each annotation: Int32, 0 .. termCount - 1. */
  term: Int32Array;
  /** The evidence of each annotation as a number; lower is stronger. By default it is -1 everywhere. */
  evidence?: Int32Array;
  /** The value is 1 for a NOT annotation, which is never transferred. */
  negated?: Uint8Array;
}

/** The neighbours of all queries, nearest first, with equal distances in order of accession rank, as returned by `search`. */
export interface NeighbourList {
  /** The references: Int32 [nQuery x k]; -1 is padding. */
  neighbours: Int32Array;
  /** The distances: Float32 [nQuery x k]. */
  distances: Float32Array;
  /** The aspect whose terms are transferred from this list; all aspects by default. */
  aspect?: number;
}

export interface TransferInput {
  nQuery: number;
  /** The length of the lists, and the divisor of the vote fraction. */
  k: number;
  metric: Metric;
  /** One list for all terms (unified), or one for each aspect, each with its `aspect`. */
  lists: readonly NeighbourList[];
  annotations: ReferenceAnnotations;
  termCount: number;
  /** The aspect number of each term: Uint8 [termCount]. It is required if a list has an aspect. */
  termAspect?: Uint8Array;
  /** The position of each term in the order of GO ids: Int32 [termCount]. By default it is the term's number. */
  termOrder?: Int32Array;
  /** The number of references that carry each term: Int32 [termCount]. It orders equal scores. By default it is counted here. */
  termFrequency?: Int32Array;
  /** The aspect whose terms come first among equal scores and votes. By default aspects are equal. */
  firstAspect?: number;
  /**
   * The references that share a sequence: all of them are sources for the one in a list. By default only the reference in the list is a
   * source.
   */
  sharing?: { sequence: Int32Array; groups: SequenceGroups };
  /** A signal that is checked every 256 queries. */
  signal?: AbortSignal;
}

/** One row for each (query, term): by query, then by falling score, with equal scores by `tieOrder`. All columns have the same length. */
export interface Candidates {
  query: Int32Array;
  term: Int32Array;
  /** The score, 0 to 1, from the distance of the nearest source (`scoreOfDistance`). */
  score: Float64Array;
  /** The number of neighbours (distinct sequences) that carry the term: 1 .. k. */
  voteCount: Int32Array;
  /** The fraction voteCount / k, 0 to 1. */
  voteFraction: Float64Array;
  /** The position of the nearest neighbour with the term, from 1. */
  kPosition: Int32Array;
  /** The source: the reference with the lowest rank of the nearest neighbour with the term. */
  source: Int32Array;
  /** The strongest evidence of the source for the term; -1 without evidence. */
  evidence: Int32Array;
  /** The distance of the source, which is the minimum among the voters. */
  distance: Float32Array;
  /** The mean distance of the voters. */
  meanDistance: Float64Array;
  /** The population standard deviation of the distances of all neighbours of the query, of all lists together. */
  distanceStd: Float64Array;
}

/** One row for each (query, term, reference): by candidate, then position in the list, then accession rank. */
export interface Transfers {
  /** The row of `Candidates`. */
  candidate: Int32Array;
  reference: Int32Array;
  /** The position of the reference's neighbour in the list, from 1. */
  position: Int32Array;
  distance: Float32Array;
  /** The strongest evidence of the reference for the term; -1 without evidence. */
  evidence: Int32Array;
}
