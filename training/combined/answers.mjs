// Puts scored terms into the order in which the product answers, and counts how often the first of them is right.
import { answerOrder, answerRanking, termBits } from '@kindred/kernels/combined';
import { proteinBinding, rootTerms } from '@kindred/kernels/vocabulary';
import { aspects } from './windows.mjs';

/** Returns the parents of each term. */
export const parentsOf = (graph) =>
  new Map(Array.from({ length: graph.size }, (_, term) => [term, [...graph.parentsOf(term)]]));

/**
 * Returns the terms of an answer in the order of the product, to its end.
 *
 * @param scored each a term with its score and its probability, which is null where it is not calibrated
 * @param parents those of `parentsOf`
 */
export function orderedAnswer(scored, { aspect, any }, { graph, parents }) {
  const rows = scored.map(({ term, score, probability }) => {
    const speakers = any.speakers[aspect[term]];
    return {
      ...{ term, go_term_id: term, go_id: graph.termIds[term], aspect: aspects[aspect[term]], score },
      ...{ probability, contradiction: null, bits: termBits(any.carriers[term], speakers), speakers },
    };
  });
  const ranked = answerRanking(rows).map((at, rank) => ({ ...rows[at], answer_rank: rank + 1 }));
  const isTop = (one) => rootTerms.has(graph.termIds[one]);
  return answerOrder(ranked, {
    parents,
    aspectOf: (row) => row.aspect,
    isGeneral: ({ go_id, go_term_id }) => go_id === proteinBinding || parents.get(go_term_id).every(isTop),
  }).filter(({ probability, score }) => (probability === null ? score >= 0.2 : probability >= 0.1));
}

/** Counts how many first terms are right, and their bits. */
export class FirstTerms {
  #asked = 0;
  #right = 0;
  #bits = 0;
  add(row, isRight) {
    this.#asked++;
    if (row === undefined || !isRight) return;
    this.#right++;
    this.#bits += row.bits;
  }
  toString() {
    return `${(this.#right / this.#asked).toFixed(3)} (${(this.#bits / this.#right).toFixed(1)})`;
  }
}
