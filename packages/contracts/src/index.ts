export * from './ids.js';
export * from './plugins.js';
export * from './problems.js';
