import { rowsByKey } from '../../arrays/index.js';
import type { AnnotationTable } from '../read/annotations.js';
import { closeUpwards } from './closure.js';
import { type EvaluationNamespace, type EvaluationOntology, isOrphan } from '../read/evaluation-ontology.js';
import type { TermWeights } from '../read/term-lists.js';

/**
 * Computes the information accretion of every term, which says how surprising the term is for a protein that has its parents:
 *
 *     ia(t) = -log2( (n(t) + 1) / (n(all parents of t) + 1) )
 *
 * n counts proteins of the annotation table, whose annotations are propagated over is_a and part_of inside the namespace. The added ones
 * keep the value finite for terms that no protein has (t is then as surprising as its parents are common). Terms without a parent have 0.
 * Values are in bits and never negative. The cost is the annotations after propagation times the children of a term.
 *
 * @cite Clark2013Information
 */
export function informationAccretion(
  ontology: EvaluationOntology,
  annotations: AnnotationTable,
): TermWeights {
  const ofId = new Float64Array(ontology.ids.size);
  let lines = 0;
  ontology.namespaces.forEach((namespace, number) => {
    const { proteinOf, rows, terms } = annotations.namespaces[number];
    const { having, ready } = countProteins(namespace, proteinOf.length, { rows, terms });
    for (let term = 0; term < namespace.size; term++) {
      const value = isOrphan(namespace, term) ? 0 : -Math.log2((having[term] + 1) / (ready[term] + 1));
      ofId[namespace.idOf[term]] = Math.max(0, value);
      lines++;
    }
  });
  return { ofId, counts: { lines, unknownTerms: annotations.counts.unknownTerms } };
}

/** Counts the proteins with each term, and the proteins with all parents of each term. int32 */
function countProteins(
  namespace: EvaluationNamespace,
  rowCount: number,
  pairs: { rows: Int32Array; terms: Int32Array },
): { having: Int32Array; ready: Int32Array } {
  const { size, parentStart, parents } = namespace;
  const { start: childStart, rows: children } = rowsByKey(parentStart, parents, size);
  const closed = closeUpwards(namespace, rowCount, pairs);
  const having = new Int32Array(size);
  const ready = new Int32Array(size);
  const parentsMet = new Int32Array(size);
  for (let row = 0; row < rowCount; row++) {
    const own = closed.terms.subarray(closed.start[row], closed.start[row + 1]);
    for (const term of own) {
      having[term]++;
      for (let e = childStart[term]; e < childStart[term + 1]; e++) {
        const child = children[e];
        if (++parentsMet[child] === parentStart[child + 1] - parentStart[child]) ready[child]++;
      }
    }
    for (const term of own) {
      for (let e = childStart[term]; e < childStart[term + 1]; e++) parentsMet[children[e]] = 0;
    }
  }
  return { having, ready };
}
