export { type OntologyAspect, ontologyAspects } from './aspect.js';
export type { AnnotationRow } from './annotation.js';
export { isNegated } from '../vocabulary/index.js';
export { isCompactDate, isEcoId, isEvidenceCode, isGoId } from './annotation.js';
export * from './eco-mapping.js';
export * from './external2go.js';
export * from './secondary-accessions.js';
export * from './fasta.js';
export * from './fasta-header.js';
export * from './fasta-write.js';
export type { LeftOutProtein } from './coding-sequence.js';
export * from './flat-file.js';
export * from './format-error.js';
export * from './gaf.js';
export * from './gaf-write.js';
export * from './gff3-decorate.js';
export * from './gff3-proteins.js';
export * from './gff3-write.js';
export * from './gpad.js';
export * from './gpad-write.js';
export * from './interpro.js';
export { isoformOf } from './isoform.js';
export { type LineHandler, LineScanner } from './line-scanner.js';
export {
  type LineBatch,
  lineBatches,
  type LineOptions,
  lines,
  LineSplitter,
  splitLines,
  type TextSource,
} from './lines.js';
export * from './search-hits.js';
export * from './sequence-format.js';
export { cellText, spreadsheetCell, tableText } from './spreadsheet.js';
export * from './object-id.js';
export * from './other-formats.js';
export * from './packing.js';
export * from './predicted-annotation.js';
export { peekLine } from './peek-line.js';
export {
  emptyBatch,
  type LineReader,
  type ParsedBatch,
  readBatches,
  type ReadOptions,
} from './read-batches.js';
export * from './quickgo.js';
export { relationId, relationName } from './relation-names.js';
export { textOfBytes, utf8Bytes, utf8Chunks } from './text-encoding.js';
export type { StatedTerm } from './stated-term.js';
export * from './stated-terms.js';
export * from './turtle-write.js';
export * from './uniprot-table.js';
export { wholeBytes } from './whole-bytes.js';
export * from './xlsx-write.js';
