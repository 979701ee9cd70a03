import { type AnnotationRow, compactDate, expected, isEcoId, isEvidenceCode, isGoId } from './annotation.js';
import type { TextSource } from './lines.js';
import {
  keepHeader,
  type LineReader,
  type ParsedBatch,
  readBatches,
  type ReadOptions,
} from './read-batches.js';
import { codeOfEcoId } from './eco-codes.js';
import { type Qualifier, readNegation, readQualifier } from './qualifier.js';
import { relationName } from './relation-names.js';

export interface GpadOptions extends ReadOptions {
  /**
   * The GO code for each ECO id, which is used if the row has no `go_evidence` property; see parseEcoMapping. The default is the ids that
   * GO's mapping names. Unmapped ids are kept.
   */
  codeOfEco?: ReadonlyMap<string, string>;
  /** A function that decides which rows are kept, as in readGaf. */
  keep?: (accession: string, database: string) => boolean;
}

/**
 * Reads GPAD 1.1, 1.2 and 2.0 as a stream of annotations. The `!gpa-version` or `!gpad-version` line defines the layout; without that
 * line, a `:` in column 1 means 2.0. A row needs 10 to 12 columns, a database and object id, a GO id, an ECO id and a date; any other row
 * is in `rejected`. Dates become YYYYMMDD, and relation ids become names.
 * @throws FormatError for a line that is too long
 */
export function readGpad(
  source: TextSource,
  options: GpadOptions = {},
): AsyncGenerator<ParsedBatch<AnnotationRow>> {
  return readBatches(source, new GpadReader(options), options);
}

interface Layout {
  database: string;
  accession: string;
  /** The qualifier; a string is the reason why it cannot be read. */
  qualifier: Qualifier | string;
}

class GpadReader implements LineReader<AnnotationRow> {
  readonly #options: GpadOptions;

  constructor(options: GpadOptions) {
    this.#options = options;
  }

  read(line: string, lineNumber: number, batch: ParsedBatch<AnnotationRow>): void {
    if (line.startsWith('!')) {
      keepHeader(line, batch.header);
      return;
    }
    if (line.trim() === '') return;
    const cells = line.split('\t');
    const head = headOf(cells, batch.header);
    if (this.#options.keep !== undefined && !this.#options.keep(head.accession, head.database)) {
      batch.skipped++;
      return;
    }
    const date = compactDate(cells[8] ?? '');
    const { qualifier } = head;
    const fault = faultOf(cells, head, date);
    if (fault === null && typeof qualifier !== 'string')
      batch.records.push(this.#rowOf(cells, { ...head, qualifier }, date, lineNumber));
    else
      batch.rejected.push({
        line: lineNumber,
        record: head.accession || null,
        reason: fault ?? (qualifier as string),
      });
  }

  #rowOf(
    cells: string[],
    head: Layout & { qualifier: Qualifier },
    annotationDate: string | null,
    line: number,
  ): AnnotationRow {
    const ecoId = cells[5];
    const code = /(?:^|\|)go_evidence=([A-Z]{2,3})(?:\||$)/.exec(cells[11] ?? '')?.[1];
    return {
      line,
      database: head.database,
      accession: head.accession,
      qualifier: head.qualifier.text,
      negated: head.qualifier.negated,
      goId: cells[3],
      dbReference: cells[4] || null,
      evidenceCode: code ?? (this.#options.codeOfEco ?? codeOfEcoId).get(ecoId) ?? ecoId,
      ecoId: isEvidenceCode(ecoId) ? null : ecoId,
      withFrom: cells[6] || null,
      aspect: null,
      taxonId: null,
      annotationDate,
      assignedBy: cells[9] || null,
      extension: cells[10] || null,
      geneProductForm: null,
    };
  }
}

/**
 * Reads object and relation, which are three columns in 1.x, but in 2.0 the object id with its database, the negation and the relation.
 */
function headOf(cells: string[], header: Record<string, string>): Layout {
  const version = header['gpad-version'] ?? header['gpa-version'];
  const second = version === undefined ? cells[0].includes(':') : version.startsWith('2');
  if (!second)
    return { database: cells[0], accession: cells[1] ?? '', qualifier: readQualifier(cells[2] ?? '') };
  const colon = cells[0].indexOf(':');
  return {
    database: cells[0].slice(0, Math.max(colon, 0)),
    accession: cells[0].slice(colon + 1),
    qualifier: qualifierOf(cells[1] ?? '', cells[2] ?? ''),
  };
}

/** Joins the columns Negation and Relation of GPAD 2.0 into a qualifier. */
function qualifierOf(negation: string, relation: string): Qualifier | string {
  const negated = readNegation(negation);
  if (typeof negated === 'string') return negated;
  return readQualifier(`${negated ? 'NOT|' : ''}${relationName(relation.trim())}`);
}

function faultOf(cells: string[], head: Layout, date: string | null): string | null {
  // Empty cells after the last column are harmless.
  if (cells.length < 10 || cells.slice(12).some((cell) => cell.trim() !== ''))
    return `expected 10 to 12 tab-separated columns, found ${cells.length}`;
  if (head.database === '') return expected('a database', 'column 1', cells[0]);
  if (head.accession === '') return expected('an object id', 'columns 1 and 2', '');
  if (!isGoId(cells[3])) return expected('GO: and seven digits', 'column 4', cells[3]);
  if (!isEcoId(cells[5]) && !isEvidenceCode(cells[5]))
    return expected('ECO: and seven digits', 'column 6', cells[5]);
  if (date === null) return expected('a date YYYYMMDD or YYYY-MM-DD', 'column 9', cells[8]);
  return null;
}
