export {
  categoryFeatures,
  type FeatureColumn,
  type FeatureFlag,
  type FeatureType,
  featureAspects,
  featureColumn,
  featureColumns,
  featureFlags,
  featureNames,
  numericFeatures,
  projectionAxes,
} from './columns.js';
export { emptyFeatureTable, type FeatureTable } from './rows.js';
export { featureSchemaSha, schemaSha } from './schema-sha.js';
