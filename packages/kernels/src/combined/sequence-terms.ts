import { binLookup, leastProteins } from '../calibration/index.js';
import type { TermRows } from '../ontology/index.js';
import { type Aspect, aspects } from '../vocabulary/index.js';
import { logOdds } from './network-terms.js';
import type { CombinedReference } from './reference.js';
import { answerEnd, type Certainty } from './vocabulary/certainty.js';

/** The words of certainty, each with what was said and right of it by curves of other families. */
export type TestedWords = Readonly<
  Record<Certainty, { said: number; probability: number | null; right: number }>
>;

/** How often the network's terms of one aspect are held by the databases, for proteins without a relative in the reference. */
export interface SequenceCurve {
  /** The number of families that the curve was measured on. */
  families: number;
  test: TestedWords;
  /** The ranges of moved probability, ascending; the rates ascend, too. */
  bins: readonly { low: number; high: number; probability: number | null; families: number }[];
}

/** The contents of `models/network/orphan-curves.json`, as `training/network/orphan-rates.mjs` measures them. */
export interface SequenceCurves {
  /** The share of the difference of frequencies by which log odds move. */
  share_of_difference: number;
  trained: {
    /** The share of the training's proteins that have a term of each aspect. */
    share_with_aspect: Readonly<Record<Aspect, number>>;
    /** The greatest share of a term that counts. */
    greatest: number;
  };
  /** The aspects whose rates hold. */
  aspects: Readonly<Partial<Record<Aspect, SequenceCurve>>>;
}

/** The terms of a query from its sequence alone, in ascending order, each with its rate. */
export interface SequenceAnswer {
  term: Int32Array;
  rate: Float64Array;
}

/**
 * Turns the probabilities of the sequence network into rates, for a query without a relative in the reference. Use one instance for each
 * reference and thread.
 *
 * The network learnt how frequent terms are in Swiss-Prot. So the log odds of each output move by a share of the difference between the
 * term's frequency by experiment in the reference and that in training; an aspect without any experiment in the reference is not moved.
 * What is above a term gets its moved probability at least, and the curve of the aspect makes a rate of it. So no term has a lower rate
 * than one below it in its aspect. Terms of aspects without a curve are left out.
 */
export class SequenceTerms {
  readonly #aspect: Uint8Array;
  readonly #closure: TermRows;
  readonly #term: Int32Array;
  readonly #moves: Float64Array;
  readonly #curves: (SequenceCurve | undefined)[];
  readonly #rates: ((probability: number) => number | null)[];
  /** The moved probability of each term; all are 0 between queries. [terms] */
  readonly #scratch: Float64Array;

  /** @param outputs the number of each output's term, -1 for none, and minus the binary logarithm of its share in training */
  constructor(
    { aspect, experimental }: Pick<CombinedReference, 'aspect' | 'experimental'>,
    closure: TermRows,
    { term, bits }: { term: Int32Array; bits: Float64Array },
    { share_of_difference: share, trained: { share_with_aspect, greatest }, aspects: curves }: SequenceCurves,
  ) {
    this.#aspect = aspect;
    this.#closure = closure;
    this.#term = term;
    this.#moves = Float64Array.from(term, (number, output) => {
      const speakers = number < 0 ? 0 : experimental.speakers[aspect[number]];
      if (speakers === 0) return 0;
      const trained = Math.min(greatest, 2 ** -bits[output] / share_with_aspect[aspects[aspect[number]]]);
      // Half a protein is added, because a frequency of 0 or 1 has no log odds.
      const frequency = (experimental.carriers[number] + 0.5) / (speakers + 1);
      return share * (logOdds(frequency) - logOdds(trained));
    });
    this.#curves = aspects.map((name) => curves[name]);
    this.#rates = this.#curves.map(rateOf);
    this.#scratch = new Float64Array(aspect.length);
  }

  /**
   * Returns the terms with a rate of at least `from`, without the roots.
   * @param probabilities those of the network's outputs, 0 to 1: Float32 [outputs]
   */
  answer(probabilities: Float32Array, from: number = answerEnd.probability): SequenceAnswer {
    const { start, terms } = this.#closure;
    const moved = this.#scratch;
    const touched: number[] = [];
    const least = this.#curves.map((curve) => leastFor(curve, from));
    this.#term.forEach((number, output) => {
      if (number < 0) return;
      const probability = 1 / (1 + Math.exp(-logOdds(probabilities[output]) - this.#moves[output]));
      // Rates ascend, so a lower probability gives no term, and most outputs need no look at what is above them.
      if (probability < least[this.#aspect[number]]) return;
      for (let at = start[number]; at < start[number + 1]; at++) {
        const above = terms[at];
        if (moved[above] === 0) touched.push(above);
        if (moved[above] < probability) moved[above] = probability;
      }
    });
    const found = touched
      .sort((a, b) => a - b)
      .flatMap((term) => {
        const isRoot = start[term + 1] - start[term] === 1;
        const rate = isRoot ? null : (this.#rates[this.#aspect[term]]?.(moved[term]) ?? null);
        return rate === null || rate < from ? [] : [{ term, rate }];
      });
    for (const term of touched) moved[term] = 0;
    return {
      term: Int32Array.from(found, ({ term }) => term),
      rate: Float64Array.from(found, ({ rate }) => rate),
    };
  }
}

/** Makes the lookup of a curve. Between two bins the lower one counts; a bin of few families has no rate. */
function rateOf(curve: SequenceCurve | undefined): (probability: number) => number | null {
  if (curve === undefined) return () => null;
  const { bins } = curve;
  const binOf = binLookup(bins.map(({ low }) => low));
  return (value) => {
    const { probability, families } = bins[binOf(value)];
    return families < leastProteins ? null : probability;
  };
}

/** Returns the lowest probability whose rate may be at least `from`. */
function leastFor(curve: SequenceCurve | undefined, from: number): number {
  const first = curve?.bins.findIndex(({ probability }) => probability !== null && probability >= from) ?? -1;
  // Below the first bin, the lookup takes the first.
  return curve === undefined || first < 0
    ? Number.POSITIVE_INFINITY
    : first === 0
      ? 0
      : curve.bins[first].low;
}
