import type { OntologyAspect } from './aspect.js';
import { type AnnotationRow, compactDate, expected, isEvidenceCode, isGoId, taxonOf } from './annotation.js';
import { FormatError } from './format-error.js';
import type { TextSource } from './lines.js';
import { insteadOfGaf } from './other-formats.js';
import {
  keepHeader,
  type LineReader,
  type ParsedBatch,
  readBatches,
  type ReadOptions,
} from './read-batches.js';
import { type Qualifier, readQualifier } from './qualifier.js';

/** A GAF row. The columns that only GAF has are named after the format's own documentation. */
export interface GafRecord extends AnnotationRow {
  aspect: OntologyAspect;
  symbol: string | null;
  name: string | null;
  /** The synonyms, separated by `|`. */
  synonyms: string | null;
  /** The type of the object: `protein`, `gene`, `protein_complex`, ... */
  objectType: string | null;
}

export interface GafOptions extends ReadOptions {
  /**
   * A function that is called with columns 2 and 1 before the rest of the line is parsed; when it returns false, the row is skipped. It
   * makes reading a large file for a few proteins several times faster.
   */
  keep?: (accession: string, database: string) => boolean;
}

const minimumColumns = 15;
const maximumColumns = 17;
const aspectOfCode: Record<number, OntologyAspect> = { 80: 'P', 70: 'F', 67: 'C' };

/**
 * Reads GAF 2.0, 2.1 and 2.2 as a stream. A row needs 15 to 17 columns, a database, an object id, a GO id, an evidence code of two or
 * three capitals, an aspect P, F or C, a date YYYYMMDD or YYYY-MM-DD, and no qualifier except NOT and the relations of the Gene Ontology.
 * Any other row is in `rejected`. The caller checks that the terms exist and the codes are known. Blank lines and comments are ignored.
 *
 * Cost: O(bytes).
 * @throws FormatError for a line that is too long, or a file of another format that is known (the message says which one, and what to do)
 */
export function readGaf(
  source: TextSource,
  options: GafOptions = {},
): AsyncGenerator<ParsedBatch<GafRecord>> {
  return readBatches(source, new GafReader(options), options);
}

class GafReader implements LineReader<GafRecord> {
  readonly #keep: GafOptions['keep'];
  /** The positions of the tabs of the current line, then its end. */
  readonly #tabs = new Int32Array(maximumColumns + 1);
  #isBegun = false;

  constructor(options: GafOptions) {
    this.#keep = options.keep;
  }

  read(line: string, lineNumber: number, batch: ParsedBatch<GafRecord>): void {
    if (line.charCodeAt(0) === 33) {
      keepHeader(line, batch.header);
      return;
    }
    if (!this.#isBegun && line.trim() !== '') {
      this.#isBegun = true;
      const reason = insteadOfGaf(line);
      if (reason !== null) throw new FormatError({ line: lineNumber, record: null, reason });
    }
    const firstTab = line.indexOf('\t');
    if (this.#keep !== undefined && firstTab > 0) {
      const secondTab = line.indexOf('\t', firstTab + 1);
      const accession = line.slice(firstTab + 1, secondTab < 0 ? line.length : secondTab);
      if (!this.#keep(accession, line.slice(0, firstTab))) {
        batch.skipped++;
        return;
      }
    }
    const columns = this.#findTabs(line, firstTab);
    if (columns < minimumColumns || columns > maximumColumns) {
      if (columns === 1 && line.trim() === '') return;
      const found = columns > maximumColumns ? `more than ${maximumColumns}` : String(columns);
      const reason = `expected ${minimumColumns} to ${maximumColumns} tab-separated columns, found ${found}`;
      batch.rejected.push({ line: lineNumber, record: null, reason });
      return;
    }
    this.#readRow(line, lineNumber, columns, batch);
  }

  /** Returns the number of columns, at most one more than the format has. */
  #findTabs(line: string, firstTab: number): number {
    const tabs = this.#tabs;
    let count = 0;
    for (let tab = firstTab; tab >= 0; tab = line.indexOf('\t', tab + 1)) {
      tabs[count++] = tab;
      if (count === maximumColumns) {
        // Empty cells after the last column are harmless.
        return line.slice(tab).trim() === '' ? maximumColumns : maximumColumns + 1;
      }
    }
    tabs[count] = line.length;
    return count + 1;
  }

  #readRow(line: string, lineNumber: number, columns: number, batch: ParsedBatch<GafRecord>): void {
    const tabs = this.#tabs;
    const database = line.slice(0, tabs[0]);
    const accession = line.slice(tabs[0] + 1, tabs[1]);
    const goId = line.slice(tabs[3] + 1, tabs[4]);
    const evidenceCode = line.slice(tabs[5] + 1, tabs[6]);
    const aspect = tabs[8] - tabs[7] === 2 ? aspectOfCode[line.charCodeAt(tabs[7] + 1)] : undefined;
    const date = line.slice(tabs[12] + 1, tabs[13]);
    const annotationDate = compactDate(date);
    const qualifier = readQualifier(line.slice(tabs[2] + 1, tabs[3]));
    let fault: string | null = null;
    if (database === '') fault = expected('a database', 'column 1', database);
    else if (accession === '') fault = expected('an object id', 'column 2', accession);
    else if (typeof qualifier === 'string') fault = qualifier;
    else if (!isGoId(goId)) fault = expected('GO: and seven digits', 'column 5', goId);
    else if (!isEvidenceCode(evidenceCode)) {
      fault = expected('an evidence code of two or three capitals', 'column 7', evidenceCode);
    } else if (aspect === undefined) {
      fault = expected('an aspect P, F or C', 'column 9', line.slice(tabs[7] + 1, tabs[8]));
    } else if (annotationDate === null) fault = expected('a date YYYYMMDD or YYYY-MM-DD', 'column 14', date);
    if (fault !== null) {
      batch.rejected.push({ line: lineNumber, record: accession === '' ? null : accession, reason: fault });
      return;
    }
    const { text, negated } = qualifier as Qualifier;
    batch.records.push({
      line: lineNumber,
      database,
      accession,
      symbol: column(line, tabs, 2),
      qualifier: text,
      negated,
      goId,
      dbReference: column(line, tabs, 5),
      evidenceCode,
      ecoId: null,
      withFrom: column(line, tabs, 7),
      aspect: aspect as OntologyAspect,
      name: column(line, tabs, 9),
      synonyms: column(line, tabs, 10),
      objectType: column(line, tabs, 11),
      taxonId: taxonOf(line.slice(tabs[11] + 1, tabs[12])),
      annotationDate,
      assignedBy: column(line, tabs, 14),
      extension: columns > 15 ? column(line, tabs, 15) : null,
      geneProductForm: columns > 16 ? column(line, tabs, 16) : null,
    });
  }
}

/** Returns column `index` (from 0, not the first); null if it is empty. */
function column(line: string, tabs: Int32Array, index: number): string | null {
  const start = tabs[index - 1] + 1;
  const end = tabs[index];
  return end > start ? line.slice(start, end) : null;
}
