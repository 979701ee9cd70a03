import { taxonomicRelations } from '../taxonomy/index.js';

const closeRelations: readonly string[] = ['same', 'parent', 'child', 'ancestor', 'descendant', 'close'];

export interface VoterTaxaInput {
  pairCount: number;
  /** The pair of each source: Int32 [sources]. */
  pair: Int32Array;
  /** The relation of the query's taxon to the source's taxon, as an index into `taxonomicRelations`: [sources]. */
  relation: ArrayLike<number>;
  /** The number of taxa in both lineages; negative where one of the taxa is unknown: Int32 [sources]. */
  commonAncestors: Int32Array;
}

/** Columns [pairs]; NaN where no source could be compared. */
export interface VoterTaxa {
  /** The share of the compared sources with the query's taxon, 0 to 1. */
  same: Float32Array;
  /** The share of the compared sources whose taxon is the query's, in its lineage, below it or close to it, 0 to 1. */
  close: Float32Array;
  meanCommonAncestors: Float32Array;
}

/**
 * Summarises the taxa of the sources of each pair. Each source is a protein and counts once; a source whose
 * relation to the query is unknown does not count. Cost: O(sources).
 */
export function voterTaxa({ pairCount, pair, relation, commonAncestors }: VoterTaxaInput): VoterTaxa {
  const same = taxonomicRelations.indexOf('same');
  const isClose = Uint8Array.from(taxonomicRelations, (name) => (closeRelations.includes(name) ? 1 : 0));
  const sources = new Int32Array(pairCount);
  const sameCount = new Int32Array(pairCount);
  const closeCount = new Int32Array(pairCount);
  const ancestors = new Float64Array(pairCount);
  for (let row = 0; row < pair.length; row++) {
    if (commonAncestors[row] < 0) continue;
    const at = pair[row];
    sources[at]++;
    if (relation[row] === same) sameCount[at]++;
    closeCount[at] += isClose[relation[row]];
    ancestors[at] += commonAncestors[row];
  }
  const share = (counts: ArrayLike<number>) =>
    Float32Array.from(sources, (all, at) => (all === 0 ? Number.NaN : counts[at] / all));
  return { same: share(sameCount), close: share(closeCount), meanCommonAncestors: share(ancestors) };
}
