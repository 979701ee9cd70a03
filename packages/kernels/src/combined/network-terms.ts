import type { CombinedReference } from './reference.js';
import { aspectCount } from './reference.js';

/** The outputs of the sequence network as terms of a reference. */
export interface NetworkOutputs {
  /** The term of each output; -1 for one that the ontology lacks: Int32 [outputs]. */
  term: Int32Array;
  /** The share of the training's proteins that have the term, above 0: Float64 [outputs]. */
  trained: Float64Array;
  /**
   * How the log odds beyond the frequency in training become those of the network that the model learnt with, by aspect; null where it is
   * that network.
   */
  map: readonly ExcessMap[] | null;
}

/** Equal quantiles of two networks, ascending: what one says (`from`), and what the other says (`to`). */
export interface ExcessMap {
  from: readonly number[];
  to: readonly number[];
}

/** The columns hold what the network says about the terms of one sequence: Float64 [terms], NaN for a term that is not an output. */
export interface NetworkTermColumns {
  /** The log odds beyond those of the term's frequency in training. */
  excess: Float64Array;
  /** The log odds, moved towards the term's frequency in the reference. */
  moved: Float64Array;
  /** The highest moved log odds of a child, and the lowest of a parent. */
  child: Float64Array;
  parent: Float64Array;
  /** The place among the terms of its aspect by falling moved log odds, as a binary logarithm; 0 is the first. */
  rank: Float64Array;
}

/** The limit of a probability whose log odds are taken, so that they stay finite. */
const least = 1e-6;
/**
 * The share of the difference between the frequency in the reference and that in training by which log odds are moved. The network learnt
 * frequencies of Swiss-Prot, where most proteins are of bacteria and most terms electronic.
 */
const movedShare = 0.3;

/** Returns the natural log odds of a probability, from about -13.8 to 13.8. */
export function logOdds(probability: number): number {
  const bounded = Math.min(1 - least, Math.max(least, probability));
  return Math.log(bounded / (1 - bounded));
}

/** Reads a value of one network as the other's: linear between quantiles; beyond them it is moved as the last one is. */
export function mappedExcess({ from, to }: ExcessMap, value: number): number {
  const last = from.length - 1;
  if (value <= from[0]) return value + to[0] - from[0];
  if (value >= from[last]) return value + to[last] - from[last];
  let at = 0;
  while (from[at + 1] < value) at++;
  return to[at] + ((value - from[at]) / (from[at + 1] - from[at])) * (to[at + 1] - to[at]);
}

/** Turns the probabilities of the network into columns of terms. Use one instance for each reference. */
export class NetworkTermReader {
  readonly #reference: CombinedReference;
  readonly #outputs: NetworkOutputs;
  readonly #base: Float64Array;
  readonly #moves: Float64Array;
  /** The outputs of each aspect. */
  readonly #byAspect: Int32Array[];

  constructor(reference: CombinedReference, outputs: NetworkOutputs) {
    const { aspect, experimental } = reference;
    this.#reference = reference;
    this.#outputs = outputs;
    this.#base = Float64Array.from(outputs.trained, logOdds);
    this.#moves = Float64Array.from(outputs.term, (term, output) => {
      const speakers = term < 0 ? 0 : experimental.speakers[aspect[term]];
      if (speakers === 0) return 0;
      // Half a protein is added, because a frequency of 0 or 1 has no log odds.
      const frequency = (experimental.carriers[term] + 0.5) / (speakers + 1);
      return movedShare * (logOdds(frequency) - this.#base[output]);
    });
    this.#byAspect = Array.from({ length: aspectCount }, (_, a) =>
      Int32Array.from(outputs.term.keys()).filter(
        (output) => outputs.term[output] >= 0 && aspect[outputs.term[output]] === a,
      ),
    );
  }

  /** @param probabilities those of the outputs, 0 to 1: Float32 [outputs] */
  read(probabilities: Float32Array): NetworkTermColumns {
    const { parents, aspect } = this.#reference;
    const { term, map } = this.#outputs;
    const column = (): Float64Array => new Float64Array(aspect.length).fill(Number.NaN);
    const columns = { excess: column(), moved: column(), child: column(), parent: column(), rank: column() };
    const { excess, moved, child, parent, rank } = columns;
    term.forEach((t, output) => {
      if (t < 0) return;
      const said = logOdds(probabilities[output]) - this.#base[output];
      excess[t] = map === null ? said : mappedExcess(map[aspect[t]], said);
      moved[t] = excess[t] + this.#base[output] + this.#moves[output];
    });
    for (const t of term) {
      if (t < 0) continue;
      for (let at = parents.start[t]; at < parents.start[t + 1]; at++) {
        const above = parents.terms[at];
        if (Number.isNaN(moved[above])) continue;
        if (!(child[above] >= moved[t])) child[above] = moved[t];
        if (!(parent[t] <= moved[above])) parent[t] = moved[above];
      }
    }
    for (const outputs of this.#byAspect) {
      const order = outputs.map((output) => term[output]).sort((a, b) => moved[b] - moved[a] || a - b);
      order.forEach((t, place) => (rank[t] = Math.log2(place + 1)));
    }
    return columns;
  }
}
