import type { CombinedFeature } from './feature-names.js';
import type { CombinedReference } from './reference.js';

/**
 * The facts that are collected for each candidate term: its aspect, its frequency, and features while they are sums. The first eight
 * columns share a cache line, because every term that occurs with one of the protein's terms reads and changes them.
 */
const columns = [
  'aspect',
  'frequency_experimental',
  'given_known_max',
  'given_known_mean',
  'given_own_max',
  'given_own_mean',
  'profile_known',
  'profile_own',
  'align_votes_experimental',
  'align_votes_any',
  'align_donors_experimental',
  'align_donors_any',
  'align_identity_experimental',
  'align_identity_any',
  'align_share_experimental',
  'align_share_any',
  'align_votes_phylogenetic',
  'align_votes_similarity',
  'align_votes_signature',
  'align_votes_vocabulary',
  'align_votes_rule',
  'distance_votes_experimental',
  'distance_votes_any',
  'distance_nearest',
] as const satisfies readonly ('aspect' | CombinedFeature)[];
type Column = (typeof columns)[number];

/** The place of each column in a row. */
export const columnAt = Object.fromEntries(columns.map((name, i) => [name, i])) as Record<Column, number>;

export const collectedFeatures = columns.filter((name) => name !== 'aspect');

export const tableWidth = columns.length;

/** The candidate terms of a query with one row each, in order of first appearance. The table is used again for every query. */
export class TermTable {
  /** The rows, one after another. There is room for all terms, but what no query has used yet takes no memory. */
  readonly values: Float64Array;
  readonly #slotOf: Int32Array;
  readonly #terms: Int32Array;
  #size = 0;

  readonly #reference: CombinedReference;

  constructor(reference: CombinedReference) {
    const terms = reference.aspect.length;
    this.#reference = reference;
    this.values = new Float64Array(terms * tableWidth);
    this.#slotOf = new Int32Array(terms).fill(-1);
    this.#terms = new Int32Array(terms);
  }

  clear(): void {
    for (const term of this.terms) this.#slotOf[term] = -1;
    this.values.fill(0, 0, this.#size * tableWidth);
    this.#size = 0;
  }

  /** The terms of the rows. */
  get terms(): Int32Array {
    return this.#terms.subarray(0, this.#size);
  }

  /** Returns the offset of the term's row. In a new row everything is 0 except the aspect and the frequency. */
  rowOf(term: number): number {
    const slot = this.#slotOf[term];
    return slot >= 0 ? slot * tableWidth : this.#add(term);
  }

  #add(term: number): number {
    const slot = this.#size++;
    this.#slotOf[term] = slot;
    this.#terms[slot] = term;
    const row = slot * tableWidth;
    this.values[row + columnAt.aspect] = this.#reference.aspect[term];
    this.values[row + columnAt.frequency_experimental] = this.#reference.experimental.share[term];
    return row;
  }

  /** Calls `visit` for each row by ascending term. Looking at all terms of the ontology costs less than sorting the terms of the rows. */
  eachAscending(visit: (term: number, slot: number) => void): void {
    const slotOf = this.#slotOf;
    for (let term = 0; term < slotOf.length; term++) if (slotOf[term] >= 0) visit(term, slotOf[term]);
  }
}
