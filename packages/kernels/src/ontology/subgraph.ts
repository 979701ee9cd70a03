import type { Adjacency } from './adjacency.js';

export interface SubgraphOptions {
  /**
   * The maximum number of steps from the given terms; by default there is no limit. With 0, the result is the given terms and the edges
   * between them.
   */
  maxDepth?: number;
  /** The names of the relations to follow and to return; all by default. A name that the ontology does not have matches nothing. */
  relations?: readonly string[];
  /** The direction in which edges are followed. @default 'ancestors' */
  direction?: 'ancestors' | 'descendants';
}

export interface Subgraph {
  /** The terms by distance, the given ones first; ascending within a distance. */
  terms: Int32Array;
  /** The number of steps from the nearest given term. */
  depth: Int32Array;
  /** The edges between these terms, by child, parent and relation number. */
  edges: { child: number; parent: number; relation: string }[];
}

interface Edges {
  up: Adjacency;
  down: Adjacency;
  relation: Uint8Array;
  relationNames: readonly string[];
}

/** Searches breadth first from ascending, distinct seeds. Cost: O(result and its edges). */
export function subgraphOf(edges: Edges, seeds: readonly number[], options: SubgraphOptions): Subgraph {
  const { maxDepth = Number.POSITIVE_INFINITY, relations, direction = 'ancestors' } = options;
  const wanted = edges.relationNames.map((name) => relations === undefined || relations.includes(name));
  const next = direction === 'ancestors' ? edges.up : edges.down;
  const depthOf = new Map(seeds.map((term) => [term, 0]));
  let wave = [...seeds];
  for (let depth = 1; wave.length > 0 && depth <= maxDepth; depth++) {
    const found: number[] = [];
    for (const term of wave) {
      for (let e = next.start[term]; e < next.start[term + 1]; e++) {
        if (!wanted[edges.relation[next.edge[e]]] || depthOf.has(next.targets[e])) continue;
        depthOf.set(next.targets[e], depth);
        found.push(next.targets[e]);
      }
    }
    // A map keeps the order of insertion, so the terms of this distance must be inserted again in sorted order.
    found.sort((a, b) => a - b);
    for (const term of found) depthOf.delete(term);
    for (const term of found) depthOf.set(term, depth);
    wave = found;
  }
  const shown: Subgraph['edges'] = [];
  for (const child of [...depthOf.keys()].sort((a, b) => a - b)) {
    for (let e = edges.up.start[child]; e < edges.up.start[child + 1]; e++) {
      const relation = edges.relation[edges.up.edge[e]];
      const parent = edges.up.targets[e];
      if (wanted[relation] && depthOf.has(parent))
        shown.push({ child, parent, relation: edges.relationNames[relation] });
    }
  }
  return { terms: Int32Array.from(depthOf.keys()), depth: Int32Array.from(depthOf.values()), edges: shown };
}
