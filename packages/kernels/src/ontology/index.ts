export type { Adjacency } from './adjacency.js';
export {
  type OboDocument,
  type OboParent,
  type OboTerm,
  type OntologyAspect,
  aspectOf,
} from './obo-document.js';
export { parseObo, readObo } from './obo.js';
export { ontologyArrays, type OntologyArrays } from './ontology-arrays.js';
export { columnAspects, graphOfColumns, type OntologyColumns } from './ontology-columns.js';
export { OntologyCycleError, OntologyGraph, type TermRows } from './ontology-graph.js';
export { propagatingRelations } from './relations.js';
export type { Subgraph, SubgraphOptions } from './subgraph.js';
