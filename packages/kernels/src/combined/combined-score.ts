import type { TermRows } from '../ontology/index.js';
import { makeConsistent } from './consistency.js';
import { experimentalBit } from './vocabulary/evidence-groups.js';
import type { OwnTerms } from './query.js';

/** The scored terms of one protein, each once; all columns have the same length. */
export interface ScoredTerms {
  term: Int32Array;
  /** The scores as float64, 0 to 1. */
  score: Float64Array;
}

/** The share of the votes in the score of each model; docs/explanation/accuracy.md says how each was chosen. */
export const votesShareOf = { combined: 0.5, known: 0.25, bare: 0.25 } as const;
const half: number = votesShareOf.combined;

/**
 * Computes the scores of the combination: the weighted mean of the scores of the trained model and of the votes with the protein's own
 * annotations. A term that one of the two lacks counts as 0 there. Terms that the protein has by experiment are left out. Then each term
 * is raised to the highest score below it. The votes do not depend on the organisms that the model was trained on, which helps where
 * annotation practice differs.
 *
 * @param model scores of the candidates of all aspects
 * @param votes scores of `UntrainedVotes` by alignment, with own annotations
 * @param closure each term itself and all terms above it
 * @param scratch one entry for each term of the ontology, all -1; unchanged after the call
 * @param votesShare the share of the votes, 0 to 1; the model has the rest
 * @returns terms ascending
 */
export function combinedScores(
  model: ScoredTerms,
  votes: ScoredTerms,
  own: OwnTerms | null,
  {
    closure,
    scratch,
    votesShare = half,
  }: { closure: Readonly<TermRows>; scratch: Int32Array; votesShare?: number },
): ScoredTerms {
  const { term, score } = weightedScores(model, votes, own, votesShare);
  makeConsistent(term, score, closure, scratch);
  return { term, score };
}

/** Computes the weighted mean of scores, before a term is raised to the highest score below it. */
export function weightedScores(
  model: ScoredTerms,
  votes: ScoredTerms,
  own: OwnTerms | null,
  votesShare = half,
): ScoredTerms {
  const known = new Set(own?.terms.filter((_, i) => (own.groups[i] & experimentalBit) !== 0));
  const sums = new Map<number, number>();
  for (const [{ term, score }, share] of [
    [model, 1 - votesShare],
    [votes, votesShare],
  ] as const)
    term.forEach((t, i) => {
      if (!known.has(t)) sums.set(t, (sums.get(t) ?? 0) + share * score[i]);
    });
  const term = Int32Array.from(sums.keys()).sort();
  return { term, score: Float64Array.from(term, (t) => sums.get(t) as number) };
}
