export { type BuiltTaxonomy, TaxonomyBuilder } from './builder.js';
export {
  compareTaxa,
  type TaxonomicComparison,
  type TaxonomicRelation,
  taxonomicRelations,
} from './compare.js';
export {
  type MergedTaxon,
  readMergedTaxa,
  readTaxonNames,
  readTaxonNodes,
  type TaxonName,
  type TaxonNode,
} from './dump.js';
export { Taxonomy, type TaxonomyArrays } from './taxonomy.js';
