export * from './consensus.js';
export * from './who-says-what.js';
