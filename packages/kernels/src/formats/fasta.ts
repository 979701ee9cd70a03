import { loneReturnReason } from './line-blocks.js';
import { type FastaHeader, parseFastaHeader } from './fasta-header.js';
import { FormatError, quoted } from './format-error.js';
import { splitLines, type TextSource } from './lines.js';
import { insteadOfSequences } from './other-formats.js';
import {
  emptyBatch,
  type LineReader,
  type ParsedBatch,
  readBatches,
  type ReadOptions,
} from './read-batches.js';

export interface FastaRecord extends FastaHeader {
  /** The residues as upper-case letters A to Z: the 20 amino acids and B J O U X Z. */
  sequence: string;
  /** The line of the header, from 1. */
  line: number;
}

export interface FastaLimits {
  /** The maximum number of records. The default is no limit. */
  maxSequences?: number;
  /** The maximum number of residues of one record. The default is no limit. */
  maxResidues?: number;
}

export interface FastaReadOptions extends FastaLimits, ReadOptions {}

/**
 * Returns all records of a FASTA text, and throws at the first error. Letters become upper case; white space inside lines and one final
 * `*` are removed.
 *
 * @throws FormatError (line, record, reason) for text before the first `>`, no record, a header without an accession, a duplicate
 * accession, lines that end with a carriage return alone, PIR, a record without residues, a letter that is not a residue, or a limit that
 * is exceeded
 */
export function parseFasta(
  source: string | Uint8Array | Iterable<Uint8Array>,
  limits: FastaReadOptions = {},
): FastaRecord[] {
  return parseFastaLines(splitLines(source, limits), limits);
}

/** Does what `parseFasta` does, with lines that have no line ends: a browser has no bytes of Node. @throws FormatError as above */
export function parseFastaLines(lines: readonly string[], limits: FastaLimits = {}): FastaRecord[] {
  const reader = new FastaReader(limits);
  const batch = emptyBatch<FastaRecord>();
  for (let i = 0; i < lines.length; i++) {
    reader.read(lines[i], i + 1, batch);
    if (batch.rejected.length > 0) throw new FormatError(batch.rejected[0]);
  }
  reader.finish(lines.length, batch);
  if (batch.rejected.length > 0) throw new FormatError(batch.rejected[0]);
  return batch.records;
}

/**
 * Reads FASTA as a stream: an invalid record goes to `rejected` and reading continues. Only more records than `maxSequences`, or a line
 * that is too long, stop it. All accessions are kept to find duplicates (about 60 bytes each).
 * @throws FormatError
 */
export function readFasta(
  source: TextSource,
  options: FastaReadOptions = {},
): AsyncGenerator<ParsedBatch<FastaRecord>> {
  return readBatches(source, new FastaReader(options), options);
}

/** A PIR (NBRF) file has a title in the line after the name. Its letters would be read as residues. */
const pirHeader = /^(?:P1|F1|D[LC]|R[LC]|N[13]|XX);/;
const pirReason =
  'this is PIR (NBRF), whose second line is a title: write it as FASTA, each title in the line of the name';

interface OpenRecord {
  head: FastaHeader;
  line: number;
  /** The raw lines after the header; index i is file line `line + 1 + i`. */
  parts: string[];
  residues: number;
  /** Whether `residues` excludes white space and stars; otherwise it counts every character. */
  exact: boolean;
  /** Whether the record was rejected; further lines of it are not kept. */
  refused: boolean;
}

class FastaReader implements LineReader<FastaRecord> {
  readonly #maxSequences: number;
  readonly #maxResidues: number;
  readonly #firstLineOf = new Map<string, number>();
  #open: OpenRecord | null = null;
  #strayTextSeen = false;
  /** The first line that is not blank before the first record. */
  #comment: { line: string; lineNumber: number } | null = null;
  #count = 0;

  constructor(limits: FastaLimits) {
    this.#maxSequences = limits.maxSequences ?? Number.POSITIVE_INFINITY;
    this.#maxResidues = limits.maxResidues ?? Number.POSITIVE_INFINITY;
  }

  read(text: string, lineNumber: number, batch: ParsedBatch<FastaRecord>): void {
    // The marks are removed, because files that were put together keep the byte order mark of each.
    const line = text.charCodeAt(0) === 0xfeff ? text.replace(/^\ufeff+/, '') : text;
    if (line.charCodeAt(0) === 62) {
      if (this.#count === 0 && !this.#strayTextSeen) this.#refuseComment(batch);
      this.#close(batch);
      this.#begin(line.slice(1), lineNumber, batch);
    } else if (this.#open !== null) {
      this.#extend(this.#open, line, lineNumber, batch);
    } else if (!this.#strayTextSeen && line.trim() !== '') this.#stray(line, lineNumber, batch);
  }

  /** Handles text before the first record. Only the lines below its comments may show what the text is. */
  #stray(line: string, lineNumber: number, batch: ParsedBatch<FastaRecord>): void {
    const reason = insteadOfSequences(line);
    this.#comment ??= { line, lineNumber };
    if (reason === null && line.startsWith('#')) return;
    this.#strayTextSeen = true;
    if (reason === null) this.#refuseComment(batch);
    else reject(batch, lineNumber, null, reason);
  }

  #refuseComment(batch: ParsedBatch<FastaRecord>): void {
    if (this.#comment === null) return;
    this.#strayTextSeen = true;
    const { line, lineNumber } = this.#comment;
    const reason = `text before the first ">": ${quoted(line)}; each record starts with a ">" line`;
    reject(batch, lineNumber, null, reason);
  }

  finish(lineCount: number, batch: ParsedBatch<FastaRecord>): void {
    this.#close(batch);
    if (this.#count === 0 && !this.#strayTextSeen) this.#refuseComment(batch);
    if (this.#count > 0 || this.#strayTextSeen) return;
    reject(
      batch,
      Math.max(lineCount, 1),
      null,
      'no FASTA record: the text is empty or has no line that starts with ">"',
    );
  }

  #begin(header: string, line: number, batch: ParsedBatch<FastaRecord>): void {
    this.#count++;
    if (this.#count > this.#maxSequences) {
      throw new FormatError({
        line,
        record: null,
        reason: `more than ${this.#maxSequences} sequences; split the file`,
      });
    }
    if (/\r[^\r]/.test(header)) {
      throw new FormatError({ line, record: null, reason: loneReturnReason });
    }
    if (pirHeader.test(header)) throw new FormatError({ line, record: null, reason: pirReason });
    const head = parseFastaHeader(header);
    this.#open = { head, line, parts: [], residues: 0, exact: false, refused: true };
    const first = this.#firstLineOf.get(head.accession);
    if (head.accession === '') {
      reject(batch, line, null, `record ${this.#count} has no accession after ">"`);
    } else if (first !== undefined) {
      reject(batch, line, head.accession, `accession ${head.accession} occurs twice, first in line ${first}`);
    } else {
      this.#firstLineOf.set(head.accession, line);
      this.#open.refused = false;
    }
  }

  #extend(open: OpenRecord, line: string, lineNumber: number, batch: ParsedBatch<FastaRecord>): void {
    if (open.refused) return;
    open.parts.push(line);
    open.residues += open.exact ? residuesOf(line) : line.length;
    if (open.residues > this.#maxResidues && !open.exact) {
      open.exact = true;
      open.residues = open.parts.reduce((sum, part) => sum + residuesOf(part), 0);
    }
    if (open.residues > this.#maxResidues) this.#refuseLength(open, lineNumber, batch);
  }

  #refuseLength(open: OpenRecord, line: number, batch: ParsedBatch<FastaRecord>): void {
    open.refused = true;
    reject(batch, line, open.head.accession, `more than ${this.#maxResidues} residues`);
  }

  #close(batch: ParsedBatch<FastaRecord>): void {
    const open = this.#open;
    this.#open = null;
    if (open === null || open.refused) return;
    const joined = open.parts.join('');
    const sequence = /^[A-Z]+$/.test(joined) ? joined : cleanSequence(open, batch);
    if (sequence !== null) batch.records.push(recordOf(open, sequence));
  }
}

function residuesOf(line: string): number {
  return /[\s*]/.test(line) ? line.replaceAll(/[\s*]/g, '').length : line.length;
}

/** Makes a record. The fields are assigned one by one, because a spread would take a third of the reading time. */
function recordOf({ head, line }: OpenRecord, sequence: string): FastaRecord {
  return {
    header: head.header,
    accession: head.accession,
    entryName: head.entryName,
    reviewed: head.reviewed,
    proteinName: head.proteinName,
    organism: head.organism,
    taxonId: head.taxonId,
    geneName: head.geneName,
    sequence,
    line,
  };
}

/** Cleans the residues of a record that are not plain upper case already; null after a rejection. */
function cleanSequence(open: OpenRecord, batch: ParsedBatch<FastaRecord>): string | null {
  const { accession } = open.head;
  const parts = open.parts.map((part) => part.replaceAll(/\s/g, ''));
  let last = parts.length - 1;
  while (last >= 0 && parts[last] === '') last--;
  if (last >= 0 && parts[last].endsWith('*')) parts[last] = parts[last].slice(0, -1);
  for (let i = 0; i <= last; i++) {
    const bad = /[^A-Za-z]/u.exec(parts[i]);
    if (bad === null) continue;
    const reason = `${quoted(bad[0])} is not a residue; letters are ACDEFGHIKLMNPQRSTVWY and BJOUXZ, and "*" at the end only`;
    reject(batch, open.line + 1 + i, accession, reason);
    return null;
  }
  const sequence = parts.join('').toUpperCase();
  if (sequence !== '') return sequence;
  reject(batch, open.line, accession, 'the record has no residues');
  return null;
}

function reject<T>(batch: ParsedBatch<T>, line: number, record: string | null, reason: string): void {
  batch.rejected.push({ line, record, reason });
}
