export * from './consensus.js';
