export { falseDiscoveryRates } from './benjamini-hochberg.js';
export {
  type EnrichedTerm,
  type EnrichmentInput,
  type EnrichmentMethod,
  enrichment,
  enrichmentMethods,
  type TermCounts,
} from './enrichment.js';
export { oneSided, type Table, twoSided } from './hypergeometric.js';
export {
  AnnotatedProteinList,
  type AnnotatedProteins,
  type CountedProteins,
  hasOwnCounts,
  type ListAnswer,
  listEnrichment,
  type ListQuestion,
  slimmedCounts,
} from './list-enrichment.js';
export { SlimMapping, type SlimTerms } from './slim.js';
export { informationContent } from './information-content.js';
