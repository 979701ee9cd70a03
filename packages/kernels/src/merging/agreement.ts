import { fitIsotonic } from '../calibration/index.js';
import type { TermRows } from '../ontology/index.js';

/**
 * The average agreement of two proteins in function, as a function of the distance of their vectors in one embedding. The curve makes the
 * distances of several embeddings comparable: an embedding in which near proteins agree no more than others gets a flat curve, and so
 * hardly counts.
 */
export interface AgreementCurve {
  /** The distances of the knots, ascending. */
  distance: number[];
  /** The agreement at each knot, 0 to 1, falling. It is interpolated between two knots, and constant beyond the ends. */
  agreement: number[];
}

/** Pairs of proteins, in columns of one length: Float64. */
export interface AgreementPoints {
  /** The distance of each pair, 0 or more, finite. */
  distance: Float64Array;
  /** The agreement of each pair, 0 to 1. */
  agreement: Float64Array;
}

/** The minimum number of pairs that a knot of the curve averages. Neighbouring steps with fewer pairs are joined. */
const leastPairs = 100;
/**
 * The share of a plain function of the distance, which orders pairs where the curve is flat. It is small, so that an embedding without
 * information about function cannot overrule one that has such information.
 */
const plainShare = 0.01;

/**
 * Fits a falling curve by least squares (isotonic regression). Neighbouring steps with fewer than 100 pairs are joined. The order of the
 * points does not matter. Cost: O(n log n).
 *
 * @throws RangeError for columns of different length, a distance that is not finite, or no point
 * @cite Ayer1955
 */
export function fitAgreement({ distance, agreement }: AgreementPoints): AgreementCurve {
  const { low, high, value, weight } = fitIsotonic(
    distance.map((d) => -d),
    agreement,
  );
  const curve: AgreementCurve = { distance: [], agreement: [] };
  // The steps ascend by agreement, so the nearest pairs come last.
  for (let b = value.length - 1; b >= 0; ) {
    let pairs = 0;
    let sum = 0;
    const nearest = -high[b];
    let farthest = nearest;
    do {
      pairs += weight[b];
      sum += weight[b] * value[b];
      farthest = -low[b--];
    } while (b >= 0 && pairs < leastPairs);
    curve.distance.push((nearest + farthest) / 2);
    curve.agreement.push(sum / pairs);
  }
  return curve;
}

/** Returns the agreement at a distance of 0 or more: 0 to 1, strictly falling with the distance. Cost: O(log knots). */
export function agreementAt({ distance, agreement }: AgreementCurve, at: number): number {
  const last = distance.length - 1;
  let from = 0;
  let to = last;
  // The loop finds the last knot at or before the distance; the first one if there is none.
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if (distance[middle] <= at) from = middle;
    else to = middle - 1;
  }
  const share =
    from === last || at <= distance[from] ? 0 : (at - distance[from]) / (distance[from + 1] - distance[from]);
  const fitted =
    share === 0 ? agreement[from] : agreement[from] + share * (agreement[from + 1] - agreement[from]);
  return (1 - plainShare) * fitted + plainShare / (1 + at);
}

export interface KnownFunctions {
  /** The terms of each protein, with all that they imply. */
  rows: TermRows;
  /** The number of the aspect of each term, below 8: [terms]. */
  aspect: Uint8Array;
  /** The weight of each term, such as its information: Float64 [terms]. */
  weight: Float64Array;
}

/**
 * Computes which share of the known functions of a source a protein has, too: the weight of the shared terms over the weight of the
 * source's terms, in the aspects in which the protein is known. The share is NaN if the source has nothing to compare.
 */
export class FunctionAgreement {
  readonly #known: KnownFunctions;
  /** The value is 1 for each term of the entered protein. */
  readonly #has: Uint8Array;
  #aspects = 0;
  #entered: Int32Array = new Int32Array(0);

  constructor(known: KnownFunctions) {
    this.#known = known;
    this.#has = new Uint8Array(known.aspect.length);
  }

  /** Sets the protein that the next sources are compared with. */
  enter(protein: number): void {
    for (const term of this.#entered) this.#has[term] = 0;
    this.#entered = this.#termsOf(protein);
    this.#aspects = 0;
    for (const term of this.#entered) {
      this.#has[term] = 1;
      this.#aspects |= 1 << this.#known.aspect[term];
    }
  }

  with(source: number): number {
    const { aspect, weight } = this.#known;
    let shared = 0;
    let all = 0;
    for (const term of this.#termsOf(source)) {
      if (((this.#aspects >> aspect[term]) & 1) === 0) continue;
      all += weight[term];
      if (this.#has[term] === 1) shared += weight[term];
    }
    return all > 0 ? shared / all : Number.NaN;
  }

  #termsOf(protein: number): Int32Array {
    const { start, terms } = this.#known.rows;
    return terms.subarray(start[protein], start[protein + 1]);
  }
}
