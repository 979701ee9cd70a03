import { relativeLogEValue } from '../query-check/index.js';
import type { CombinedReference } from './reference.js';

/** The references found by local alignment, best first, without the query itself. All columns have the same length. */
export interface AlignedSources {
  reference: Int32Array;
  /** The decimal logarithm of the E-value: Float64. */
  logEValue: Float64Array;
  /** The share of identical columns, 0 to 1: Float64. */
  identity: Float64Array;
  /** The score as a share of the query's score with itself, 0 to 1: Float64. */
  share: Float64Array;
  /** How each reference was found, an index into `alignmentOrigins`. @default all by the own search */
  origin?: Uint8Array | undefined;
}

/**
 * The ways in which an aligned reference is found: by the own search; by a hit of another program; by both, with the values of the
 * other program, because its E-value is smaller. A reference that both found with the own values is one of the own search.
 */
export const alignmentOrigins = ['search', 'hit', 'both'] as const;

/** Says whether hits of other programs change the relatives of a query. */
export function hasForeignHits({ origin }: Pick<AlignedSources, 'origin'>): boolean {
  return origin?.some((value) => value !== 0) ?? false;
}

/** The references by distance between vectors, nearest first, without the query itself. */
export interface NearSources {
  reference: Int32Array;
  /** The distances, 0 or more: Float64. */
  distance: Float64Array;
  /** Whether the distances come from several merged embeddings: 2 (1 - agreement), see `merging`. @default false */
  isMerged?: boolean | undefined;
}

/** A protein's own annotations: propagated terms in ascending order, each with its mask of evidence groups. */
export interface OwnTerms {
  terms: Int32Array;
  groups: Uint8Array;
}

export interface CombinedQuery {
  aligned: AlignedSources;
  near: NearSources;
  /** The query's own reference, which does not vote and is not counted; -1 if there is none. */
  self: number;
  /** The query's own annotations; null if it has none, for example as a bare sequence. */
  own: OwnTerms | null;
  /** The organism of the query, in the numbering of the reference; -1 if unknown. */
  organism: number;
}

export function ownTermsOf({ annotated }: CombinedReference, reference: number): OwnTerms {
  const from = annotated.start[reference];
  const to = annotated.start[reference + 1];
  return { terms: annotated.terms.slice(from, to), groups: annotated.groups.slice(from, to) };
}

/** Returns the annotations of the reference that a query is; null if the query is none, or has no annotations. */
export function ownTermsOrNull(reference: CombinedReference, self: number): OwnTerms | null {
  const own = self < 0 ? null : ownTermsOf(reference, self);
  return own === null || own.terms.length === 0 ? null : own;
}

/** The maximum number of sources of each kind. */
export const maxSources = 50;

/** Returns the sources that count in scores: the best `maxDonors` of each kind that have annotations, without the query itself. */
export function countedSources(
  { aligned, near, self }: Pick<CombinedQuery, 'aligned' | 'near' | 'self'>,
  speaks: Uint8Array,
): Pick<CombinedQuery, 'aligned' | 'near'> {
  const counted = (references: Int32Array): Int32Array =>
    Int32Array.from(references.keys())
      .filter((i) => references[i] !== self && speaks[references[i]] !== 0)
      .subarray(0, maxSources);
  const byAlignment = counted(aligned.reference);
  const byDistance = counted(near.reference);
  const column = (values: Float64Array, places: Int32Array) => Float64Array.from(places, (i) => values[i]);
  return {
    aligned: {
      reference: byAlignment.map((i) => aligned.reference[i]),
      logEValue: column(aligned.logEValue, byAlignment),
      identity: column(aligned.identity, byAlignment),
      share: column(aligned.share, byAlignment),
      ...(aligned.origin !== undefined && {
        origin: Uint8Array.from(byAlignment, (i) => aligned.origin?.[i] ?? 0),
      }),
    },
    near: {
      reference: byDistance.map((i) => near.reference[i]),
      distance: column(near.distance, byDistance),
      isMerged: near.isMerged,
    },
  };
}

/**
 * Says whether an aligned source is a similar protein: one that the columns `similar_proteins` and `supporters` count, and of which an
 * answer needs at least one. Weaker alignments, and proteins that are near by their vectors, may speak for a term, too.
 */
export function isSimilarAt(logEValue: number): boolean {
  return logEValue <= relativeLogEValue;
}

/** Returns the weight of an aligned source: 2 - log10 E, at least 0. */
export function alignmentWeight(logEValue: number): number {
  return Math.max(0, 2 - logEValue);
}

/**
 * Returns the weight of each near source: (maximum distance / distance) - 1, where distance 0 counts as a thousandth of the maximum.
 * Merged distances stand for agreements, which weigh (agreement / minimum agreement) - 1.
 */
export function distanceWeights(distance: Float64Array, isMerged = false): Float64Array {
  const farthest = distance.length === 0 ? 0 : distance[distance.length - 1];
  if (isMerged) return distance.map((d) => (farthest < 2 ? (2 - d) / (2 - farthest) - 1 : 0));
  return distance.map((d) => (farthest > 0 ? farthest / Math.max(d, farthest / 1000) - 1 : 0));
}

/** The weight of the term frequency (the prior) among votes, in the unit of the weights. */
export const alignmentPrior = 5;
export const distancePrior = 0.5;
