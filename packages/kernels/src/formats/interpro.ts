import { expected } from './annotation.js';
import { quoted } from './format-error.js';
import { readGaf } from './gaf.js';
import type { TextSource } from './lines.js';
import {
  keepHeader,
  type LineReader,
  type ParsedBatch,
  readBatches,
  type ReadOptions,
} from './read-batches.js';

/** A signature that was found in a protein, and the InterPro entry that it belongs to. */
export interface InterproMatch {
  line: number;
  accession: string;
  /** The MD5 of the residues in lower case; null if the file has none. */
  sequenceMd5: string | null;
  /** The member database in upper case (PFAM, PANTHER, ...); INTERPRO if only the entry is known. */
  sourceDb: string;
  signatureAccession: string | null;
  /** The entry as `IPR` and six digits; null for a signature without an InterPro entry. */
  interproAccession: string | null;
  /** The first residue, from 1; null if the file has none. */
  start: number | null;
  end: number | null;
  /** The score as unchanged text; null if the member database reports none. */
  score: string | null;
}
export type InterproFormat = 'interproscan' | 'protein2ipr' | 'gaf';

const entryId = /^IPR\d{6}$/;
export const isInterproEntry = (text: string): boolean => entryId.test(text);

/**
 * Detects the format of a file from one line; null if the line (a comment, a blank line) does not show the format. InterProScan's table
 * has 11 to 15 columns with an MD5 in the second, protein2ipr.dat has six with an entry in the second, and GAF has 15 to 17.
 */
export function detectInterproFormat(line: string): InterproFormat | null {
  if (/^!\s*gaf-version\b/i.test(line)) return 'gaf';
  if (line.startsWith('!') || line.startsWith('#') || line.trim() === '') return null;
  const columns = line.split('\t');
  if (isInterproEntry(columns[1] ?? '')) return 'protein2ipr';
  return columns.length >= 15 && !isMd5(columns[1]) ? 'gaf' : 'interproscan';
}

/**
 * Reads the tab-separated output of InterProScan 5 and 6. `-`, `None` and an empty field mean that there is no value; `sp|ACC|NAME`
 * becomes its accession. Lines with another format are in `rejected`. @throws FormatError for a line that is too long
 */
export function readInterproScan(
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<ParsedBatch<InterproMatch>> {
  return readBatches(source, interproScanReader, options);
}

/**
 * Reads protein2ipr.dat of an InterPro release, whose columns are accession, entry, its name, signature, start and end. Lines with
 * another format are in `rejected`. @throws FormatError for a line that is too long
 */
export function readProtein2Ipr(
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<ParsedBatch<InterproMatch>> {
  return readBatches(source, protein2IprReader, options);
}

/**
 * Reads the InterPro entries in column 8 (with/from, `InterPro:IPR000001`) of the rows of a GAF. Rows without an entry are counted in
 * `skipped`. Each row gives a record for each of its entries, so an entry of a protein repeats for each of the protein's terms.
 */
export async function* readInterproOfGaf(
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<ParsedBatch<InterproMatch>> {
  for await (const batch of readGaf(source, options)) {
    const records: InterproMatch[] = [];
    let skipped = batch.skipped;
    for (const { line, accession, withFrom } of batch.records) {
      const entries = [...(withFrom ?? '').matchAll(/InterPro:(IPR\d{6})(?!\d)/g)];
      if (entries.length === 0) skipped++;
      for (const [, entry] of entries) records.push(entryOnly(line, accession, entry));
    }
    yield { ...batch, records, skipped };
  }
}

function entryOnly(line: number, accession: string, entry: string): InterproMatch {
  return {
    line,
    accession,
    sequenceMd5: null,
    sourceDb: 'INTERPRO',
    signatureAccession: null,
    interproAccession: entry,
    start: null,
    end: null,
    score: null,
  };
}

const isMd5 = (text: string | undefined) => /^[0-9a-f]{32}$/i.test(text ?? '');
const given = (text: string | undefined) =>
  text === undefined || text === '' || text === '-' || text === 'None' ? null : text;

function unwrapped(text: string): string {
  const token = text.split(/\s/, 1)[0];
  return /^(?:sp|tr)\|([^|]+)\|/.exec(token)?.[1] ?? token;
}

/** Returns start and end as numbers, or the reason why they are invalid. */
function place(start: string, end: string): { start: number; end: number } | string {
  const from = Number(start);
  const to = Number(end);
  if (!/^\d{1,9}$/.test(start) || from < 1) return expected('a place of 1 or more', 'start', start);
  if (!/^\d{1,9}$/.test(end) || to < from) return expected(`a place of ${from} or more`, 'end', end);
  return { start: from, end: to };
}

const interproScanReader: LineReader<InterproMatch> = {
  read(line, lineNumber, batch) {
    if (line.trim() === '' || line.startsWith('#')) return;
    const columns = line.split('\t');
    const reject = (reason: string) =>
      batch.rejected.push({ line: lineNumber, record: columns[0] || null, reason });
    if (columns.length < 11) {
      reject(`expected 11 to 15 columns of InterProScan, found ${columns.length}`);
      return;
    }
    const md5 = columns[1].toLowerCase();
    const entry = given(columns[11]);
    const where = place(columns[6], columns[7]);
    if (columns[0].trim() === '') reject(expected('an accession', 'column 1', columns[0]));
    else if (!isMd5(md5)) reject(expected('an MD5 of 32 hexadecimal digits', 'column 2', columns[1]));
    else if (columns[3].trim() === '') reject(expected('an analysis', 'column 4', columns[3]));
    else if (typeof where === 'string') reject(where);
    else if (entry !== null && !isInterproEntry(entry))
      reject(expected('an InterPro entry', 'column 12', entry));
    else
      batch.records.push({
        line: lineNumber,
        accession: unwrapped(columns[0]),
        sequenceMd5: md5,
        sourceDb: columns[3].trim().toUpperCase(),
        signatureAccession: given(columns[4]),
        interproAccession: entry,
        ...where,
        score: given(columns[8]),
      });
  },
};

const protein2IprReader: LineReader<InterproMatch> = {
  read(line, lineNumber, batch) {
    if (line.startsWith('!')) {
      keepHeader(line, batch.header);
      return;
    }
    if (line.trim() === '' || line.startsWith('#')) return;
    const [accession, entry, _name, signature, start, end, ...rest] = line.split('\t');
    const reject = (reason: string) =>
      batch.rejected.push({ line: lineNumber, record: accession || null, reason });
    if (end === undefined || rest.length > 0 || accession === '') {
      reject(`expected accession, entry, name, signature, start, end; found ${quoted(line)}`);
      return;
    }
    const where = place(start, end);
    if (!isInterproEntry(entry)) reject(expected('an InterPro entry', 'column 2', entry));
    else if (typeof where === 'string') reject(where);
    else
      batch.records.push({
        ...entryOnly(lineNumber, accession, entry),
        signatureAccession: given(signature),
        ...where,
      });
  },
};
