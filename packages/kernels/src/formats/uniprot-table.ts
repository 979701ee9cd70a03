import { FormatError, quoted } from './format-error.js';
import type { TextSource } from './lines.js';
import { type LineReader, type ParsedBatch, readBatches, type ReadOptions } from './read-batches.js';

export interface UniprotTableRow {
  line: number;
  /** Returns the text of the column with this header; null if it is empty or the table has no such column. */
  cell(header: string): string | null;
}
export interface UniprotTableOptions extends ReadOptions {
  /** The required headers; `Entry` is always required. */
  requiredHeaders?: readonly string[];
}

/**
 * Reads the tab-separated table of the UniProt REST API. Columns are found by their headers, in any order. A row with another number of
 * cells, or without an accession, is in `rejected`. An empty text yields nothing.
 * @throws FormatError if the first line lacks a needed header, or a line is too long
 */
export function readUniprotTable(
  source: TextSource,
  options: UniprotTableOptions = {},
): AsyncGenerator<ParsedBatch<UniprotTableRow>> {
  return readBatches(source, new UniprotTableReader(['Entry', ...(options.requiredHeaders ?? [])]), options);
}

class UniprotTableReader implements LineReader<UniprotTableRow> {
  readonly #required: readonly string[];
  #columns: Map<string, number> | null = null;

  constructor(required: readonly string[]) {
    this.#required = required;
  }

  read(line: string, lineNumber: number, batch: ParsedBatch<UniprotTableRow>): void {
    if (line.trim() === '') return;
    const cells = line.split('\t');
    if (this.#columns === null) {
      this.#columns = this.#columnsOf(cells, lineNumber);
      return;
    }
    const columns = this.#columns;
    const accession = cells[columns.get('Entry') as number]?.trim();
    const record = accession || null;
    if (cells.length !== columns.size) {
      const reason = `expected ${columns.size} tab-separated columns as in the first line, found ${cells.length}`;
      batch.rejected.push({ line: lineNumber, record, reason });
    } else if (record === null) {
      batch.rejected.push({
        line: lineNumber,
        record,
        reason: 'Entry: expected an accession, found nothing',
      });
    } else {
      const cell = (header: string) => cells[columns.get(header) ?? -1]?.trim() || null;
      batch.records.push({ line: lineNumber, cell });
    }
  }

  #columnsOf(headers: readonly string[], line: number): Map<string, number> {
    const columns = new Map(headers.map((header, index) => [header.trim(), index]));
    const missing = this.#required.find((header) => !columns.has(header));
    if (missing === undefined) return columns;
    const reason = `expected a column "${missing}" in the first line, found ${quoted(headers.join(', '))}`;
    throw new FormatError({ line, record: null, reason });
  }
}
