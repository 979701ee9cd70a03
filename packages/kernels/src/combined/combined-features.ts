import { GrowingFloat64, GrowingInt32, topK } from '../arrays/index.js';
import { CoAnnotation, coAnnotationPrior } from './co-annotation.js';
import { experimentalBit, unclassifiedBit } from './vocabulary/evidence-groups.js';
import { combinedFeatures, featureAt } from './feature-names.js';
import { ProfileSearch } from './profile-neighbours.js';
import {
  alignmentPrior,
  alignmentWeight,
  type CombinedQuery,
  distancePrior,
  distanceWeights,
  maxSources,
  type OwnTerms,
} from './query.js';
import { aspectCount, type CombinedReference } from './reference.js';
import { collectedFeatures, columnAt as at, tableWidth, TermTable } from './term-table.js';

const width = combinedFeatures.length;
/** The weight of the overall term frequency (the prior) in the frequency within an organism, in proteins. */
const organismPrior = 20;
const profileLimit = 50;
/** The weight of the term frequency (the prior) in the votes of profile neighbours, in neighbours of cosine 1. */
const profilePrior = 1;
/** The maximum number of known terms s for which P(t | s) is looked up. The most specific terms are taken, the most informative first. */
const maxConditions = 15;
const classifiedGroups = [1, 2, 3, 4, 5] as const;

/** The maximum number of candidates of a protein for the aspects P, F and C. */
export const candidateLimits = [400, 250, 200] as const;

/** Candidate terms of one query and aspect with their features. */
export interface CandidateFeatures {
  /** The terms by falling preliminary score; of equal scores the lower term comes first. */
  terms: Int32Array;
  /** The features in rows [terms x combinedFeatures], rounded to float32; NaN means missing. */
  features: Float64Array;
}

/**
 * Collects the candidate terms of a query: every term with support from a source, the protein's own annotations or
 * co-annotation. Computes `combinedFeatures` for each. Terms that the query already has by experiment
 * are not candidates.
 *
 * Use one instance for each thread, because it caches counts over the reference. The order of sources of equal weight changes results only
 * by rounding.
 */
export class CombinedFeatures {
  readonly #table: TermTable;
  readonly #coAnnotation: CoAnnotation;
  readonly #profiles: { experimental: ProfileSearch; any: ProfileSearch };
  readonly #organisms = new Map<number, OrganismCounts>();
  readonly #informationBelow: Float64Array;
  readonly #ownMask: Uint8Array;

  readonly #reference: CombinedReference;

  constructor(reference: CombinedReference) {
    this.#reference = reference;
    const termCount = reference.aspect.length;
    this.#table = new TermTable(reference);
    this.#ownMask = new Uint8Array(termCount);
    this.#informationBelow = new Float64Array(termCount);
    this.#coAnnotation = new CoAnnotation(reference);
    this.#profiles = {
      experimental: new ProfileSearch(reference, 'experimental'),
      any: new ProfileSearch(reference, 'any'),
    };
  }

  /** @returns one entry for each aspect, in the order P, F, C */
  describe(query: CombinedQuery): CandidateFeatures[] {
    this.#table.clear();
    const own = query.own ?? { terms: new Int32Array(0), groups: new Uint8Array(0) };
    own.terms.forEach((term, i) => (this.#ownMask[term] = own.groups[i]));
    this.#raiseInformation(own.terms);
    const weights = {
      align: this.#addAligned(query),
      distance: this.#addNear(query),
      profile: this.#addProfiles(query, own),
    };
    const given = this.#addGiven(query, own);
    own.terms.forEach((term, i) => {
      if (own.groups[i] & ~experimentalBit) this.#table.rowOf(term);
    });
    const collected: Collected = {
      query,
      own,
      weights,
      given,
      known: countKnown(own, this.#reference.aspect),
      organism: query.organism < 0 ? null : this.#organismCounts(query.organism),
      unclassified: own.groups.some((groups) => (groups & unclassifiedBit) !== 0),
    };
    const found = this.#choose(collected);
    for (const term of own.terms) this.#ownMask[term] = this.#informationBelow[term] = 0;
    return found;
  }

  /**
   * Adds the votes of aligned sources. Returns the sums of weights for each aspect: of sources with experimental terms of the aspect (0 to
   * 2), and of sources with any terms of it (3 to 5).
   */
  #addAligned({ aligned, self }: CombinedQuery): Float64Array {
    const { annotated, speaks } = this.#reference;
    const table = this.#table;
    const { values } = table;
    const total = new Float64Array(2 * aspectCount);
    let used = 0;
    for (let i = 0; i < aligned.reference.length && used < maxSources; i++) {
      const source = aligned.reference[i];
      if (source === self || speaks[source] === 0) continue;
      used++;
      const weight = alignmentWeight(aligned.logEValue[i]);
      for (let bit = 0; bit < 2 * aspectCount; bit++) total[bit] += weight * ((speaks[source] >> bit) & 1);
      for (let e = annotated.start[source]; e < annotated.start[source + 1]; e++) {
        const row = table.rowOf(annotated.terms[e]);
        const mask = annotated.groups[e];
        values[row + at.align_votes_any] += weight;
        values[row + at.align_donors_any]++;
        raise(values, row + at.align_identity_any, aligned.identity[i]);
        raise(values, row + at.align_share_any, aligned.share[i]);
        for (const group of classifiedGroups)
          if (mask & (1 << group)) values[row + at.align_votes_phylogenetic + group - 1] += weight;
        if ((mask & experimentalBit) === 0) continue;
        values[row + at.align_votes_experimental] += weight;
        values[row + at.align_donors_experimental]++;
        raise(values, row + at.align_identity_experimental, aligned.identity[i]);
        raise(values, row + at.align_share_experimental, aligned.share[i]);
      }
    }
    return total;
  }

  #addNear({ near, self }: CombinedQuery): Float64Array {
    const { annotated, speaks } = this.#reference;
    const table = this.#table;
    const { values } = table;
    const chosen: number[] = [];
    for (let i = 0; i < near.reference.length && chosen.length < maxSources; i++)
      if (near.reference[i] !== self && speaks[near.reference[i]] !== 0) chosen.push(i);
    const distance = Float64Array.from(chosen, (i) => near.distance[i]);
    const weights = distanceWeights(distance, near.isMerged);
    const total = new Float64Array(2 * aspectCount);
    chosen.forEach((place, i) => {
      const source = near.reference[place];
      for (let bit = 0; bit < 2 * aspectCount; bit++)
        total[bit] += weights[i] * ((speaks[source] >> bit) & 1);
      for (let e = annotated.start[source]; e < annotated.start[source + 1]; e++) {
        const row = table.rowOf(annotated.terms[e]);
        values[row + at.distance_votes_any] += weights[i];
        if (values[row + at.distance_nearest] === 0)
          values[row + at.distance_nearest] = Math.max(distance[i], Number.MIN_VALUE);
        if (annotated.groups[e] & experimentalBit) values[row + at.distance_votes_experimental] += weights[i];
      }
    });
    return total;
  }

  /**
   * Adds the votes of profile neighbours, which always vote with their experimental terms. Returns the sums of weights for each aspect
   * and both kinds of profiles.
   */
  #addProfiles({ self }: CombinedQuery, own: OwnTerms): Float64Array {
    const { experimentalTerms, speaks } = this.#reference;
    const table = this.#table;
    const { values } = table;
    const total = new Float64Array(2 * aspectCount);
    const kinds = [
      { evidence: 'experimental', mask: experimentalBit, column: at.profile_known },
      { evidence: 'any', mask: 255, column: at.profile_own },
    ] as const;
    kinds.forEach(({ evidence, mask, column }, kind) => {
      const terms = own.terms.filter((_, i) => (own.groups[i] & mask) !== 0);
      if (terms.length === 0) return;
      const found = this.#profiles[evidence].nearest(terms, { excluded: self, limit: profileLimit });
      found.reference.forEach((source, i) => {
        const weight = found.similarity[i] ** 2;
        for (let a = 0; a < aspectCount; a++)
          total[kind * aspectCount + a] += weight * ((speaks[source] >> a) & 1);
        for (let e = experimentalTerms.start[source]; e < experimentalTerms.start[source + 1]; e++)
          values[table.rowOf(experimentalTerms.terms[e]) + column] += weight;
      });
    });
    return total;
  }

  /** Adds P(t | s) minus its value for n_ts = 0, which `#settle` adds to every row. */
  #addGiven({ self }: CombinedQuery, own: OwnTerms): GivenSums {
    const { information } = this.#reference;
    const table = this.#table;
    const { values } = table;
    const sums: GivenSums = {
      count: [0, 0],
      base: [new Float64Array(aspectCount), new Float64Array(aspectCount)],
    };
    const kinds = [
      {
        evidence: 'experimental',
        keeps: (mask: number) => (mask & experimentalBit) !== 0,
        max: at.given_known_max,
      },
      { evidence: 'any', keeps: (mask: number) => (mask & experimentalBit) === 0, max: at.given_own_max },
    ] as const;
    kinds.forEach(({ evidence, keeps, max }, kind) => {
      const specific = this.#mostSpecific(own, keeps);
      specific.sort((a, b) => information[b] - information[a] || a - b);
      const asked = specific.slice(0, maxConditions);
      sums.count[kind] = asked.length;
      for (const s of asked) {
        const { terms, counts, speakers } = this.#coAnnotation.given(s, evidence);
        const less = self >= 0 ? 1 : 0;
        const divisor = Array.from(
          speakers,
          (n, a) =>
            Math.max(0, n - (less && (this.#reference.speaks[self] >> a) & 1 ? 1 : 0)) + coAnnotationPrior,
        );
        for (let a = 0; a < aspectCount; a++) sums.base[kind][a] += coAnnotationPrior / divisor[a];
        for (let i = 0; i < terms.length; i++) {
          if (this.#ownMask[terms[i]] & experimentalBit) continue;
          const row = table.rowOf(terms[i]);
          const share = values[row + at.frequency_experimental];
          const total = divisor[values[row + at.aspect]];
          raise(values, row + max, (counts[i] + coAnnotationPrior * share) / total);
          values[row + max + 1] += counts[i] / total;
        }
      }
    });
    return sums;
  }

  /** Finds the information of the most informative own term at or below each own term. Passes are repeated until nothing changes. */
  #raiseInformation(terms: Int32Array): void {
    const { parents, information } = this.#reference;
    const best = this.#informationBelow;
    const open = [...terms];
    for (const term of terms) best[term] = information[term];
    for (let term = open.pop(); term !== undefined; term = open.pop())
      for (let e = parents.start[term]; e < parents.start[term + 1]; e++) {
        const parent = parents.terms[e];
        if (this.#ownMask[parent] === 0 || best[parent] >= best[term]) continue;
        best[parent] = best[term];
        open.push(parent);
      }
  }

  /** Returns the own terms that `keeps` accepts and that are not ancestors of another accepted term. */
  #mostSpecific(own: OwnTerms, keeps: (mask: number) => boolean): number[] {
    const { parents } = this.#reference;
    const kept = [...own.terms].filter((_, i) => keeps(own.groups[i]));
    const above = new Set<number>();
    for (const term of kept)
      for (let e = parents.start[term]; e < parents.start[term + 1]; e++) above.add(parents.terms[e]);
    return kept.filter((term) => !above.has(term));
  }

  /**
   * Turns the sums of all rows into shares.
   * @returns for each row the plain sum of what supports the term, which decides whether the term is kept
   */
  #settle({ query, own, weights, given, known }: Collected): Float64Array {
    const { values, terms } = this.#table;
    const { share } = this.#reference.any;
    const support = new Float64Array(terms.length);
    for (let slot = 0; slot < terms.length; slot++) {
      const row = slot * tableWidth;
      const a = values[row + at.aspect];
      const shareE = values[row + at.frequency_experimental];
      const shareA = share[terms[slot]];
      let sum = shrink(values, row + at.align_votes_experimental, weights.align[a], alignmentPrior, shareE);
      sum += shrink(values, row + at.align_votes_any, weights.align[aspectCount + a], alignmentPrior, shareA);
      sum += shrink(values, row + at.distance_votes_experimental, weights.distance[a], distancePrior, shareE);
      sum += shrink(
        values,
        row + at.distance_votes_any,
        weights.distance[aspectCount + a],
        distancePrior,
        shareA,
      );
      if (query.own !== null) sum += Number((this.#ownMask[terms[slot]] & ~experimentalBit) !== 0);
      if (known.total === 0) values[row + at.profile_known] = Number.NaN;
      else sum += shrink(values, row + at.profile_known, weights.profile[a], profilePrior, shareE);
      if (own.terms.length === 0) values[row + at.profile_own] = Number.NaN;
      else
        sum += shrink(values, row + at.profile_own, weights.profile[aspectCount + a], profilePrior, shareE);
      for (let kind = 0; kind < givenColumns.length; kind++) {
        const column = row + givenColumns[kind];
        const count = given.count[kind];
        const base = given.base[kind][a] * shareE;
        values[column] = count === 0 ? Number.NaN : Math.max(values[column], base / count);
        values[column + 1] = count === 0 ? Number.NaN : (values[column + 1] + base) / count;
        if (count > 0) sum += values[column];
      }
      support[slot] = sum;
    }
    return support;
  }

  /** Fills the remaining columns of a candidate, in `features` from offset `row`. */
  #complete(features: Float64Array, row: number, t: number, collected: Collected): void {
    const { query, weights, known, organism } = collected;
    const reference = this.#reference;
    const { values } = this.#table;
    const from = this.#table.rowOf(t);
    for (let i = 0; i < copied.from.length; i++) features[row + copied.to[i]] = values[from + copied.from[i]];
    const a = reference.aspect[t];
    const alignAny = weights.align[aspectCount + a];
    for (const group of classifiedGroups) {
      const column = row + featureAt.align_votes_phylogenetic + group - 1;
      features[column] = reference.classified ? features[column] / (alignAny + alignmentPrior) : Number.NaN;
    }
    for (const column of missingWhereZero)
      if (features[row + column] === 0) features[row + column] = Number.NaN;
    features[row + featureAt.align_weight] = weights.align[a];
    this.#completeOwn(features, row, t, collected);
    const unknown = query.own === null;
    features[row + featureAt.known_terms] = unknown ? Number.NaN : known.experimental[a];
    features[row + featureAt.known_elsewhere] = unknown ? Number.NaN : known.total - known.experimental[a];
    features[row + featureAt.own_terms] = unknown ? Number.NaN : known.electronic[a];
    features[row + featureAt.frequency_any] = reference.any.share[t];
    features[row + featureAt.frequency_organism] = this.#organismShare(organism, query.self, t);
    features[row + featureAt.proof_rate] = reference.proof[t];
    features[row + featureAt.proof_organism] = this.#organismProof(organism, query.self, t);
    features[row + featureAt.information] = reference.information[t];
    features[row + featureAt.depth] = reference.depth[t];
    features[row + featureAt.children] = reference.childCount[t];
    for (let column = row; column < row + width; column++) features[column] = Math.fround(features[column]);
  }

  #completeOwn(values: Float64Array, row: number, t: number, { query, unclassified }: Collected): void {
    if (query.own === null) {
      for (let column = featureAt.own_electronic; column <= featureAt.own_below; column++)
        values[row + column] = Number.NaN;
      return;
    }
    const mask = this.#ownMask[t];
    values[row + featureAt.own_electronic] = Number((mask & ~experimentalBit) !== 0);
    values[row + featureAt.own_groups] = unclassified ? Number.NaN : bitCount(mask & ~experimentalBit);
    for (const group of classifiedGroups)
      values[row + featureAt.own_phylogenetic + group - 1] = unclassified ? Number.NaN : (mask >> group) & 1;
    const { parents, information } = this.#reference;
    const from = parents.start[t];
    const to = parents.start[t + 1];
    let knownParents = 0;
    let ownParents = 0;
    let knownAbove = 0;
    let ownAbove = 0;
    for (let e = from; e < to; e++) {
      const above = this.#ownMask[parents.terms[e]];
      if (above === 0) continue;
      ownParents++;
      ownAbove = Math.max(ownAbove, information[parents.terms[e]]);
      if ((above & experimentalBit) === 0) continue;
      knownParents++;
      knownAbove = Math.max(knownAbove, information[parents.terms[e]]);
    }
    values[row + featureAt.parents_known] = knownParents / Math.max(1, to - from);
    values[row + featureAt.parents_own] = ownParents / Math.max(1, to - from);
    values[row + featureAt.gap_known] = information[t] - knownAbove;
    values[row + featureAt.own_below] = mask ? this.#informationBelow[t] - information[t] : Number.NaN;
    values[row + featureAt.gap_own] = mask ? 0 : information[t] - ownAbove;
  }

  /**
   * Returns the share of the organism's proteins that have the term by experiment. The query is left out, and the share is shrunk toward
   * that among all references.
   */
  #organismShare(organism: OrganismCounts | null, self: number, t: number): number {
    if (organism === null) return Number.NaN;
    const { aspect, experimental, speaks } = this.#reference;
    const { counts, speakers } = organism;
    const a = aspect[t];
    const selfSpeaks = self >= 0 && (speaks[self] >> a) & 1 ? 1 : 0;
    const others = Math.max(0, speakers[a] - selfSpeaks);
    return (counts[t] + organismPrior * experimental.share[t]) / (others + organismPrior);
  }

  /**
   * Returns how often experiments confirm the term in the organism. The query is left out, and the rate is shrunk toward that among all
   * references.
   */
  #organismProof(organism: OrganismCounts | null, self: number, t: number): number {
    if (organism === null) return Number.NaN;
    const { aspect, proof, speaks } = this.#reference;
    const { claimed, confirmed } = organism;
    const selfClaims =
      self >= 0 && this.#ownMask[t] & ~experimentalBit && (speaks[self] >> aspect[t]) & 1 ? 1 : 0;
    const others = Math.max(0, claimed[t] - selfClaims);
    return (confirmed[t] + organismPrior * proof[t]) / (others + organismPrior);
  }

  #organismCounts(organism: number): OrganismCounts {
    const known = this.#organisms.get(organism);
    if (known !== undefined) return known;
    const { annotated, aspect, speaks } = this.#reference;
    const column = (): Int32Array => new Int32Array(aspect.length);
    const found = {
      counts: column(),
      claimed: column(),
      confirmed: column(),
      speakers: new Int32Array(aspectCount),
    };
    this.#reference.organism.forEach((of, r) => {
      if (of !== organism) return;
      for (let a = 0; a < aspectCount; a++) found.speakers[a] += (speaks[r] >> a) & 1;
      for (let e = annotated.start[r]; e < annotated.start[r + 1]; e++) {
        const t = annotated.terms[e];
        const experimental = annotated.groups[e] & experimentalBit;
        if (experimental) found.counts[t]++;
        if ((annotated.groups[e] & ~experimentalBit) === 0 || ((speaks[r] >> aspect[t]) & 1) === 0) continue;
        found.claimed[t]++;
        if (experimental) found.confirmed[t]++;
      }
    });
    this.#organisms.set(organism, found);
    return found;
  }

  /** Keeps the best candidates of each aspect by a plain sum of their support; of equal sums the lower term comes first. */
  #choose(collected: Collected): CandidateFeatures[] {
    const { aspect } = this.#reference;
    const supportOf = this.#settle(collected);
    const possible = Array.from({ length: aspectCount }, () => ({
      terms: new GrowingInt32(),
      support: new GrowingFloat64(),
    }));
    this.#table.eachAscending((term, slot) => {
      if (this.#ownMask[term] & experimentalBit) return;
      const { terms, support } = possible[aspect[term]];
      terms.push(term);
      support.push(supportOf[slot]);
    });
    return possible.map(({ terms, support }, a) => {
      const list = terms.view();
      const best = topK(support.view(), candidateLimits[a]);
      const features = new Float64Array(best.length * width);
      best.forEach((i, place) => {
        this.#complete(features, place * width, list[i], collected);
      });
      return { terms: best.map((i) => list[i]), features };
    });
  }
}

/**
 * Counts of one organism's proteins for each term: proteins that have it by experiment; proteins that have it without experiment (and
 * have an experimental term of the aspect); and how many of these have it by experiment, too.
 */
interface OrganismCounts {
  counts: Int32Array;
  claimed: Int32Array;
  confirmed: Int32Array;
  /** The number of proteins with at least one experimental term of each aspect. */
  speakers: Int32Array;
}

interface GivenSums {
  /** The number of terms that were looked up: known terms, electronic terms. */
  count: [number, number];
  /** The sum of 3 / (n_s + 3) over the terms that were looked up, by aspect. */
  base: [Float64Array, Float64Array];
}

interface Collected {
  query: CombinedQuery;
  own: OwnTerms;
  weights: { align: Float64Array; distance: Float64Array; profile: Float64Array };
  given: GivenSums;
  known: ReturnType<typeof countKnown>;
  /** The counts of the query's organism; null if the organism is unknown. */
  organism: OrganismCounts | null;
  /** Whether some of the protein's own annotations have an unknown evidence group. */
  unclassified: boolean;
}

/** The columns by kind of the given terms; the column of the mean follows that of the maximum. */
const givenColumns = [at.given_known_max, at.given_own_max] as const;

/** The places of the collected features, in a row of the table and in a row of features. */
const copied = {
  from: Int32Array.from(collectedFeatures, (name) => at[name]),
  to: Int32Array.from(collectedFeatures, (name) => featureAt[name]),
};

/** The columns in which 0 means that no source has the term. */
const missingWhereZero = [
  featureAt.align_identity_experimental,
  featureAt.align_identity_any,
  featureAt.align_share_experimental,
  featureAt.align_share_any,
  featureAt.distance_nearest,
];

/** Replaces a sum of votes by the share among all votes and those of the prior; returns the share. */
// oxlint-disable-next-line eslint/max-params -- called for each candidate; an object each would cost more than the sum
function shrink(
  values: Float64Array,
  place: number,
  total: number,
  prior: number,
  frequency: number,
): number {
  const share = (values[place] + prior * frequency) / (total + prior);
  values[place] = share;
  return share;
}

function raise(values: Float64Array, place: number, value: number): void {
  if (value > values[place]) values[place] = value;
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}

/** Counts a protein's terms for each aspect, with and without experiment, and all its experimental terms. */
function countKnown(
  own: OwnTerms,
  aspect: Uint8Array,
): { experimental: Int32Array; electronic: Int32Array; total: number } {
  const experimental = new Int32Array(aspectCount);
  const electronic = new Int32Array(aspectCount);
  own.terms.forEach((term, i) => {
    if (own.groups[i] & experimentalBit) experimental[aspect[term]]++;
    else electronic[aspect[term]]++;
  });
  return { experimental, electronic, total: experimental.reduce((sum, n) => sum + n, 0) };
}
