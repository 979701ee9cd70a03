import type { OntologyGraph } from '../ontology/index.js';
import { aspects } from '../vocabulary/index.js';
import type { TermCounts } from './enrichment.js';

/**
 * Computes the information content of every term, in bits: minus the binary logarithm of the share of the proteins with an annotation in
 * the aspect that have the term, directly or by a term below it. The root of an aspect has 0. One protein is added to both, so that a term
 * that no protein has is as informative as the aspect is well annotated.
 *
 * @param counts counts of the terms of the graph
 * @returns bits by the number of the term: [terms]
 * @cite Resnik1995Information
 */
export function informationContent(graph: OntologyGraph, counts: Pick<TermCounts, 'withTerm'>): Float64Array {
  const { withTerm } = counts;
  const annotated = new Map(
    [...aspects, null].map((aspect) => [
      aspect,
      graph.roots(aspect).reduce((most, root) => Math.max(most, withTerm[root]), 0),
    ]),
  );
  return Float64Array.from(withTerm, (count, term) =>
    Math.max(0, -Math.log2((count + 1) / ((annotated.get(graph.aspects[term]) ?? 0) + 1))),
  );
}
