import { uniProtAccession } from './isoform.js';

const isAccession = new RegExp(`^${uniProtAccession}(?:-[1-9]\\d*)?$`);
/** Column headings of UniProt's and other tables that stand over accessions. */
const isHeading =
  /^(?:entry|accessions?|ac|uniprot(?:kb)?(?:[ _-]?(?:ac|id|accession))?|protein(?:[ _-]?(?:id|accession))?)$/i;

/**
 * The accessions of a text that has nothing but UniProt accessions between spaces, commas or line ends, or of the column of a table whose
 * heading says so (`Entry`); each once, in upper case. An isoform number stays; quotes, a version (`P12345.2`) and the database
 * (`UniProtKB:P12345`, `sp|P12345|NAME`) are taken off. Lines that begin with `#` are comments. Null: it has another word, or none.
 */
export function accessionList(text: string): string[] | null {
  const rows = rowsOf(text);
  const words = underHeading(rows) ?? rows.flatMap((row) => row.split(/[\s,;]+/));
  const accessions = words.map(accessionOf).filter((word) => word !== '');
  return accessions.length > 0 && accessions.every((word) => isAccession.test(word))
    ? [...new Set(accessions)]
    : null;
}

/**
 * Names of any kind, one a line: of a table those of the column whose heading says so (`protein_id`), else of the first column. Quotes are
 * taken off; lines that begin with `#` are comments.
 */
export function nameList(text: string): string[] {
  const rows = rowsOf(text);
  const names = underHeading(rows) ?? rows.map((row) => row.split('\t', 1)[0]);
  return [...new Set(names.map(bare).filter((name) => name !== ''))];
}

const rowsOf = (text: string) =>
  text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .filter((line) => !/^\s*(?:#|$)/.test(line));

/** The cells below the heading of accessions; null: no column has one. */
function underHeading([head, ...rows]: readonly string[]): string[] | null {
  const column = (head ?? '').split(/[\t,;]/).findIndex((cell) => isHeading.test(bare(cell)));
  return column < 0 ? null : rows.map((row) => row.split(/[\t,;]/)[column] ?? '');
}

const bare = (text: string) => text.trim().replace(/^["']/, '').replace(/["']$/, '');

function accessionOf(word: string): string {
  const text = bare(word).toUpperCase();
  const ofHeader = /^(?:SP|TR)\|([^|]*)(?:\||$)/.exec(text)?.[1];
  return (ofHeader ?? text.replace(/^UNIPROT(?:KB)?:/, '')).replace(/\.\d{1,4}$/, '');
}
