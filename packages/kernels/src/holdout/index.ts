export { temporalHoldout } from './holdout.js';
export * from './types.js';
