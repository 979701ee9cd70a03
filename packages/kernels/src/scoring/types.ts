import type { Metric, SequenceGroups } from '../knn/index.js';

/** Annotations of the references, in compressed rows: those of reference r are [start[r] .. start[r + 1]). */
export interface ReferenceAnnotations {
  /** Int32 [references + 1] */
  start: Int32Array;
  /** Term of each annotation: Int32, 0 .. termCount - 1. */
  term: Int32Array;
  /** Evidence of each annotation as a number; lower is stronger. Default: -1 everywhere. */
  evidence?: Int32Array;
  /** 1 for a NOT annotation, which is never transferred. */
  negated?: Uint8Array;
}

/** Neighbours of all queries, nearest first, equal distances in order of accession rank, as returned by `search`. */
export interface NeighbourList {
  /** Int32 [nQuery x k]; -1 pads. */
  neighbours: Int32Array;
  /** Float32 [nQuery x k]. */
  distances: Float32Array;
  /** Transfer only terms of this aspect from this list. Default: all terms. */
  aspect?: number;
}

export interface TransferInput {
  nQuery: number;
  /** Length of the lists, and the divisor of the vote fraction. */
  k: number;
  metric: Metric;
  /** One list for all terms (unified), or one per aspect, each with its `aspect`. */
  lists: readonly NeighbourList[];
  annotations: ReferenceAnnotations;
  termCount: number;
  /** Aspect number of each term: Uint8 [termCount]. Required if a list has an aspect. */
  termAspect?: Uint8Array;
  /** Position of each term in the order of GO ids: Int32 [termCount]. Default: the term's number. */
  termOrder?: Int32Array;
  /** Number of references that carry each term: Int32 [termCount]. Orders equal scores. Default: counted here. */
  termFrequency?: Int32Array;
  /** Among equal scores and votes, terms of this aspect come first. Default: aspects are equal. */
  firstAspect?: number;
  /**
   * References that share a sequence: all of them are donors for the one in a list. Default: only the reference in the list
   * is a donor.
   */
  sharing?: { sequence: Int32Array; groups: SequenceGroups };
  /** Abort signal, checked every 256 queries. */
  signal?: AbortSignal;
}

/** One row per (query, term): by query, then score descending, equal scores by `tieOrder`. Columns of one length. */
export interface Candidates {
  query: Int32Array;
  term: Int32Array;
  /** 0 to 1, from the distance of the nearest donor (`scoreOfDistance`). */
  score: Float64Array;
  /** Neighbours (distinct sequences) that carry the term: 1 .. k. */
  voteCount: Int32Array;
  /** Fraction voteCount / k, 0 to 1. */
  voteFraction: Float64Array;
  /** Position of the nearest neighbour with the term, 1-based. */
  kPosition: Int32Array;
  /** The donor: the reference with the lowest rank of the nearest neighbour with the term. */
  donor: Int32Array;
  /** Strongest evidence of the donor for the term; -1 without evidence. */
  evidence: Int32Array;
  /** Distance of the donor: the minimum among the voters. */
  distance: Float32Array;
  /** Mean distance of the voters. */
  meanDistance: Float64Array;
  /** Population standard deviation of the distances of all neighbours of the query, of all lists together. */
  distanceStd: Float64Array;
}

/** One row per (query, term, reference): by candidate, then position in the list, then accession rank. */
export interface Transfers {
  /** Row of `Candidates`. */
  candidate: Int32Array;
  reference: Int32Array;
  /** Position of the reference's neighbour in the list, 1-based. */
  position: Int32Array;
  distance: Float32Array;
  /** Strongest evidence of the reference for the term; -1 without evidence. */
  evidence: Int32Array;
}
