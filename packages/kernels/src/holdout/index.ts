export { assertedTerms } from './dated-closure.js';
export { temporalHoldout } from './holdout.js';
export * from './types.js';
