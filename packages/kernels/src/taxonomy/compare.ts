import type { Taxonomy } from './taxonomy.js';

/**
 * The relations of the query's taxon to the reference's taxon; the first that applies is taken: same; parent, child (query directly
 * above, below the reference); ancestor, descendant (query further above, below); then by the number of common ancestors: root-only (1),
 * distant (2), intermediate (3 to 15), close (16 or more).
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
] as const;
export type TaxonomicRelation = (typeof taxonomicRelations)[number];

export interface TaxonomicComparison {
  /** The NCBI id of the lowest common ancestor. */
  lca: number;
  /** The number of edges between the two taxa, through the lowest common ancestor. */
  distance: number;
  /**
   * The number of taxa in both lineages, with the root and the lowest common ancestor. For a taxon with itself it is 1, by convention.
   */
  commonAncestors: number;
  relation: TaxonomicRelation;
}

const maxDistant = 2;
const maxIntermediate = 15;

/**
 * Compares two taxa by NCBI id; former ids are replaced by the taxon that they were merged into. The result is null if one of them is
 * null, 0 or not in the taxonomy, because nothing is known of their relation. The comparison is symmetric except for the direction of the
 * relation. Cost: O(depth).
 */
export function compareTaxa(
  taxonomy: Taxonomy,
  queryId: number | null,
  referenceId: number | null,
): TaxonomicComparison | null {
  const query = queryId === null ? -1 : taxonomy.indexOf(queryId);
  const reference = referenceId === null ? -1 : taxonomy.indexOf(referenceId);
  if (query < 0 || reference < 0) return null;
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

/**
 * Returns the relation. `below` and `above` are the edges from query and reference up to their lowest common ancestor; they are not both
 * 0.
 */
function relationOf(below: number, above: number, commonAncestors: number): TaxonomicRelation {
  if (below === 0) return above === 1 ? 'parent' : 'ancestor';
  if (above === 0) return below === 1 ? 'child' : 'descendant';
  if (commonAncestors === 1) return 'root-only';
  if (commonAncestors <= maxDistant) return 'distant';
  return commonAncestors <= maxIntermediate ? 'intermediate' : 'close';
}
