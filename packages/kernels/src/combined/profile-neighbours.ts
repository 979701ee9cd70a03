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
 * Cost: the carriers of the query's informative terms.
 */
export class ProfileSearch {
  /** All 0 between calls. [references] */
  readonly #sum: Float64Array;
  /** References with a sum, in the order in which they were met. [references] */
  readonly #met: Int32Array;

  readonly #reference: CombinedReference;

  constructor(reference: CombinedReference) {
    this.#reference = reference;
    this.#sum = new Float64Array(reference.speaks.length);
    this.#met = new Int32Array(reference.speaks.length);
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
    const met = this.#met;
    let size = 0;
    let square = 0;
    for (const term of terms) {
      if (information[term] < minProfileInformation) continue;
      const weight = information[term] ** 2;
      square += weight;
      const end = start[term + 1];
      if (end - start[term] > maxCarriers) continue;
      for (let p = start[term]; p < end; p++) {
        const reference = proteins[p];
        const before = sum[reference];
        if (before === 0) met[size++] = reference;
        sum[reference] = before + weight;
      }
    }
    const found = this.#ascending(size, excluded);
    const norm = Math.sqrt(square);
    const similarity = new Float64Array(found.length);
    for (let i = 0; i < found.length; i++) similarity[i] = sum[found[i]] / (norm * norms[found[i]]);
    for (let i = 0; i < size; i++) sum[met[i]] = 0;
    const chosen = topK(similarity, limit);
    return {
      reference: Int32Array.from(chosen, (i) => found[i]),
      similarity: Float64Array.from(chosen, (i) => Math.min(1, similarity[i])),
    };
  }

  /** The first `size` references that were met, ascending. Where they are many, looking at all of them costs less than sorting. */
  #ascending(size: number, excluded: number): Int32Array {
    const found = new Int32Array(size);
    let kept = 0;
    if (size * 16 < this.#sum.length) {
      for (let i = 0; i < size; i++) if (this.#met[i] !== excluded) found[kept++] = this.#met[i];
      return found.subarray(0, kept).sort();
    }
    for (let r = 0; r < this.#sum.length; r++) if (this.#sum[r] > 0 && r !== excluded) found[kept++] = r;
    return found.subarray(0, kept);
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
