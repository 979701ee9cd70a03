import type { TermRows } from '../ontology/index.js';

/**
 * Raises each term's score to the maximum over the scored terms below it, so that no term scores lower than a term that implies it. The
 * scores are changed in place. The cost is the number of terms above all scored terms.
 *
 * @param terms scored terms, each once
 * @param closure each term itself and all its ancestors
 * @param slotOf scratch space with one entry for each term of the ontology, all -1; restored on return
 */
export function makeConsistent(
  terms: Int32Array,
  score: Float64Array,
  closure: Readonly<TermRows>,
  slotOf: Int32Array,
): void {
  terms.forEach((term, slot) => (slotOf[term] = slot));
  const raised = score.slice();
  terms.forEach((term, slot) => {
    for (let c = closure.start[term]; c < closure.start[term + 1]; c++) {
      const above = slotOf[closure.terms[c]];
      if (above >= 0 && score[slot] > raised[above]) raised[above] = score[slot];
    }
  });
  score.set(raised);
  for (const term of terms) slotOf[term] = -1;
}
