export * from './cross-references.js';
