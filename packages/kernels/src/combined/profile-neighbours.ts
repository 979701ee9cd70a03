import { GrowingInt32 } from '../arrays/index.js';
import { minProfileInformation, type Profiles } from './profiles.js';
import type { CombinedReference } from './reference.js';

/** References with terms similar to those of a protein. */
export interface ProfileNeighbours {
  reference: Int32Array;
  /** The cosine of the profiles, above 0 and at most 1. */
  similarity: Float64Array;
}

/** A term that more references than this have is left out of the profile. */
const maxCarriers = 20_000;

/**
 * Finds the references with the most similar profile of terms, by the cosine over informative terms, each weighted by its information. Of
 * equally similar references the lower comes first.
 *
 * The search goes through the terms of the query, beginning with those that decide most for the least work, and compares the profiles
 * that have the term. It stops when a profile that has only the remaining terms cannot be similar enough.
 *
 * At worst the cost is the terms of all profiles that have a term of the query; for most proteins it is a small part of that.
 */
export class ProfileSearch {
  readonly #information: Float64Array;
  readonly #carriers: Int32Array;
  readonly #profiles: Profiles;
  /** The square of the information of each term that counts for the query: [terms]. All entries are 0 between calls. */
  readonly #weight: Float64Array;
  /** A flag for each profile that the call has looked at: [profiles]. All entries are 0 between calls. */
  readonly #isSeen: Uint8Array;
  readonly #seen = new GrowingInt32();

  /** @param evidence which terms of the references count */
  constructor(reference: CombinedReference, evidence: 'experimental' | 'any') {
    this.#information = reference.information;
    this.#carriers = reference[evidence].carriers;
    this.#profiles = evidence === 'experimental' ? reference.experimentalProfiles : reference.anyProfiles;
    this.#weight = new Float64Array(reference.aspect.length);
    this.#isSeen = new Uint8Array(this.#profiles.norm.length);
  }

  /**
   * @param terms propagated terms of the query, ascending
   * @param excluded the query's own reference, or -1
   */
  nearest(terms: Int32Array, { excluded, limit }: { excluded: number; limit: number }): ProfileNeighbours {
    const information = this.#information;
    const weight = this.#weight;
    const { carriers } = this.#profiles;
    const informative = terms.filter((term) => information[term] >= minProfileInformation);
    const norm = Math.sqrt(informative.reduce((square, term) => square + information[term] ** 2, 0));
    const asked = informative.filter(
      (term) => carriers.start[term] < carriers.start[term + 1] && this.#carriers[term] <= maxCarriers,
    );
    for (const term of asked) weight[term] = information[term] ** 2;
    const costOf = (term: number): number => (carriers.start[term + 1] - carriers.start[term]) / weight[term];
    asked.sort((a, b) => costOf(a) - costOf(b));
    const best = new BestReferences(limit, excluded);
    let left = asked.reduce((sum, term) => sum + weight[term], 0);
    for (const term of asked) {
      // A profile that shares only the remaining terms has at least their norm, so its cosine is at most this quotient.
      if (Math.sqrt(left) / norm < best.least * rounding) break;
      for (let c = carriers.start[term]; c < carriers.start[term + 1]; c++)
        this.#compare(carriers.rows[c], norm, left, best);
      left -= weight[term];
    }
    for (const term of asked) weight[term] = 0;
    for (const profile of this.#seen.view()) this.#isSeen[profile] = 0;
    this.#seen.truncate(0);
    return best.found();
  }

  /** Adds the references with a profile to the best ones. @param left upper bound of the sum over shared terms */
  #compare(profile: number, norm: number, left: number, best: BestReferences): void {
    if (this.#isSeen[profile] === 1) return;
    this.#isSeen[profile] = 1;
    this.#seen.push(profile);
    const { rows, norm: norms, references } = this.#profiles;
    const product = norm * norms[profile];
    if (Math.min(left, norms[profile] ** 2) < best.least * product * rounding) return;
    const weight = this.#weight;
    let shared = 0;
    for (let e = rows.start[profile]; e < rows.start[profile + 1]; e++) shared += weight[rows.terms[e]];
    if (shared < best.least * product * rounding) return;
    for (let r = references.start[profile]; r < references.start[profile + 1]; r++)
      if (!best.add(references.rows[r], shared / product)) return;
  }
}

/** A bound is summed in another order than the value that it bounds. This factor makes up for the rounding of both. */
const rounding = 1 - 1e-9;

/** The most similar of the references that were added, by falling similarity. Of equally similar references the lower comes first. */
class BestReferences {
  /** The similarity that a reference must reach to be kept. */
  least = 0;
  readonly #reference: Int32Array;
  readonly #similarity: Float64Array;
  #size = 0;

  readonly #limit: number;
  readonly #excluded: number;

  constructor(limit: number, excluded: number) {
    this.#limit = limit;
    this.#excluded = excluded;
    this.#reference = new Int32Array(limit);
    this.#similarity = new Float64Array(limit);
  }

  /** @returns false if enough better references are kept; then no higher reference of the same similarity can be kept either */
  add(reference: number, similarity: number): boolean {
    if (reference === this.#excluded) return true;
    let place = this.#size;
    while (place > 0 && this.#isBefore(reference, similarity, place - 1)) place--;
    if (place === this.#limit) return false;
    this.#size = Math.min(this.#size + 1, this.#limit);
    this.#reference.copyWithin(place + 1, place, this.#size - 1);
    this.#similarity.copyWithin(place + 1, place, this.#size - 1);
    this.#reference[place] = reference;
    this.#similarity[place] = similarity;
    if (this.#size === this.#limit) this.least = this.#similarity[this.#limit - 1];
    return true;
  }

  #isBefore(reference: number, similarity: number, place: number): boolean {
    if (similarity !== this.#similarity[place]) return similarity > this.#similarity[place];
    return reference < this.#reference[place];
  }

  found(): ProfileNeighbours {
    return {
      reference: this.#reference.slice(0, this.#size),
      similarity: this.#similarity.slice(0, this.#size).map((similarity) => Math.min(1, similarity)),
    };
  }
}
