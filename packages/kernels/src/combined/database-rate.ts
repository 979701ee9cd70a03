import { binLookup, leastProteins } from '../calibration/index.js';
import { evidenceGroups, unclassifiedBit } from './vocabulary/evidence-groups.js';
import type { KnownProbability, ProbabilityBin } from './probability.js';
import { type CombinedQuery, isSimilarAt } from './query.js';
import { aspectCount, type CombinedReference } from './reference.js';
import type { UntrainedOptions, UntrainedVotes } from './untrained.js';
import { aspects } from '../vocabulary/index.js';

/** These votes count each annotation alike, because databases hold what they hold, whatever shows it. */
export const votesOfAllEvidence: UntrainedOptions = {
  groupWeights: new Float64Array(evidenceGroups.length).fill(1),
};

/** A curve says how often databases held a call with such votes of all evidence. */
export interface DatabaseCurve {
  aspect: string;
  /** True for proteins that the reference knows, and calls beyond what it knows of them; false for bare sequences. */
  known: boolean;
  /** The curve is for calls whose `RelativesOfAspect` reach both bounds. */
  identity_from: number;
  unrecorded_from: number;
  /** The bins are ordered by ascending votes; their probabilities ascend. */
  bins: ProbabilityBin[];
  windows: string[];
}

/** Facts of the similar proteins of a query that have a term of one aspect. */
export interface RelativesOfAspect {
  /** The identity of the nearest, 0 to 1; 0 without one. */
  nearest: number;
  /** The share of those whose terms have no recorded evidence. */
  unrecorded: number;
}

/** Looks at the similar proteins of a query by aspect. The cost grows with their annotations. */
export function relativesByAspect(
  { aligned, self }: Pick<CombinedQuery, 'aligned' | 'self'>,
  { annotated, aspect, speaks }: Pick<CombinedReference, 'annotated' | 'aspect' | 'speaks'>,
): RelativesOfAspect[] {
  const found = aspects.map(() => ({ similar: 0, unrecorded: 0, nearest: 0 }));
  aligned.reference.forEach((source, place) => {
    if (source === self || !isSimilarAt(aligned.logEValue[place])) return;
    let recorded = 0;
    for (let at = annotated.start[source]; at < annotated.start[source + 1]; at++)
      if (annotated.groups[at] !== unclassifiedBit) recorded |= 1 << aspect[annotated.terms[at]];
    found.forEach((of, a) => {
      if (((speaks[source] >> (aspectCount + a)) & 1) === 0) return;
      of.similar++;
      of.unrecorded += 1 - ((recorded >> a) & 1);
      of.nearest = Math.max(of.nearest, aligned.identity[place]);
    });
  });
  return found.map(({ similar, unrecorded, nearest }) => ({
    nearest,
    unrecorded: similar === 0 ? 0 : unrecorded / similar,
  }));
}

/** Says how often databases held a term of a query; null if that was not measured for such a call. */
export type DatabaseRate = (term: number) => KnownProbability | null;

/** Says of a query's terms how often databases held such calls: a curve of the votes of all evidence. */
export class DatabaseRates {
  readonly #reference: CombinedReference;
  readonly #votes: UntrainedVotes;
  readonly #curves: readonly DatabaseCurve[];

  constructor(reference: CombinedReference, votes: UntrainedVotes, curves: readonly DatabaseCurve[]) {
    this.#reference = reference;
    this.#votes = votes;
    this.#curves = curves;
  }

  /** Terms that the protein has itself have no rate: they are known. */
  of(query: CombinedQuery): DatabaseRate {
    if (this.#curves.length === 0) return () => null;
    const { term: voted, score } = this.#votes.score(query, votesOfAllEvidence);
    const votes = new Map(Array.from(voted, (term, i) => [term, score[i]]));
    const own = new Set(query.own?.terms);
    const meanings = relativesByAspect(query, this.#reference).map((relatives, a) =>
      this.#meaningOf({ ...relatives, aspect: aspects[a], known: query.own !== null }),
    );
    return (term) => (own.has(term) ? null : meanings[this.#reference.aspect[term]](votes.get(term) ?? 0));
  }

  /** The first curve that the calls reach decides. */
  #meaningOf({
    aspect,
    known,
    nearest,
    unrecorded,
  }: RelativesOfAspect & { aspect: string; known: boolean }): (votes: number) => KnownProbability | null {
    const number = this.#curves.findIndex(
      (one) =>
        one.aspect === aspect &&
        one.known === known &&
        one.identity_from <= nearest &&
        one.unrecorded_from <= unrecorded,
    );
    if (number < 0) return () => null;
    const { bins } = this.#curves[number];
    const binOf = binLookup(bins.map(({ score_from }) => score_from));
    return (votes) => {
      const bin = bins.at(binOf(votes));
      if (bin === undefined || bin.probability === null || bin.proteins < leastProteins) return null;
      return { ...bin, probability: bin.probability, curve: number };
    };
  }
}
