import type { OntologyAspect } from './aspect.js';
import { quoted } from './format-error.js';

/** One annotation line; texts as in the file, null if a column is empty. */
export interface AnnotationRow {
  /** 1-based line of the file. */
  line: number;
  /** Column 1 (`UniProtKB`, `MGI`, ...). */
  database: string;
  /** Object id, unchanged; the suffix of an isoform or processed chain is kept. */
  accession: string;
  /** Relations of the Gene Ontology, with the prefix `NOT|` if negated. GPAD 2.0 relation ids are written as their names. */
  qualifier: string | null;
  /** True if the annotation says that the product does not have the term. */
  negated: boolean;
  goId: string;
  dbReference: string | null;
  /** GO code (`IDA`); or the ECO id, if the format gives only an ECO id and it has no mapping. */
  evidenceCode: string;
  /** null in GAF, which has no ECO ids. */
  ecoId: string | null;
  withFrom: string | null;
  /** null in GPAD, which has no such column. */
  aspect: OntologyAspect | null;
  /** NCBI taxon of the annotated product; null in GPAD. */
  taxonId: number | null;
  /** Date as YYYYMMDD. */
  annotationDate: string | null;
  assignedBy: string | null;
  extension: string | null;
  /** GAF column 17, for instance `UniProtKB:P12345-2`. */
  geneProductForm: string | null;
}

/** True for `GO:` and seven digits. */
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

/** True for two or three capitals, the shape of every GO evidence code. */
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

/** True for YYYYMMDD with a month of 1 to 12 and a day of 1 to 31. */
export function isCompactDate(text: string): boolean {
  if (text.length !== 8 || !isDigits(text, 0, 8)) return false;
  const month = 10 * (text.charCodeAt(4) - 48) + text.charCodeAt(5) - 48;
  const day = 10 * (text.charCodeAt(6) - 48) + text.charCodeAt(7) - 48;
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** A date YYYYMMDD or YYYY-MM-DD (a time may follow) as YYYYMMDD; null: it is neither. */
export function compactDate(text: string): string | null {
  if (text.length === 8) return isCompactDate(text) ? text : null;
  if (!/^\d{4}-\d\d-\d\d(?:T|$)/.test(text)) return null;
  const compact = text.slice(0, 4) + text.slice(5, 7) + text.slice(8, 10);
  return isCompactDate(compact) ? compact : null;
}

/** First number of `taxon:9606`, `NCBITaxon:9606`, `9606` or `taxon:9606|taxon:10090`; null if there is none. */
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

/** The reason for rejecting a column with an unexpected format. */
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
