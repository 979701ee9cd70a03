import type { OntologyAspect } from './obo-document.js';
import { OntologyGraph } from './ontology-graph.js';

/** The propagating part of an ontology in plain columns, which a thread takes without loss. Terms are numbers. */
export interface OntologyColumns {
  goIds: string[];
  /** Per term: index into P, F, C. uint8 */
  aspect: Uint8Array;
  /** Per term: 1 where obsolete. */
  obsolete: Uint8Array;
  /** Edges by is_a and part_of, from child to parent, those into another aspect included. int32 */
  edgeChild: Int32Array;
  edgeParent: Int32Array;
  /** altIds[i] stands for term altTerms[i]. */
  altIds: string[];
  altTerms: Int32Array;
}

export const columnAspects: readonly OntologyAspect[] = ['P', 'F', 'C'];

/** @throws RangeError inconsistent columns; OntologyCycleError */
export function graphOfColumns(columns: OntologyColumns): OntologyGraph {
  return new OntologyGraph({
    termIds: columns.goIds,
    aspects: Array.from(columns.aspect, (aspect) => columnAspects[aspect]),
    obsolete: columns.obsolete,
    edgeChild: columns.edgeChild,
    edgeParent: columns.edgeParent,
    edgeRelation: new Uint8Array(columns.edgeChild.length),
    relationNames: ['is_a'],
    altIds: columns.altIds.map((id, i) => [id, columns.altTerms[i]] as const),
  });
}
