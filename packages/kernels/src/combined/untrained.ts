import { evidenceGroups, experimentalBit } from './vocabulary/evidence-groups.js';
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

/** The weight of the protein's own annotations among the votes, in the unit of weights by alignment. */
export const ownWeight = 100;

export interface UntrainedOptions {
  /** The source of the votes. @default 'both' */
  by?: 'alignment' | 'distance' | 'both';
  /**
   * The weight of an annotation of each evidence group, 0 to 1; of several groups the maximum counts. The default is the rate at which
   * experiments confirm annotations of the group and aspect in the reference (1 for experiments).
   */
  groupWeights?: Float64Array;
  /** Whether the protein's own non-experimental annotations vote as one more aligned source. @default false */
  withOwn?: boolean;
  /** Terms below this score are left out. @default 0.01, the lowest threshold of an evaluation */
  minimumScore?: number;
}

/** The terms by falling score, of all aspects together; of equal scores the lower term comes first. */
export interface UntrainedScores {
  term: Int32Array;
  /** The scores as float64, 0 to 1. */
  score: Float64Array;
}

/**
 * The amounts that each source, the protein's own annotations and the frequency of the term add to its score. They sum up to the score.
 */
export interface VoteShares {
  /** The amount from the term's frequency among the references. */
  prior: number;
  own: number;
  /** Sources with the term, in any order. */
  sources: { reference: number; kind: 'alignment' | 'distance'; added: number }[];
}

/**
 * Scores terms by votes, which need no training. For alignment and for distance separately,
 *
 * score(t) = (sum of w_i g_i(t) + c f(t) + v [t in own]) / (sum of w_i + c + v [own has a term of the aspect])
 *
 * over the 50 best sources: w = max(0, 2 - log10 E), c = 5, or w = farthest / distance - 1 (merged distances of
 * several embeddings: agreement / smallest agreement - 1), c = 0.5; g the weight of the evidence by
 * which the source has the term (how often experiments confirm it); f the share of references that have it by experiment; v = 100 where
 * the
 * protein's own annotations take part (in the votes by alignment only). The default for a bare sequence is the mean of both. Terms are
 * propagated, so no term scores higher than its ancestors.
 *
 * @cite Robbins1956
 */
export class UntrainedVotes {
  readonly #votes: Float64Array;
  readonly #score: Float64Array;
  readonly #seen: Uint8Array;
  /** The terms by falling share. */
  readonly #frequent: Int32Array;
  /** The weight of each aspect and mask of groups, from the rates of the reference. */
  readonly #ownWeights: Float64Array;

  readonly #reference: CombinedReference;

  constructor(reference: CombinedReference) {
    this.#reference = reference;
    const { share } = reference.experimental;
    this.#votes = new Float64Array(share.length);
    this.#score = new Float64Array(share.length);
    this.#seen = new Uint8Array(share.length);
    this.#frequent = Int32Array.from(share.keys())
      .filter((term) => share[term] > 0)
      .sort((a, b) => share[b] - share[a] || a - b);
    this.#ownWeights = weightsOf(reference.groupProof, undefined);
  }

  /** @throws RangeError for a minimum of 0 or less */
  score(query: CombinedQuery, options: UntrainedOptions = {}): UntrainedScores {
    const { by = 'both', withOwn = false, minimumScore = 0.01 } = options;
    if (!(minimumScore > 0)) throw new RangeError(`minimum score ${minimumScore}: expected above 0`);
    const weightOf = this.#weightsOf(options.groupWeights);
    const met = this.#frequentTerms(minimumScore);
    const kinds = by === 'both' ? (['alignment', 'distance'] as const) : [by];
    const sources = kinds.map((kind) => this.#sources(kind, query));
    const own = withOwn && kinds.includes('alignment') ? query.own : null;
    sources.forEach(({ reference }) => this.#meetTerms(reference, met));
    for (const term of own?.terms ?? []) this.#meet(term, met);
    kinds.forEach((kind, i) => {
      const { votes, total } = this.#count(sources[i], weightOf, kind);
      if (own !== null && kind === 'alignment') addOwn(own, this.#reference.aspect, { votes, total });
      const prior = kind === 'alignment' ? alignmentPrior : distancePrior;
      for (const term of met) {
        const share = this.#reference.experimental.share[term];
        this.#score[term] +=
          (votes[term] + prior * share) / total[this.#reference.aspect[term]] / kinds.length;
        votes[term] = 0;
      }
    });
    const kept = met.filter((term) => this.#score[term] >= minimumScore);
    kept.sort((a, b) => this.#score[b] - this.#score[a] || a - b);
    const scores = {
      term: Int32Array.from(kept),
      score: Float64Array.from(kept, (term) => Math.min(1, this.#score[term])),
    };
    for (const term of met) this.#seen[term] = this.#score[term] = 0;
    return scores;
  }

  /** Returns the parts of a term's score; they sum up to what `score` gives, except for rounding. */
  explain(query: CombinedQuery, term: number, options: UntrainedOptions = {}): VoteShares {
    const { by = 'both', withOwn = false } = options;
    const weightOf = this.#weightsOf(options.groupWeights);
    const { aspect, experimental } = this.#reference;
    const kinds = by === 'both' ? (['alignment', 'distance'] as const) : [by];
    const shares: VoteShares = { prior: 0, own: 0, sources: [] };
    for (const kind of kinds) {
      const { reference, weight } = this.#sources(kind, query);
      const prior = kind === 'alignment' ? alignmentPrior : distancePrior;
      const given = Array.from(reference, (source) => this.#givenBy(source, term, weightOf));
      const own = withOwn && kind === 'alignment' ? query.own : null;
      const ownTotal = own === null ? 0 : ownVotes(own, (other) => aspect[other] === aspect[term]);
      const total =
        given.reduce<number>((sum, share, i) => sum + (share === null ? 0 : weight[i]), prior + ownTotal) *
        kinds.length;
      shares.prior += (prior * experimental.share[term]) / total;
      if (own !== null) shares.own += ownVotes(own, (other) => other === term) / total;
      given.forEach((share, i) => {
        if (share !== null && share > 0)
          shares.sources.push({ reference: reference[i], kind, added: (weight[i] * share) / total });
      });
    }
    return shares;
  }

  /** Returns how much a source's annotation with the term counts: 0 if the source lacks the term, null if it has no term of the aspect. */
  #givenBy(source: number, term: number, weightOf: Float64Array): number | null {
    const { annotated, aspect } = this.#reference;
    let given: number | null = null;
    for (let at = annotated.start[source]; at < annotated.start[source + 1]; at++) {
      if (aspect[annotated.terms[at]] !== aspect[term]) continue;
      const share = weightOf[aspect[term] * 256 + annotated.groups[at]];
      if (share === 0) continue;
      given = annotated.terms[at] === term ? share : (given ?? 0);
    }
    return given;
  }

  #weightsOf(groupWeights: Float64Array | undefined): Float64Array {
    return groupWeights === undefined
      ? this.#ownWeights
      : weightsOf(this.#reference.groupProof, groupWeights);
  }

  /** Returns the terms whose frequency alone can reach the minimum score. */
  #frequentTerms(minimumScore: number): number[] {
    const { share } = this.#reference.experimental;
    const met: number[] = [];
    for (const term of this.#frequent) {
      if (share[term] < minimumScore) break;
      this.#meet(term, met);
    }
    return met;
  }

  #meet(term: number, met: number[]): void {
    if (this.#seen[term] === 1) return;
    this.#seen[term] = 1;
    met.push(term);
  }

  #meetTerms(reference: Int32Array, met: number[]): void {
    const { start, terms } = this.#reference.annotated;
    for (const source of reference)
      for (let at = start[source]; at < start[source + 1]; at++) this.#meet(terms[at], met);
  }

  #count(
    { reference, weight }: Sources,
    weightOf: Float64Array,
    kind: 'alignment' | 'distance',
  ): { votes: Float64Array; total: Float64Array } {
    const { annotated, aspect } = this.#reference;
    const votes = this.#votes;
    const total = new Float64Array(aspectCount).fill(kind === 'alignment' ? alignmentPrior : distancePrior);
    reference.forEach((source, i) => {
      let speaks = 0;
      for (let at = annotated.start[source]; at < annotated.start[source + 1]; at++) {
        const share = weightOf[aspect[annotated.terms[at]] * 256 + annotated.groups[at]];
        if (share === 0) continue;
        speaks |= 1 << aspect[annotated.terms[at]];
        votes[annotated.terms[at]] += weight[i] * share;
      }
      for (let a = 0; a < aspectCount; a++) total[a] += weight[i] * ((speaks >> a) & 1);
    });
    return { votes, total };
  }

  #sources(kind: 'alignment' | 'distance', { aligned, near, self }: CombinedQuery): Sources {
    const source = kind === 'alignment' ? aligned.reference : near.reference;
    const chosen: number[] = [];
    for (let i = 0; i < source.length && chosen.length < maxSources; i++)
      if (source[i] !== self && this.#reference.speaks[source[i]] !== 0) chosen.push(i);
    return {
      reference: Int32Array.from(chosen, (i) => source[i]),
      weight:
        kind === 'alignment'
          ? Float64Array.from(chosen, (i) => alignmentWeight(aligned.logEValue[i]))
          : distanceWeights(
              Float64Array.from(chosen, (i) => near.distance[i]),
              near.isMerged,
            ),
    };
  }
}

/** Computes the weight of each aspect and mask of groups: Float64 [aspects x 256]. */
function weightsOf(groupProof: Float64Array, groupWeights: Float64Array | undefined): Float64Array {
  return Float64Array.from({ length: 256 * aspectCount }, (_, place) => {
    const a = Math.floor(place / 256);
    let most = 0;
    for (let group = 0; group < evidenceGroups.length; group++)
      if (place & (1 << group))
        most = Math.max(most, groupWeights?.[group] ?? groupProof[group * aspectCount + a]);
    return most;
  });
}

interface Sources {
  reference: Int32Array;
  weight: Float64Array;
}

/** Returns the vote of the protein's own annotations without purely experimental ones, if one of their terms is wanted. */
function ownVotes(own: OwnTerms, isWanted: (term: number) => boolean): number {
  const has = own.terms.some((term, i) => (own.groups[i] & ~experimentalBit) !== 0 && isWanted(term));
  return has ? ownWeight : 0;
}

/** Adds the protein's own annotations as one more vote, without purely experimental ones. */
function addOwn(
  own: OwnTerms,
  aspect: Uint8Array,
  { votes, total }: { votes: Float64Array; total: Float64Array },
): void {
  let speaks = 0;
  own.terms.forEach((term, i) => {
    if ((own.groups[i] & ~experimentalBit) === 0) return;
    speaks |= 1 << aspect[term];
    votes[term] += ownWeight;
  });
  for (let a = 0; a < aspectCount; a++) total[a] += ownWeight * ((speaks >> a) & 1);
}
