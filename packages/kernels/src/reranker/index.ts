export * from './categories.js';
export * from './evaluate.js';
export * from './model.js';
export { applyObjective } from './objective.js';
export { parseLightgbmModel } from './parse-model.js';
