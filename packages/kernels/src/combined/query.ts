import type { CombinedReference } from './reference.js';

/** References found by local alignment, best first; without the query itself. Columns of one length. */
export interface AlignedDonors {
  reference: Int32Array;
  /** log10 of the E-value. Float64 */
  logEValue: Float64Array;
  /** Identical columns / columns, 0 to 1. Float64 */
  identity: Float64Array;
  /** Score as a share of the query's score with itself, 0 to 1. Float64 */
  share: Float64Array;
}

/** References by the distance of vectors, nearest first; without the query itself. */
export interface NearDonors {
  reference: Int32Array;
  /** 0 or more. Float64 */
  distance: Float64Array;
}

/** What a protein has itself: propagated terms, ascending, with the mask of evidence groups of each. */
export interface OwnTerms {
  terms: Int32Array;
  groups: Uint8Array;
}

export interface CombinedQuery {
  aligned: AlignedDonors;
  near: NearDonors;
  /** The reference that is the query, which neither votes nor is counted; -1 for none. */
  self: number;
  /** Null where nothing is known of the protein, as of a bare sequence. */
  own: OwnTerms | null;
  /** Organism in the numbers of the reference; -1 unknown. */
  organism: number;
  /** Terms that InterPro signatures of the sequence imply, propagated; null where they were not looked for. */
  signatureTerms: Int32Array | null;
}

/** What the reference set holds of one of its proteins. */
export function ownTermsOf({ annotated }: CombinedReference, reference: number): OwnTerms {
  const from = annotated.start[reference];
  const to = annotated.start[reference + 1];
  return { terms: annotated.terms.slice(from, to), groups: annotated.groups.slice(from, to) };
}

/** Donors that are looked at, of either kind. */
export const maxDonors = 50;

/** Weight of an aligned donor: 2 - log10 E, at least 0. */
export function alignmentWeight(logEValue: number): number {
  return Math.max(0, 2 - logEValue);
}

/** Weight of each near donor: (distance of the farthest / distance) - 1; equal sequences count as one at a thousandth of it. */
export function distanceWeights(distance: Float64Array): Float64Array {
  const farthest = distance.length === 0 ? 0 : distance[distance.length - 1];
  return distance.map((d) => (farthest > 0 ? farthest / Math.max(d, farthest / 1000) - 1 : 0));
}

/** Weight of the frequency of terms among votes, in the unit of the weights. */
export const alignmentPrior = 5;
export const distancePrior = 0.5;
