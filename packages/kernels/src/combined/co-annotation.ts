import type { CombinedReference, TermCounts } from './reference.js';
import { aspectCount } from './reference.js';

/** The number of references with a term that are counted; if more have the term, an evenly spaced sample of this size stands for them. */
export const maxCounted = 2000;
/** The weight of the term frequency (the prior) in P(t | s), in references. */
export const coAnnotationPrior = 3;

/** Counts of experimental terms among the references that have a given term. */
export interface GivenCounts {
  /** The terms that were found, and the number of counted references that have each by experiment. */
  terms: Int32Array;
  counts: Int32Array;
  /** The number of counted references with at least one experimental term of each aspect: Int32 [3]. */
  speakers: Int32Array;
}

/**
 * Counts the references with term s that have term t by experiment, which is n_ts in
 *
 *     P(t | s) = (n_ts + 3 f_t) / (n_s + 3)
 *
 * n_s counts only references with an experimental term of t's aspect; the others carry no information on t. Results for the
 * most recent terms are cached, because proteins of one organism share terms.
 *
 * The cost of a term is its carriers (at most 2,000) times their terms.
 */
export class CoAnnotation {
  readonly #kept = new Map<string, GivenCounts>();
  readonly #count: Int32Array;

  readonly #reference: CombinedReference;
  readonly #maxKept: number;

  constructor(reference: CombinedReference, maxKept = 4000) {
    this.#reference = reference;
    this.#maxKept = maxKept;
    this.#count = new Int32Array(reference.aspect.length);
  }

  /** @param evidence which annotations with s count: experimental ones only, or those with any evidence */
  given(term: number, evidence: 'experimental' | 'any'): GivenCounts {
    const key = `${evidence} ${term}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const found = this.#countTerms(term, this.#reference[evidence]);
    this.#kept.set(key, found);
    if (this.#kept.size > this.#maxKept) this.#kept.delete(this.#kept.keys().next().value as string);
    return found;
  }

  #countTerms(term: number, { start, proteins }: TermCounts): GivenCounts {
    const { experimentalTerms, speaks } = this.#reference;
    const from = start[term];
    const carriers = start[term + 1] - from;
    const step = Math.max(1, carriers / maxCounted);
    const met: number[] = [];
    const speakers = new Int32Array(aspectCount);
    for (let i = 0; Math.floor(i) < carriers; i += step) {
      const protein = proteins[from + Math.floor(i)];
      for (let a = 0; a < aspectCount; a++) speakers[a] += (speaks[protein] >> a) & 1;
      for (let at = experimentalTerms.start[protein]; at < experimentalTerms.start[protein + 1]; at++)
        if (this.#count[experimentalTerms.terms[at]]++ === 0) met.push(experimentalTerms.terms[at]);
    }
    const terms = Int32Array.from(met).sort();
    const counts = Int32Array.from(terms, (t) => this.#count[t]);
    for (const t of met) this.#count[t] = 0;
    return { terms, counts, speakers };
  }
}
