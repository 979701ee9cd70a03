import { type CandidateFeatures, CombinedFeatures } from './combined-features.js';
import { combinedFeatures } from './feature-names.js';
import type { NetworkTermColumns } from './network-terms.js';
import { type CombinedQuery, isSimilarAt, maxSources } from './query.js';
import { aspectCount, type CombinedReference } from './reference.js';

/** The columns that only the model of bare sequences has; NaN is "not known". */
const addedFeatures = [
  /** The number of similar proteins with a term of the aspect, and the identity of the nearest of them. */
  'similar_number',
  'similar_nearest',
  /** The share of them that have the term, and the best score of one that has it as a share of the best score of all. */
  'similar_share',
  'similar_nearness',
  /** The columns of `NetworkTermColumns`. */
  'network_excess',
  'network_moved',
  'network_child',
  'network_parent',
  'network_rank',
] as const;

/** The columns of the model of bare sequences: those of the combination, and more. */
export const bareFeatures = [...combinedFeatures, ...addedFeatures] as const;
const baseWidth = combinedFeatures.length;
const width = bareFeatures.length;

/** The counts of similar proteins of a query, by aspect and by term. */
interface Similar {
  number: Int32Array;
  nearest: Float64Array;
  /** The best alignment score, as a share of the query's score with itself. */
  best: Float64Array;
  /** The number of similar proteins with each term, and the best score of one. */
  withTerm: Map<number, { number: number; best: number }>;
}

/** Describes the candidates of sequences whose own annotations are not known. Use one instance for each thread. */
export class BareFeatures {
  readonly #reference: CombinedReference;
  readonly #features: CombinedFeatures;

  constructor(reference: CombinedReference, features = new CombinedFeatures(reference)) {
    this.#reference = reference;
    this.#features = features;
  }

  /**
   * @param query one without own annotations
   * @param network what the network says of the sequence; null where it was not asked
   * @returns one entry for each aspect with rows of `bareFeatures`, rounded to float32
   */
  describe(query: CombinedQuery, network: NetworkTermColumns | null): CandidateFeatures[] {
    const similar = this.#similar(query);
    return this.#features.describe(query).map(({ terms, features }, a) => {
      const rows = new Float64Array(terms.length * width);
      terms.forEach((term, i) => {
        const row = i * width;
        rows.set(features.subarray(i * baseWidth, (i + 1) * baseWidth), row);
        addSimilar(rows, row + baseWidth, similar, { a, term });
        addNetwork(rows, row + baseWidth + 4, network, term);
        for (let column = row + baseWidth; column < row + width; column++)
          rows[column] = Math.fround(rows[column]);
      });
      return { terms, features: rows };
    });
  }

  #similar({ aligned, self }: CombinedQuery): Similar {
    const { annotated, speaks } = this.#reference;
    const found: Similar = {
      number: new Int32Array(aspectCount),
      nearest: new Float64Array(aspectCount),
      best: new Float64Array(aspectCount),
      withTerm: new Map(),
    };
    let used = 0;
    for (let i = 0; i < aligned.reference.length && used < maxSources; i++) {
      const source = aligned.reference[i];
      if (source === self || speaks[source] === 0) continue;
      used++;
      if (!isSimilarAt(aligned.logEValue[i])) continue;
      for (let a = 0; a < aspectCount; a++) {
        if (((speaks[source] >> (aspectCount + a)) & 1) === 0) continue;
        found.number[a]++;
        found.nearest[a] = Math.max(found.nearest[a], aligned.identity[i]);
        found.best[a] = Math.max(found.best[a], aligned.share[i]);
      }
      for (let at = annotated.start[source]; at < annotated.start[source + 1]; at++) {
        const term = annotated.terms[at];
        const before = found.withTerm.get(term);
        if (before === undefined) found.withTerm.set(term, { number: 1, best: aligned.share[i] });
        else {
          before.number++;
          before.best = Math.max(before.best, aligned.share[i]);
        }
      }
    }
    return found;
  }
}

function addSimilar(
  rows: Float64Array,
  at: number,
  { number, nearest, best, withTerm }: Similar,
  { a, term }: { a: number; term: number },
): void {
  const none = number[a] === 0;
  const of = withTerm.get(term);
  rows[at] = number[a];
  rows[at + 1] = none ? Number.NaN : nearest[a];
  rows[at + 2] = none ? Number.NaN : (of?.number ?? 0) / number[a];
  rows[at + 3] = none ? Number.NaN : (of?.best ?? 0) / best[a];
}

function addNetwork(rows: Float64Array, at: number, network: NetworkTermColumns | null, term: number): void {
  if (network === null) rows.fill(Number.NaN, at, at + 5);
  else {
    rows[at] = network.excess[term];
    rows[at + 1] = network.moved[term];
    rows[at + 2] = network.child[term];
    rows[at + 3] = network.parent[term];
    rows[at + 4] = network.rank[term];
  }
}

const needsOwn = /^(own_|parents_|gap_|known_|profile_|given_)/;

/** The columns of a bare sequence: those that need no annotation of the protein itself. */
export const bareColumns = Array.from(bareFeatures.keys()).filter(
  (column) => !needsOwn.test(bareFeatures[column]),
);

/** The columns of the model of known proteins of eukaryotes: all but those of the network. */
export const knownColumns = Array.from(bareFeatures.keys()).filter(
  (column) => !bareFeatures[column].startsWith('network_'),
);
