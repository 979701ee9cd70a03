export { type Adjacency, adjacencyOf } from './adjacency.js';
export {
  type OboDocument,
  type OboParent,
  type OboTerm,
  type OntologyAspect,
  aspectOf,
} from './obo-document.js';
export { type OboOptions, parseObo, readObo } from './obo.js';
export { namelessTerm } from './obo-stanzas.js';
export { orderParentsFirst } from './cycle.js';
export {
  liveNumbers,
  noNamespace,
  type OntologyColumns,
  ontologyColumns,
  propagatingParents,
} from './ontology-columns.js';
export { OntologyCycleError, OntologyGraph, type TermRows } from './ontology-graph.js';
export { propagatingRelations } from './relations.js';
export type { Subgraph, SubgraphOptions } from './subgraph.js';
