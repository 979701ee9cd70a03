import type { Aspect } from '../vocabulary/index.js';
import { certainties, certaintyOf } from './certainty.js';

/** Terms that at least one in eight proteins has say too little to come first. */
const leadBits = 3;

/** Chances that differ by less are near equals, of which the more specific term comes first. */
const nearEqual = 0.05;

/**
 * How often a term of such a score was right in the windows of the training, in tenths of the score, never falling; counted by
 * `training/combined/first-terms.mjs`. It orders terms without a probability. It is none itself: over organisms it differs too much.
 */
const rates: Readonly<Record<Aspect, readonly number[]>> = {
  P: [0.02, 0.08, 0.14, 0.22, 0.29, 0.35, 0.42, 0.53, 0.68, 0.84],
  F: [0.02, 0.09, 0.16, 0.25, 0.34, 0.41, 0.53, 0.59, 0.75, 0.89],
  C: [0.02, 0.08, 0.14, 0.22, 0.23, 0.28, 0.41, 0.48, 0.62, 0.62],
};

/**
 * How often terms of the aspect with such a score of the method `combined` were right, 0 to 1. A stored score has single precision, which
 * must not move it over the edge of a tenth.
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
  /** Minus the binary logarithm of the share of references that have the term, among those with a term of the aspect. */
  bits: number;
  /** Number of references with a term of the aspect. */
  speakers: number;
}

/** Bits of a term among the references. */
export function termBits(carriers: number, speakers: number): number {
  return -Math.log2((carriers + 1) / (speakers + 2));
}

/**
 * The order in which `combined` ranks the terms of an answer: those that say enough first; then by the word of certainty; within a word
 * the more certain first, of near equals the more specific by whole bits. docs/explanation/accuracy.md says how the rule was chosen. In a
 * reference of few proteins no term has many bits, so half of the bits of a term of one protein are enough there.
 */
export function answerRanking(terms: readonly TermFacts[]): number[] {
  const keys = terms.map(({ aspect, score, probability, bits, speakers }) => {
    const chance = probability ?? measuredRate(aspect, score);
    return {
      saysLittle: Number(bits < Math.min(leadBits, termBits(0, speakers) / 2)),
      certainty: certainties.indexOf(certaintyOf(chance) ?? 'weak'),
      chance: Math.round(chance / nearEqual),
      wholeBits: Math.round(bits),
    };
  });
  return [...terms.keys()].sort(
    (a, b) =>
      keys[a].saysLittle - keys[b].saysLittle ||
      keys[a].certainty - keys[b].certainty ||
      keys[b].chance - keys[a].chance ||
      keys[b].wholeBits - keys[a].wholeBits ||
      terms[b].score - terms[a].score ||
      terms[b].bits - terms[a].bits ||
      terms[a].term - terms[b].term,
  );
}
