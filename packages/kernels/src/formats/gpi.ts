import { expected, taxonOf } from './annotation.js';
import type { TextSource } from './lines.js';
import {
  keepHeader,
  type LineReader,
  type ParsedBatch,
  readBatches,
  type ReadOptions,
} from './read-batches.js';

/** A gene product of a GPI file; null if a column is empty. */
export interface GeneProduct {
  line: number;
  database: string;
  accession: string;
  symbol: string | null;
  name: string | null;
  /** Synonyms, separated by `|`. */
  synonyms: string | null;
  /** `protein`, or an SO id in GPI 2.0. */
  objectType: string | null;
  taxonId: number | null;
  /** Parent object, for isoforms and chains. */
  parent: string | null;
  /** `key=value` pairs, `|` separated (`db_subset=Swiss-Prot`). */
  properties: string | null;
}

/** Positions of the columns in one version of the format. */
interface Columns {
  minimum: number;
  symbol: number;
  type: number;
  parent: number;
  properties: number;
}
const columnsOf: Record<'1.1' | '1.2' | '2.0', Columns> = {
  '1.1': { minimum: 6, symbol: 1, type: 4, parent: 6, properties: 8 },
  '1.2': { minimum: 7, symbol: 2, type: 5, parent: 7, properties: 9 },
  '2.0': { minimum: 6, symbol: 1, type: 4, parent: 7, properties: 10 },
};

/**
 * GPI 1.1 (database in a `!namespace:` line), 1.2 and 2.0 (`!gpi-version:`; default 1.2). A row needs a database, an object
 * id, a type and a taxon; any other row is in `rejected`.
 * @throws FormatError line too long
 */
export function readGpi(
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<ParsedBatch<GeneProduct>> {
  return readBatches(source, gpiReader, options);
}

const gpiReader: LineReader<GeneProduct> = {
  read(line, lineNumber, batch) {
    if (line.startsWith('!')) {
      keepHeader(line, batch.header);
      return;
    }
    if (line.trim() === '') return;
    const cells = line.split('\t');
    const version = versionOf(batch.header);
    const columns = columnsOf[version];
    const { database, accession } = objectOf(cells, version, batch.header);
    const taxonId = taxonOf(cells[columns.type + 1] ?? '');
    let fault: string | null = null;
    if (cells.length < columns.minimum) {
      fault = `expected at least ${columns.minimum} tab-separated columns of GPI ${version}, found ${cells.length}`;
    } else if (database === '') {
      fault = expected(version === '1.1' ? 'a "!namespace:" line above' : 'a database', 'column 1', cells[0]);
    } else if (accession === '')
      fault = expected('an object id', version === '1.2' ? 'column 2' : 'column 1', '');
    else if (cells[columns.type] === '') fault = expected('a type', `column ${columns.type + 1}`, '');
    else if (taxonId === null)
      fault = expected('a taxon', `column ${columns.type + 2}`, cells[columns.type + 1]);
    if (fault !== null) {
      batch.rejected.push({ line: lineNumber, record: accession || null, reason: fault });
      return;
    }
    batch.records.push({
      line: lineNumber,
      database,
      accession,
      symbol: cells[columns.symbol] || null,
      name: cells[columns.symbol + 1] || null,
      synonyms: cells[columns.symbol + 2] || null,
      objectType: cells[columns.type],
      taxonId,
      parent: cells[columns.parent] || null,
      properties: cells[columns.properties] || null,
    });
  },
};

function versionOf(header: Record<string, string>): '1.1' | '1.2' | '2.0' {
  const version = header['gpi-version'] ?? '1.2';
  if (version.startsWith('2')) return '2.0';
  return version === '1.1' || version === '1.0' ? '1.1' : '1.2';
}

function objectOf(cells: string[], version: '1.1' | '1.2' | '2.0', header: Record<string, string>) {
  if (version === '1.1') return { database: header.namespace ?? '', accession: cells[0] };
  if (version === '1.2') return { database: cells[0], accession: cells[1] ?? '' };
  const colon = cells[0].indexOf(':');
  return { database: cells[0].slice(0, Math.max(colon, 0)), accession: cells[0].slice(colon + 1) };
}
