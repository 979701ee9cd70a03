export * from './annotation.js';
export * from './fasta.js';
export * from './fasta-header.js';
export * from './fasta-write.js';
export * from './format-error.js';
export * from './gaf.js';
export * from './isoform.js';
export * from './lines.js';
export {
  emptyBatch,
  type LineReader,
  type ParsedBatch,
  readBatches,
  type ReadOptions,
} from './read-batches.js';
