export {
  type OboDocument,
  type OboParent,
  type OboTerm,
  type OntologyAspect,
  aspectOf,
} from './obo-document.js';
export { parseObo, propagatingRelations, readObo } from './obo.js';
