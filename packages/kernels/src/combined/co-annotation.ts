import type { CombinedReference, TermCounts } from './reference.js';
import { aspectCount } from './reference.js';

/** A term that more references have is counted on an even sample of so many of them. */
export const maxCounted = 2000;
/** Weight of the frequency in P(t | s), in references. */
export const coAnnotationPrior = 3;

/** Terms by experiment of the references that have one term. */
export interface GivenCounts {
  /** Terms met, and how many of the counted references have each by experiment. */
  terms: Int32Array;
  counts: Int32Array;
  /** Counted references that say anything of each aspect by experiment: Int32 [3] */
  speakers: Int32Array;
}

/**
 * How often the references that have term s have term t by experiment: n_ts of
 *
 *     P(t | s) = (n_ts + 3 f_t) / (n_s + 3)
 *
 * n_s counts only references that say anything of t's aspect, since the others say nothing of t either. Kept for the terms asked
 * last, because proteins of one organism share them.
 *
 * Cost of a term: its carriers (at most 2,000) times their terms.
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

  /** @param evidence how the references have s: by experiment, or by any evidence */
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
    const { annotated, speaks } = this.#reference;
    const from = start[term];
    const carriers = start[term + 1] - from;
    const step = Math.max(1, carriers / maxCounted);
    const met: number[] = [];
    const speakers = new Int32Array(aspectCount);
    for (let i = 0; Math.floor(i) < carriers; i += step) {
      const protein = proteins[from + Math.floor(i)];
      for (let a = 0; a < aspectCount; a++) speakers[a] += (speaks[protein] >> a) & 1;
      for (let at = annotated.start[protein]; at < annotated.start[protein + 1]; at++) {
        if ((annotated.groups[at] & 1) === 0) continue;
        if (this.#count[annotated.terms[at]]++ === 0) met.push(annotated.terms[at]);
      }
    }
    const terms = Int32Array.from(met).sort();
    const counts = Int32Array.from(terms, (t) => this.#count[t]);
    for (const t of met) this.#count[t] = 0;
    return { terms, counts, speakers };
  }
}
