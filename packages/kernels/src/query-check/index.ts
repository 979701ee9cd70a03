export * from './query-check.js';
