import type { OntologyAspect } from './aspect.js';
import { quoted } from './format-error.js';

/** One annotation line. Texts are as in the file; null means that the column is empty. */
export interface AnnotationRow {
  /** The line of the file, from 1. */
  line: number;
  /** The database in column 1 (`UniProtKB`, `MGI`, ...). */
  database: string;
  /** The object id, unchanged; the suffix of an isoform or processed chain is kept. */
  accession: string;
  /** The relations by the Gene Ontology's names, with the prefix `NOT|` if negated. Relation ids of GPAD 2.0 become names. */
  qualifier: string | null;
  /** Whether the annotation says that the product does not have the term. */
  negated: boolean;
  goId: string;
  dbReference: string | null;
  /** The GO code (`IDA`), or the ECO id if the format gives only an ECO id and GO's mapping lacks it. */
  evidenceCode: string;
  /** The ECO id; null in GAF, which has none. */
  ecoId: string | null;
  withFrom: string | null;
  /** The aspect; null in GPAD, which has no column for it. */
  aspect: OntologyAspect | null;
  /** The NCBI taxon of the annotated product; null in GPAD. */
  taxonId: number | null;
  /** The date as YYYYMMDD. */
  annotationDate: string | null;
  assignedBy: string | null;
  extension: string | null;
  /** Column 17 of GAF, for instance `UniProtKB:P12345-2`. */
  geneProductForm: string | null;
}

/** Says whether a text is `GO:` and seven digits. */
export function isGoId(text: string): boolean {
  if (
    text.length !== 10 ||
    text.charCodeAt(0) !== 71 ||
    text.charCodeAt(1) !== 79 ||
    text.charCodeAt(2) !== 58
  )
    return false;
  return isDigits(text, 3, 10);
}

/** Says whether a text is two or three capitals, the shape of every GO evidence code. */
export function isEvidenceCode(text: string): boolean {
  if (text.length !== 2 && text.length !== 3) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 65 || code > 90) return false;
  }
  return true;
}

export function isEcoId(text: string): boolean {
  return text.length === 11 && text.startsWith('ECO:') && isDigits(text, 4, 11);
}

const daysOfMonth = Uint8Array.of(31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31);
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Says whether a text is YYYYMMDD and the day is in the calendar. */
export function isCompactDate(text: string): boolean {
  if (text.length !== 8 || !isDigits(text, 0, 8)) return false;
  const month = 10 * (text.charCodeAt(4) - 48) + text.charCodeAt(5) - 48;
  const day = 10 * (text.charCodeAt(6) - 48) + text.charCodeAt(7) - 48;
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= daysOfMonth[month - 1] || (month === 2 && day === 29 && isLeap(Number(text.slice(0, 4))));
}

/** Turns a date YYYYMMDD or YYYY-MM-DD (a time may follow) into YYYYMMDD; null if the text is neither or the calendar lacks the day. */
export function compactDate(text: string): string | null {
  if (text.length === 8) return isCompactDate(text) ? text : null;
  if (!/^\d{4}-\d\d-\d\d(?:T|$)/.test(text)) return null;
  const compact = text.slice(0, 4) + text.slice(5, 7) + text.slice(8, 10);
  return isCompactDate(compact) ? compact : null;
}

/** Returns the first number of `taxon:9606`, `NCBITaxon:9606`, `9606` or `taxon:9606|taxon:10090`; null if there is none. */
export function taxonOf(text: string): number | null {
  let i = text.indexOf(':') + 1;
  let value = 0;
  const start = i;
  for (; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) break;
    value = 10 * value + digit;
  }
  return i > start && i - start < 10 ? value : null;
}

/** Returns the reason for rejecting a column with an unexpected format. */
export function expected(what: string, column: string, found: string): string {
  return `${column}: expected ${what}, found ${found === '' ? 'nothing' : quoted(found)}`;
}

function isDigits(text: string, start: number, endExclusive: number): boolean {
  for (let i = start; i < endExclusive; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}
