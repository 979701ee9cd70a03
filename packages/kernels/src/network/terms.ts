import { answerEnd } from '../combined/vocabulary/certainty.js';
import { type Adjacency, adjacencyOf, orderParentsFirst } from '../ontology/index.js';
import { type Aspect, aspectsAsRead } from '../vocabulary/index.js';

/** A term of the network's vocabulary. */
export interface NetworkTerm {
  goId: string;
  name: string;
  aspect: Aspect;
  /** Minus the binary logarithm of the share of the training's proteins that have the term. */
  bits: number;
}

/** A term that the network gives a protein. */
export interface NetworkTermScore extends NetworkTerm {
  /** The number of the network, 0 to 1: the greatest of the term and of all terms below it. It is not a calibrated probability. */
  score: number;
  /** The GO id of the term of the answer that implies this one; null if none does. */
  impliedBy: string | null;
}

/** The first line of `models/network/terms.tsv`. */
export const networkTermsHead = 'go_id\taspect\tbits\tparents\tname';

/** The terms of the network in the order of its probabilities, with the relations between them. */
export class NetworkTerms {
  readonly all: readonly NetworkTerm[];
  readonly #parents: Adjacency;
  readonly #childrenFirst: Int32Array;

  /**
   * @param text `models/network/terms.tsv`: a line for each term, with its parents over is_a and part_of as places in the file
   * @throws RangeError for another table, a parent that is not in it, or a circle
   */
  constructor(text: string) {
    const [head, ...lines] = text.trimEnd().split('\n');
    if (head !== networkTermsHead)
      throw new RangeError(`the first line of the terms must be ${JSON.stringify(networkTermsHead)}`);
    const children: number[] = [];
    const parents: number[] = [];
    this.all = lines.map((line, place) => {
      const [goId, aspect, bits, above, name] = line.split('\t');
      for (const parent of above === '' ? [] : above.split(' ')) {
        children.push(place);
        parents.push(Number(parent));
      }
      return { goId, name, aspect: aspect as Aspect, bits: Number(bits) };
    });
    if (parents.some((parent) => !(parent < lines.length)))
      throw new RangeError('a parent of the terms is not a place in their file');
    this.#parents = adjacencyOf(lines.length, children, parents);
    const { order } = orderParentsFirst(this.#parents);
    if (order === null) throw new RangeError('the terms are above each other in a circle');
    this.#childrenFirst = order.toReversed();
  }

  /** Returns the places of the direct parents of a term. */
  parentsOf(term: number): Int32Array {
    const { start, targets } = this.#parents;
    return targets.subarray(start[term], start[term + 1]);
  }

  /**
   * Returns the terms that the network gives a protein: those of a score of at least `from`, so that each term above one of them is among
   * them with a score at least as high. Terms of an aspect stay together. In an aspect, those that no other implies come first, and of
   * these the most informative: the greatest product of score and bits; ties by GO id.
   *
   * @param probabilities Float32 [terms], as the network gives them
   */
  answer(probabilities: Float32Array, from: number = answerEnd.score): NetworkTermScore[] {
    const scores = Float32Array.from(probabilities);
    for (const term of this.#childrenFirst)
      for (const parent of this.parentsOf(term)) scores[parent] = Math.max(scores[parent], scores[term]);
    const shown = [...this.#childrenFirst.keys()].filter((term) => scores[term] >= from);
    const isImplied = new Set(shown.flatMap((term) => [...this.parentsOf(term)]));
    const ordered = shown
      .map((term) => ({ term, isImplied: isImplied.has(term), ...this.all[term], score: scores[term] }))
      .sort(
        (a, b) =>
          aspectsAsRead.indexOf(a.aspect) - aspectsAsRead.indexOf(b.aspect) ||
          Number(a.isImplied) - Number(b.isImplied) ||
          b.score * b.bits - a.score * a.bits ||
          (a.goId < b.goId ? -1 : 1),
      );
    const impliedBy = new Map<number, string>();
    for (const { term, goId } of ordered) if (!isImplied.has(term)) this.#name(term, goId, impliedBy);
    return ordered.map(({ term, goId, name, aspect, bits, score }) => ({
      ...{ goId, name, aspect, bits, score },
      impliedBy: impliedBy.get(term) ?? null,
    }));
  }

  /** Notes a term for all terms above it that none is noted for. */
  #name(term: number, goId: string, noted: Map<number, string>): void {
    const open = [term];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const parent of this.parentsOf(at)) {
        if (noted.has(parent)) continue;
        noted.set(parent, goId);
        open.push(parent);
      }
  }
}
