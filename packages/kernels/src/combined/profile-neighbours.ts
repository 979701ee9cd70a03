import { topK } from '../arrays/index.js';
import { experimentalBit } from './evidence-groups.js';
import { type CombinedReference, minProfileInformation } from './reference.js';

/** References with terms similar to those of a protein. */
export interface ProfileNeighbours {
  reference: Int32Array;
  /** Cosine of the profiles, above 0 and at most 1. */
  similarity: Float64Array;
}

/** A term that more references than this have is left out of the profile. */
const maxCarriers = 20_000;

/**
 * The references with the most similar profile of terms: the cosine over informative terms, each weighted by its information.
 * Ties: lower reference first.
 *
 * Cost: the carriers of the query's informative terms, and a look at each reference.
 */
export class ProfileSearch {
  /** All 0 between calls. [references] */
  readonly #sum: Float64Array;
  /** What the last call found, overwritten by the next one. [references] */
  readonly #found: Int32Array;
  readonly #similarity: Float64Array;

  readonly #reference: CombinedReference;

  constructor(reference: CombinedReference) {
    this.#reference = reference;
    this.#sum = new Float64Array(reference.speaks.length);
    this.#found = new Int32Array(reference.speaks.length);
    this.#similarity = new Float64Array(reference.speaks.length);
  }

  /**
   * @param terms propagated terms of the query
   * @param evidence bit mask: which terms of the references count
   * @param excluded the query's own reference, or -1
   */
  nearest(
    terms: Int32Array,
    evidence: 'experimental' | 'any',
    { excluded, limit }: { excluded: number; limit: number },
  ): ProfileNeighbours {
    const { information, experimentalNorm, anyNorm } = this.#reference;
    const { start, proteins } = this.#reference[evidence];
    const norms = evidence === 'experimental' ? experimentalNorm : anyNorm;
    const sum = this.#sum;
    const informative = terms.filter((term) => information[term] >= minProfileInformation);
    for (const term of informative) {
      const weight = information[term] ** 2;
      const end = start[term + 1];
      if (end - start[term] > maxCarriers) continue;
      for (let p = start[term]; p < end; p++) sum[proteins[p]] += weight;
    }
    if (excluded >= 0) sum[excluded] = 0;
    const norm = Math.sqrt(informative.reduce((square, term) => square + information[term] ** 2, 0));
    const found = this.#found;
    let size = 0;
    for (let r = 0; r < sum.length; r++) {
      if (sum[r] === 0) continue;
      found[size] = r;
      this.#similarity[size++] = sum[r] / (norm * norms[r]);
      sum[r] = 0;
    }
    const similarity = this.#similarity.subarray(0, size);
    const chosen = topK(similarity, limit);
    return {
      reference: Int32Array.from(chosen, (i) => found[i]),
      similarity: Float64Array.from(chosen, (i) => Math.min(1, similarity[i])),
    };
  }
}

/** Terms of one reference with evidence in the mask. */
export function termsByEvidence(
  { annotated }: CombinedReference,
  reference: number,
  mask: number = experimentalBit,
): Int32Array {
  const from = annotated.start[reference];
  const to = annotated.start[reference + 1];
  return annotated.terms.slice(from, to).filter((_, i) => (annotated.groups[from + i] & mask) !== 0);
}
