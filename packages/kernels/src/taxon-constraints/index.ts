export {
  readTaxonConstraintsOfObo,
  readTaxonConstraintTable,
  readTaxonUnions,
  type TaxonConstraint,
  type TaxonConstraintKind,
  type TaxonConstraintList,
} from './read-constraints.js';
export { type TaxonConstraintArrays, TaxonConstraints } from './taxon-constraints.js';
