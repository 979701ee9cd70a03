import type { OntologyGraph } from '../ontology/index.js';

/**
 * The terms of a slim for a term: `direct` has the most specific slim terms at or above it, `all` every slim term at or above it. Paths
 * follow is_a and part_of within an aspect. The terms are numbers of the graph, ascending.
 */
export interface SlimTerms {
  direct: Int32Array;
  all: Int32Array;
}

/** Maps terms to a slim, once for each term. A new term costs O(ancestors and their edges). */
export class SlimMapping {
  readonly #graph: OntologyGraph;
  readonly #isSlim: Uint8Array;
  readonly #mapped = new Map<number, SlimTerms>();

  /** @param slim terms of the slim as numbers of the graph */
  constructor(graph: OntologyGraph, slim: Iterable<number>) {
    this.#graph = graph;
    this.#isSlim = new Uint8Array(graph.size);
    for (const term of slim) this.#isSlim[term] = 1;
  }

  of(term: number): SlimTerms {
    let mapped = this.#mapped.get(term);
    if (mapped === undefined) {
      const all = this.#graph.ancestorsOf([term]).filter((ancestor) => this.#isSlim[ancestor] === 1);
      mapped = { all, direct: this.#graph.leavesOnly(all) };
      this.#mapped.set(term, mapped);
    }
    return mapped;
  }
}
