import { quoted } from './format-error.js';
import type { TextSource } from './lines.js';
import { type LineReader, type ParsedBatch, readBatches, type ReadOptions } from './read-batches.js';

export interface SecondaryAccessionRecord {
  line: number;
  secondary: string;
  /** The accession of the entry that has the secondary accession now. */
  accession: string;
}

const accession = /^[A-Z][A-Z0-9]{5}(?:[A-Z0-9]{4})?$/;
const pair = /^([A-Z][A-Z0-9]{5,9})\s+([A-Z][A-Z0-9]{5,9})\s*$/;

/**
 * Reads secondary accessions as a stream, from either of two files of UniProt: the list `sec_ac.txt` (two columns below a heading), or
 * entries in the flat text format, whose AC lines name the entry's accession first and then its secondary ones. Lines that fit neither
 * are in `rejected`. @throws FormatError for a line that is too long
 */
export function readSecondaryAccessions(
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<ParsedBatch<SecondaryAccessionRecord>> {
  return readBatches(source, new SecondaryAccessionReader(), options);
}

class SecondaryAccessionReader implements LineReader<SecondaryAccessionRecord> {
  /** The kind of the file; null until a line has shown it. */
  #kind: 'list' | 'entries' | null = null;
  #entry: string | null = null;

  read(line: string, lineNumber: number, batch: ParsedBatch<SecondaryAccessionRecord>): void {
    if (this.#kind === null && line.startsWith('ID   ')) this.#kind = 'entries';
    if (this.#kind === 'entries') this.#readEntryLine(line, lineNumber, batch);
    else if (this.#kind === 'list') this.#readPair(line, lineNumber, batch);
    else if (/^Secondary AC\s+Primary AC/i.test(line)) this.#kind = 'list';
  }

  #readPair(line: string, lineNumber: number, batch: ParsedBatch<SecondaryAccessionRecord>): void {
    // These lines are the rule below the heading, empty lines, and the notice at the end.
    if (line.trim() === '' || /^[_-]/.test(line) || line.trim().split(/\s+/).length > 2) return;
    const match = pair.exec(line);
    if (match === null) {
      const reason = `expected two accessions, found ${quoted(line)}`;
      batch.rejected.push({ line: lineNumber, record: null, reason });
    } else batch.records.push({ line: lineNumber, secondary: match[1], accession: match[2] });
  }

  #readEntryLine(line: string, lineNumber: number, batch: ParsedBatch<SecondaryAccessionRecord>): void {
    if (line.startsWith('//')) this.#entry = null;
    if (!line.startsWith('AC   ')) return;
    const accessions = line
      .slice(5)
      .split(';')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    const bad = accessions.find((part) => !accession.test(part));
    if (bad !== undefined) {
      const reason = `expected accessions, found ${quoted(bad)}`;
      batch.rejected.push({ line: lineNumber, record: this.#entry, reason });
      return;
    }
    for (const each of accessions) {
      if (this.#entry === null) this.#entry = each;
      else batch.records.push({ line: lineNumber, secondary: each, accession: this.#entry });
    }
  }
}
