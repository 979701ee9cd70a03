export * from './answer-order.js';
export * from './answer-rank.js';
export { bareColumns, BareFeatures, bareFeatures, knownColumns } from './bare-features.js';
export { CoAnnotation, type GivenCounts, coAnnotationPrior, maxCounted } from './co-annotation.js';
export { candidateLimits, type CandidateFeatures, CombinedFeatures } from './combined-features.js';
export { combinedScores, type ScoredTerms, votesShareOf, weightedScores } from './combined-score.js';
export { makeConsistent } from './consistency.js';
export { type CombinedFeature, combinedFeatures, featureAt } from './feature-names.js';
export { type GroupedTerms, groupTerms } from './grouped-terms.js';
export { type ProfileNeighbours, ProfileSearch } from './profile-neighbours.js';
export * from './database-rate.js';
export * from './network-terms.js';
export * from './sequence-terms.js';
export * from './probability.js';
export * from './query.js';
export {
  buildCombinedReference,
  type CombinedReference,
  type TermCounts,
} from './reference.js';
export * from './untrained.js';
export * from './word-rates.js';
export * from './vocabulary/index.js';
