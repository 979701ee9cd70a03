import { indexOfSorted } from '../arrays/index.js';

/** The data of a Taxonomy; TaxonomyBuilder builds and checks it. */
export interface TaxonomyArrays {
  /** The NCBI ids, ascending: [taxa]. */
  ids: Int32Array;
  /** The index of the parent; the root is its own parent: [taxa]. */
  parent: Int32Array;
  /** The number of edges to the root: [taxa]. */
  depth: Int32Array;
  /** The index into rankNames: [taxa]. */
  rank: Int32Array;
  rankNames: readonly string[];
  /** The former ids, ascending, and the index of the current taxon of each: [merged] each. */
  mergedIds: Int32Array;
  mergedInto: Int32Array;
}

/**
 * A rooted tree of taxa. Methods use indices (0 to size - 1); `indexOf` and `ids` convert from and to NCBI ids. The memory is 16 bytes
 * for each taxon and 8 for each merged id. @cite Schoch2020Taxonomy
 */
export class Taxonomy {
  readonly arrays: Readonly<TaxonomyArrays>;

  constructor(arrays: TaxonomyArrays) {
    this.arrays = arrays;
  }

  get size(): number {
    return this.arrays.ids.length;
  }

  /** Returns the index of a taxon by its id or a former id; -1 if the taxonomy has neither. Cost: O(log n). */
  indexOf(id: number): number {
    const { ids, mergedIds, mergedInto } = this.arrays;
    const index = indexOfSorted(ids, id);
    if (index >= 0) return index;
    const merged = indexOfSorted(mergedIds, id);
    return merged < 0 ? -1 : mergedInto[merged];
  }

  rankOf(index: number): string {
    return this.arrays.rankNames[this.arrays.rank[index]];
  }

  /** Returns the indices from the root to the taxon, with both: depth + 1 indices. */
  lineage(index: number): Int32Array {
    const { parent, depth } = this.arrays;
    const out = new Int32Array(depth[index] + 1);
    for (let at = depth[index], node = index; at >= 0; at--, node = parent[node]) out[at] = node;
    return out;
  }

  /** Returns the index of the deepest taxon in both lineages. A taxon is in its own lineage. Cost: O(depth). */
  lowestCommonAncestor(a: number, b: number): number {
    const { parent, depth } = this.arrays;
    let x = a;
    let y = b;
    while (depth[x] > depth[y]) x = parent[x];
    while (depth[y] > depth[x]) y = parent[y];
    while (x !== y) {
      x = parent[x];
      y = parent[y];
    }
    return x;
  }
}
