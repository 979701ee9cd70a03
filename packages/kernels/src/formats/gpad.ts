import {
  type AnnotationRow,
  expected,
  isCompactDate,
  isEcoId,
  isEvidenceCode,
  isGoId,
} from './annotation.js';
import type { TextSource } from './lines.js';
import {
  keepHeader,
  type LineReader,
  type ParsedBatch,
  readBatches,
  type ReadOptions,
} from './read-batches.js';
import { relationName } from './relation-names.js';
import { isNegated } from '../vocabulary/index.js';

export interface GpadOptions extends ReadOptions {
  /** GO code for each ECO id, used if the row has no `go_evidence` property; see parseEcoMapping. Unmapped ids are kept. */
  codeOfEco?: ReadonlyMap<string, string>;
  /** As in readGaf. */
  keep?: (accession: string, database: string) => boolean;
}

/**
 * GPAD 1.1, 1.2 and 2.0 as a stream of annotations; the `!gpa-version` or `!gpad-version` line defines the layout; without
 * it, a `:` in column 1 means 2.0. A row needs 10 to 12 columns, a database and object id, a GO id, an ECO id and a date;
 * any other row is in `rejected`. Converts dates to YYYYMMDD and relation ids to names.
 * @throws FormatError line too long
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
  qualifier: string;
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
    const date = (cells[8] ?? '').slice(0, 10).replaceAll('-', '');
    const fault = faultOf(cells, head, date);
    if (fault === null) batch.records.push(this.#rowOf(cells, head, date, lineNumber));
    else batch.rejected.push({ line: lineNumber, record: head.accession || null, reason: fault });
  }

  #rowOf(cells: string[], head: Layout, annotationDate: string, line: number): AnnotationRow {
    const ecoId = cells[5];
    const code = /(?:^|\|)go_evidence=([A-Z]{2,3})(?:\||$)/.exec(cells[11] ?? '')?.[1];
    return {
      line,
      database: head.database,
      accession: head.accession,
      qualifier: head.qualifier || null,
      negated: isNegated(head.qualifier),
      goId: cells[3],
      dbReference: cells[4] || null,
      evidenceCode: code ?? this.#options.codeOfEco?.get(ecoId) ?? ecoId,
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

/** Object and relation: three columns in 1.x, object id with its database, negation and relation in 2.0. */
function headOf(cells: string[], header: Record<string, string>): Layout {
  const version = header['gpad-version'] ?? header['gpa-version'];
  const second = version === undefined ? cells[0].includes(':') : version.startsWith('2');
  if (!second) return { database: cells[0], accession: cells[1] ?? '', qualifier: cells[2] ?? '' };
  const colon = cells[0].indexOf(':');
  const relation = relationName(cells[2] ?? '');
  return {
    database: cells[0].slice(0, Math.max(colon, 0)),
    accession: cells[0].slice(colon + 1),
    qualifier: cells[1] === 'NOT' ? `NOT|${relation}` : relation,
  };
}

function faultOf(cells: string[], head: Layout, date: string): string | null {
  // Empty cells after the last column are harmless.
  if (cells.length < 10 || cells.slice(12).some((cell) => cell.trim() !== ''))
    return `expected 10 to 12 tab-separated columns, found ${cells.length}`;
  if (head.database === '') return expected('a database', 'column 1', cells[0]);
  if (head.accession === '') return expected('an object id', 'columns 1 and 2', '');
  if (!isGoId(cells[3])) return expected('GO: and seven digits', 'column 4', cells[3]);
  if (!isEcoId(cells[5]) && !isEvidenceCode(cells[5]))
    return expected('ECO: and seven digits', 'column 6', cells[5]);
  if (!isCompactDate(date)) return expected('a date YYYYMMDD or YYYY-MM-DD', 'column 9', cells[8]);
  return null;
}
