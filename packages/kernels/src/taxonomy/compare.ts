import type { Taxonomy } from './taxonomy.js';

/**
 * How the taxon of the query stands to that of the reference; the first that fits:
 * same; parent, child (query directly above, below the reference); ancestor, descendant (query further above, below);
 * then by common ancestors, which both lineages hold: root-only (1), distant (2), intermediate (3 to 15), close (16 and
 * more); unrelated where a taxon is missing or not in the taxonomy.
 */
export const taxonomicRelations = [
  'same',
  'parent',
  'child',
  'ancestor',
  'descendant',
  'close',
  'intermediate',
  'distant',
  'root-only',
  'unrelated',
] as const;
export type TaxonomicRelation = (typeof taxonomicRelations)[number];

export interface TaxonomicComparison {
  /** NCBI id of the lowest common ancestor. */
  lca: number | null;
  /** Edges of the path between the two through the lowest common ancestor. */
  distance: number | null;
  /** Taxa that both lineages hold, root and lowest common ancestor included. A taxon has 1 with itself, by convention. */
  commonAncestors: number;
  relation: TaxonomicRelation;
}

const maxDistant = 2;
const maxIntermediate = 15;

const unrelated: TaxonomicComparison = {
  lca: null,
  distance: null,
  commonAncestors: 0,
  relation: 'unrelated',
};

/**
 * Compares two taxa by NCBI id; former ids count as the taxon that they were merged into. null, 0 and unknown ids give
 * `unrelated` with no ancestor, no distance and 0 common ancestors. Symmetric but for the direction of the relation.
 * Cost: O(depth).
 */
export function compareTaxa(
  taxonomy: Taxonomy,
  queryId: number | null,
  referenceId: number | null,
): TaxonomicComparison {
  const query = queryId === null ? -1 : taxonomy.indexOf(queryId);
  const reference = referenceId === null ? -1 : taxonomy.indexOf(referenceId);
  if (query < 0 || reference < 0) return unrelated;
  const { ids, depth } = taxonomy.arrays;
  if (query === reference) return { lca: ids[query], distance: 0, commonAncestors: 1, relation: 'same' };
  const lca = taxonomy.lowestCommonAncestor(query, reference);
  const below = depth[query] - depth[lca];
  const above = depth[reference] - depth[lca];
  const commonAncestors = depth[lca] + 1;
  return {
    lca: ids[lca],
    distance: below + above,
    commonAncestors,
    relation: relationOf(below, above, commonAncestors),
  };
}

/** `below`, `above`: edges from query and reference up to their lowest common ancestor; not both 0. */
function relationOf(below: number, above: number, commonAncestors: number): TaxonomicRelation {
  if (below === 0) return above === 1 ? 'parent' : 'ancestor';
  if (above === 0) return below === 1 ? 'child' : 'descendant';
  if (commonAncestors === 1) return 'root-only';
  if (commonAncestors <= maxDistant) return 'distant';
  return commonAncestors <= maxIntermediate ? 'intermediate' : 'close';
}
