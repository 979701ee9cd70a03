/** Scores of the terms of one protein, 0 to 1, by the number of the term; each term has at least the score of those below it. */
export type TermScores = ReadonlyMap<number, number>;

/** A program without scores states each of its terms with this chance. */
export const scorelessChance = 0.8;
/** A program votes on an aspect where the correlation with the own scores is at least this. */
export const leastCorrelation = 0.4;
/** Fewer proteins of which both sides say something show no correlation. */
export const leastSharedProteins = 20;

const aspects = 3;

/** Gives each term the highest score of itself and the terms below it. Cost: the ancestors of the terms. */
export function propagatedScores(
  closure: { start: Int32Array; terms: Int32Array },
  stated: Iterable<readonly [term: number, score: number]>,
): Map<number, number> {
  const scores = new Map<number, number>();
  for (const [term, score] of stated)
    for (let at = closure.start[term]; at < closure.start[term + 1]; at++) {
      const above = closure.terms[at];
      if (score > (scores.get(above) ?? 0)) scores.set(above, score);
    }
  return scores;
}

/** Sums over the proteins for one term. */
interface Sums {
  own: number;
  ownSquared: number;
  other: number;
  otherSquared: number;
  both: number;
}

/**
 * The correlation of a program's scores with the own ones across proteins, term by term: the covariances within terms over the root of the
 * variances within terms, each summed over the terms of an aspect. Terms that a program states of every protein with the same score vary in
 * nothing, so that a program that knows only how frequent terms are has a correlation of 0. A term that one side does not state has the
 * score 0 there. Memory: O(terms). Cost: O(scores).
 */
export class OwnCorrelation {
  readonly #aspectOf: (term: number) => number;
  readonly #sums = new Map<number, Sums>();
  readonly #shared = new Int32Array(aspects);
  #proteins = 0;

  /** @param aspectOf the number of the aspect of a term, 0 to 2; terms of another number are ignored */
  constructor(aspectOf: (term: number) => number) {
    this.#aspectOf = aspectOf;
  }

  /** Adds a protein; each protein of the run must be added once, with or without terms. */
  add(own: TermScores, other: TermScores): void {
    this.#proteins++;
    const speaks = new Uint8Array(aspects);
    for (const [term, score] of own) {
      const sums = this.#sumsOf(term);
      sums.own += score;
      sums.ownSquared += score * score;
      speaks[this.#aspectOf(term)] |= 1;
    }
    for (const [term, score] of other) {
      const sums = this.#sumsOf(term);
      sums.other += score;
      sums.otherSquared += score * score;
      sums.both += score * (own.get(term) ?? 0);
      speaks[this.#aspectOf(term)] |= 2;
    }
    speaks.forEach((sides, aspect) => (this.#shared[aspect] += Number(sides === 3)));
  }

  /** Returns the correlation in an aspect, -1 to 1; null where too few proteins have terms of both, or nothing varies. */
  in(aspect: number): number | null {
    if (this.#shared[aspect] < leastSharedProteins) return null;
    let covariance = 0;
    let own = 0;
    let other = 0;
    for (const [term, sums] of this.#sums) {
      if (this.#aspectOf(term) !== aspect) continue;
      covariance += sums.both - (sums.own * sums.other) / this.#proteins;
      own += sums.ownSquared - sums.own ** 2 / this.#proteins;
      other += sums.otherSquared - sums.other ** 2 / this.#proteins;
    }
    // The differences of sums of equal scores are not exactly 0.
    const least = 1e-9 * this.#proteins;
    return own > least && other > least ? covariance / Math.sqrt(own * other) : null;
  }

  /** Whether the program votes on the terms of an aspect. */
  votesOn(aspect: number): boolean {
    return (this.in(aspect) ?? 0) >= leastCorrelation;
  }

  #sumsOf(term: number): Sums {
    let sums = this.#sums.get(term);
    if (sums === undefined) {
      sums = { own: 0, ownSquared: 0, other: 0, otherSquared: 0, both: 0 };
      this.#sums.set(term, sums);
    }
    return sums;
  }
}

/**
 * Joins the own score of a term with the chances of the programs that vote on it: the chance that at least one of them is right, if they
 * erred independently. The order of the programs does not matter, and no program lowers a score.
 *
 * @param chances scores of the programs, 0 to 1; `scorelessChance` for a program without scores
 */
export function consensusScore(own: number, chances: readonly number[]): number {
  if (chances.length === 0) return own;
  // Sorted factors give the same product for each order of the programs.
  const wrong = [own, ...chances]
    .sort((a, b) => a - b)
    .reduce((product, chance) => product * (1 - chance), 1);
  return Math.max(own, ...chances, 1 - wrong);
}
