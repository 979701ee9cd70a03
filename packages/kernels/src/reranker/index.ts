export * from './categories.js';
export { createContributionWalker, type ContributionWalker } from './contributions.js';
export * from './evaluate.js';
export { featureMatrix } from './feature-matrix.js';
export * from './model.js';
export { parseLightgbmModel, parseLightgbmModelInTurns } from './parse-model.js';
export { toProbabilities } from './probability.js';
