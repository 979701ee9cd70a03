import type { TermRows } from '../ontology/index.js';

/**
 * Raises each term's score to the highest among the terms below it that are scored too, so that a term never scores below what
 * implies it. In place. Cost: the terms above each scored term.
 *
 * @param terms scored terms, each once
 * @param closure of each term itself and all above it
 * @param slotOf scratch of one entry per term of the ontology, all -1; left as it was
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
