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
  readonly #sum: Float64Array;

  readonly #reference: CombinedReference;

  constructor(reference: CombinedReference) {
    this.#reference = reference;
    this.#sum = new Float64Array(reference.speaks.length);
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
    const met: number[] = [];
    let square = 0;
    for (const term of terms) {
      const weight = information[term] ** 2;
      if (information[term] < minProfileInformation) continue;
      square += weight;
      if (start[term + 1] - start[term] > maxCarriers) continue;
      for (let p = start[term]; p < start[term + 1]; p++) {
        if (proteins[p] === excluded) continue;
        if (this.#sum[proteins[p]] === 0) met.push(proteins[p]);
        this.#sum[proteins[p]] += weight;
      }
    }
    const found = this.#ascending(met);
    const norm = Math.sqrt(square);
    const similarity = Float64Array.from(found, (r) => this.#sum[r] / (norm * norms[r]));
    for (const r of found) this.#sum[r] = 0;
    const chosen = topK(similarity, limit);
    return {
      reference: Int32Array.from(chosen, (i) => found[i]),
      similarity: Float64Array.from(chosen, (i) => Math.min(1, similarity[i])),
    };
  }

  /** References with a sum, ascending. Where they are many, looking at all of them costs less than sorting. */
  #ascending(met: readonly number[]): Int32Array {
    if (met.length * 16 < this.#sum.length) return Int32Array.from(met).sort();
    const found = new Int32Array(met.length);
    let size = 0;
    for (let r = 0; r < this.#sum.length; r++) if (this.#sum[r] > 0) found[size++] = r;
    return found;
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
