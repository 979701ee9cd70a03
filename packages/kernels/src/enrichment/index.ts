export { falseDiscoveryRates } from './benjamini-hochberg.js';
export {
  type EnrichedTerm,
  type EnrichmentInput,
  type EnrichmentMethod,
  enrichment,
  enrichmentMethods,
} from './enrichment.js';
export { oneSided, type Table, twoSided } from './hypergeometric.js';
export {
  AnnotatedProteinList,
  type AnnotatedProteins,
  type ListAnswer,
  listEnrichment,
  type ListQuestion,
} from './list-enrichment.js';
export { SlimMapping, type SlimTerms } from './slim.js';
