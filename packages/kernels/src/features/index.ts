export { candidateColumns } from './candidate-columns.js';
export {
  categoryFeatures,
  type FeatureColumn,
  type FeatureType,
  featureAspects,
  featureColumn,
  featureColumns,
  featureNames,
  numericFeatures,
} from './columns.js';
export { type FeatureFlag, featureFlags, projectionAxes } from '../prediction/index.js';
export { emptyFeatureTable, type FeatureTable } from './rows.js';
export { featureSchemaSha, schemaSha } from './schema-sha.js';
export type { Lineage } from './lineage.js';
export {
  type SourceRows,
  type PairFeatureInput,
  type PairFeatures,
  pairFeatureColumns,
  pairFeatures,
} from './pair-features.js';
export type { TermLists } from './pairs.js';
export { principalAxes } from './principal-axes.js';
export { type Projection, projectGroups } from './projection.js';
export type { TermVectorFeatures, TermVectors } from './term-vectors.js';
export type { VoterTaxa } from './voter-taxa.js';
