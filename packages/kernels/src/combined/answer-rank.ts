import type { Aspect } from '../vocabulary/index.js';
import { certainties, certaintyOf } from './vocabulary/certainty.js';

/** Terms that at least one in eight proteins has (3 bits) say too little to come first. */
const leadBits = 3;

/** A term that at most half of the proteins have (1 bit) says enough if it is at least likely and all rarer ones are weak. */
const commonBits = 1;
const weak = certainties.indexOf('weak');
const likely = certainties.indexOf('likely');

/** Probabilities that differ by less count as nearly equal; then the more specific term comes first. */
const nearEqual = 0.05;

/**
 * The share of right terms by tenth of the score, never falling, as `training/combined/first-terms.mjs` counted it in the windows of the
 * training. The rates order terms without a probability. They are not shown as probabilities, because they differ too much between
 * organisms.
 */
const rates: Readonly<Record<Aspect, readonly number[]>> = {
  P: [0.02, 0.08, 0.14, 0.22, 0.29, 0.35, 0.42, 0.53, 0.68, 0.84],
  F: [0.02, 0.09, 0.16, 0.25, 0.34, 0.41, 0.53, 0.59, 0.75, 0.89],
  C: [0.02, 0.08, 0.14, 0.22, 0.23, 0.28, 0.41, 0.48, 0.62, 0.62],
};

/**
 * Returns how often terms of the aspect with such a score of the method `combined` were right, 0 to 1. A stored score has single
 * precision, and its rounding must not move it over the edge of a tenth.
 */
export function measuredRate(aspect: Aspect, score: number): number {
  return rates[aspect][Math.min(9, Math.floor(10 * score + 1e-6))];
}

/** The facts of a term that decide how the method `combined` ranks it. */
export interface TermFacts {
  term: number;
  aspect: Aspect;
  score: number;
  probability: number | null;
  /** Minus the binary logarithm of the share of references that have the term, among the references with a term of the aspect. */
  bits: number;
  /** The number of references with a term of the aspect. */
  speakers: number;
}

/** Returns the bits of information of a term that `carriers` of the `speakers` have. */
export function termBits(carriers: number, speakers: number): number {
  return -Math.log2((carriers + 1) / (speakers + 2));
}

/**
 * Ranks the terms of an answer for the method `combined`. Terms that say enough come first; then the word of certainty decides; within a
 * word the more certain term comes first, and among nearly equal ones the more specific by whole bits. A common term says enough where it
 * is likely or strong and all rarer terms of its aspect are weak: *cytoplasm*, strong, leads a weak *endoplasmic reticulum membrane*.
 * docs/explanation/accuracy.md says how the rule was chosen. In a reference of few proteins no term has many bits, so half of the bits
 * of a term of one protein are enough there.
 */
export function answerRanking(terms: readonly TermFacts[]): number[] {
  const keys = terms.map(({ aspect, score, probability, bits, speakers }) => {
    const chance = probability ?? measuredRate(aspect, score);
    return {
      isCommon: bits < Math.min(leadBits, termBits(0, speakers) / 2),
      certainty: certainties.indexOf(certaintyOf(chance) ?? 'weak'),
      chance: Math.round(chance / nearEqual),
      wholeBits: Math.round(bits),
    };
  });
  const hasBetterRare = new Set(
    terms.filter((_, at) => !keys[at].isCommon && keys[at].certainty < weak).map(({ aspect }) => aspect),
  );
  const saysLittle = terms.map(({ aspect, bits }, at) => {
    const { isCommon, certainty } = keys[at];
    const leads = certainty <= likely && bits >= commonBits && !hasBetterRare.has(aspect);
    return Number(isCommon && !leads);
  });
  return [...terms.keys()].sort(
    (a, b) =>
      saysLittle[a] - saysLittle[b] ||
      keys[a].certainty - keys[b].certainty ||
      keys[b].chance - keys[a].chance ||
      keys[b].wholeBits - keys[a].wholeBits ||
      terms[b].score - terms[a].score ||
      terms[b].bits - terms[a].bits ||
      terms[a].term - terms[b].term,
  );
}
