import type { PropagatedTerms, TermShares } from './term-shares.js';

/** The neighbours of one query that vote in one aspect. All columns have the same length. */
export interface WeightedNeighbours {
  /** The numbers of distinct references. */
  reference: Int32Array;
  /** The weights, 0 or more; a neighbour with weight 0 does not vote. */
  weight: Float64Array;
  /** The terms that the query has itself. They vote as one more neighbour in each aspect that has one of them. */
  own?: OwnVote;
}

export interface OwnVote {
  /** Distinct terms, propagated, without roots. */
  terms: Int32Array;
  /** The weight of the vote, on the scale of a neighbour's weight. */
  weight: number;
}

export interface VoteOptions {
  /** The aspect number of the terms that are voted on. */
  aspect: number;
  /** The weight of the term frequency (the prior), in the unit of the neighbours' weights; above 0. */
  priorWeight: number;
  /** The score below which terms are left out, 0 < minimum <= 1. */
  minimumScore: number;
}

/** The terms of one query and aspect by falling score; of equal scores the lower number comes first. */
export interface VotedTerms {
  term: Int32Array;
  /** The scores, 0 to 1. */
  score: Float64Array;
  /**
   * The position of the neighbour with the largest weight that carries the term; -1 if there is none, and the number of neighbours if it
   * is the query itself.
   */
  source: Int32Array;
}

/**
 * Scores terms by the weighted share of neighbours that carry them, shrunk toward how frequent the term is:
 *
 *     score(t) = (sum of w_i over neighbours with t + c f(t)) / (sum of all w_i + c)
 *
 * which is the mean of a Beta posterior whose prior has mean f(t) and the weight of c. Without neighbours the score is the frequency;
 * with many close ones the frequency hardly matters. Neighbours' terms and frequencies are propagated, so a term never scores higher than
 * its ancestors.
 *
 * The cost is the terms of the neighbours, and the frequent terms that reach the minimum.
 * @param propagated terms of all references, without roots
 * @param aspectOf aspect number of each term: Uint8 [terms]
 * @throws RangeError for a prior or minimum of 0 or less, or a weight below 0 or not a number
 * @cite Robbins1956
 */
export class WeightedVotes {
  readonly #votes: Float64Array;
  readonly #source: Int32Array;

  readonly #propagated: PropagatedTerms;
  readonly #aspectOf: Uint8Array;
  readonly #shares: TermShares;

  constructor(propagated: PropagatedTerms, aspectOf: Uint8Array, shares: TermShares) {
    this.#propagated = propagated;
    this.#aspectOf = aspectOf;
    this.#shares = shares;
    this.#votes = new Float64Array(aspectOf.length);
    this.#source = new Int32Array(aspectOf.length).fill(-1);
  }

  score(neighbours: WeightedNeighbours, options: VoteOptions): VotedTerms {
    const { priorWeight, minimumScore, aspect } = options;
    if (!(priorWeight > 0 && Number.isFinite(priorWeight)))
      throw new RangeError(`prior weight ${priorWeight}: expected above 0`);
    if (!(minimumScore > 0 && minimumScore <= 1))
      throw new RangeError(`minimum score ${minimumScore}: expected above 0 and at most 1`);
    const { voted, total } = this.#count(neighbours, aspect);
    const { share, byAspect } = this.#shares;
    const found: { term: number; score: number; source: number }[] = [];
    const scoreOf = (term: number): number =>
      Math.min(1, (this.#votes[term] + priorWeight * share[term]) / (total + priorWeight));
    for (const term of voted) found.push({ term, score: scoreOf(term), source: this.#source[term] });
    for (const term of byAspect[aspect]) {
      if ((priorWeight * share[term]) / (total + priorWeight) < minimumScore) break;
      if (this.#source[term] < 0) found.push({ term, score: scoreOf(term), source: -1 });
    }
    for (const term of voted) {
      this.#votes[term] = 0;
      this.#source[term] = -1;
    }
    const kept = found.filter(({ score }) => score >= minimumScore);
    kept.sort((a, b) => b.score - a.score || a.term - b.term);
    return {
      term: Int32Array.from(kept, ({ term }) => term),
      score: Float64Array.from(kept, ({ score }) => score),
      source: Int32Array.from(kept, ({ source }) => source),
    };
  }

  #count({ reference, weight, own }: WeightedNeighbours, aspect: number): { voted: number[]; total: number } {
    const { start, terms } = this.#propagated;
    const voted: number[] = [];
    let total = 0;
    for (let i = 0; i < reference.length; i++) {
      checkWeight(weight[i], `neighbour ${i}`);
      if (weight[i] === 0) continue;
      total += weight[i];
      for (let at = start[reference[i]]; at < start[reference[i] + 1]; at++) {
        const term = terms[at];
        if (this.#aspectOf[term] !== aspect) continue;
        if (this.#source[term] < 0) voted.push(term);
        if (this.#source[term] < 0 || weight[i] > weight[this.#source[term]]) this.#source[term] = i;
        this.#votes[term] += weight[i];
      }
    }
    if (own === undefined) return { voted, total };
    checkWeight(own.weight, 'own terms');
    const mine = own.weight === 0 ? [] : own.terms.filter((term) => this.#aspectOf[term] === aspect);
    for (const term of mine) {
      if (this.#source[term] < 0) voted.push(term);
      if (this.#source[term] < 0 || own.weight > weight[this.#source[term]])
        this.#source[term] = reference.length;
      this.#votes[term] += own.weight;
    }
    return { voted, total: total + (mine.length > 0 ? own.weight : 0) };
  }
}

function checkWeight(weight: number, whose: string): void {
  if (!(weight >= 0 && Number.isFinite(weight)))
    throw new RangeError(`${whose}: weight ${weight}, expected 0 or more`);
}
