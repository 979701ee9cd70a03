import type { OntologyGraph, TermRows } from '../ontology/index.js';

/**
 * Counts the proteins that have each term, over is_a and part_of.
 *
 * @param rows direct terms of each protein; their ancestors are added
 * @returns the number of proteins with each term: [terms]
 * Cost: O(annotations with their ancestors).
 */
export function proteinsWithTerm(graph: OntologyGraph, rows: TermRows): Int32Array {
  const closure = graph.ancestorClosure();
  const counts = new Int32Array(graph.size);
  const seen = new Int32Array(graph.size).fill(-1);
  for (let protein = 0; protein + 1 < rows.start.length; protein++)
    for (let at = rows.start[protein]; at < rows.start[protein + 1]; at++) {
      const term = rows.terms[at];
      for (let above = closure.start[term]; above < closure.start[term + 1]; above++) {
        const ancestor = closure.terms[above];
        if (seen[ancestor] === protein) continue;
        seen[ancestor] = protein;
        counts[ancestor]++;
      }
    }
  return counts;
}
