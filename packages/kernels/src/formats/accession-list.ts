import { uniProtAccession } from './isoform.js';

const isAccession = new RegExp(`^${uniProtAccession}(?:-[1-9]\\d*)?$`);
/** Words of which one at least is in a heading that stands over accessions: `Entry`, `UniProt ID`, `Majority protein IDs`. */
const headingNoun =
  /^(?:entry|entries|accessions?|accs?|acs?|uniprot(?:kb)?|proteins?|ids?|identifiers?|query|from)$/i;
const headingWord = /^(?:primary|canonical|majority|leading|razor|numbers?|no|swiss|swissprot|prot|trembl)$/i;

/**
 * The accessions of a text that has nothing but UniProt accessions between spaces, commas or line ends; or of a table, of the column whose
 * heading says so (`Entry`), else of the first one. Each comes once, in upper case. An isoform number stays; quotes, bullets, a version
 * (`P12345.2`) and the database (`UniProtKB:P12345`, `sp|P12345|NAME`, the address of the entry) are taken off. Lines that begin with
 * `#`, `!` or `//` are comments. Null: it has another word, or none.
 */
export function accessionList(text: string): string[] | null {
  const rows = rowsOf(text);
  for (const { cells } of columnsWithHeading(rows)) {
    const found = accessionsOf(cells.flatMap(wordsOf));
    if (found !== null) return found;
  }
  const listed = rows.map((row) => row.replace(/\s#.*$/, '').replace(bullet, ''));
  return accessionsOf(listed.flatMap(wordsOf)) ?? accessionsOf(firstCells(rows));
}

/** The first word that is no UniProt accession, of a text that begins with one; null: the text begins otherwise, or has no such word. */
export function strangerAmongAccessions(text: string): { line: number; word: string } | null {
  const words = text.split(lineEnd).flatMap((row, at) =>
    rowsOf(row)
      .flatMap(wordsOf)
      .map((word) => ({ line: at + 1, word })),
  );
  const isStranger = ({ word }: { word: string }) => !isAccession.test(accessionOf(word));
  return words.length === 0 || isStranger(words[0]) ? null : (words.find(isStranger) ?? null);
}

/**
 * Names of any kind, one a line: of a table those of the column whose heading says so (`protein_id`), else of the first column. Quotes are
 * taken off; lines that begin with `#`, `!` or `//` are comments.
 */
export function nameList(text: string): string[] {
  const rows = rowsOf(text);
  const names = columnsWithHeading(rows)[0]?.cells ?? rows.map((row) => row.split('\t', 1)[0]);
  return [...new Set(names.map(bare).filter((name) => name !== ''))];
}

const lineEnd = /\r\n|\r|\n/;
const bullet = /^\s*(?:[-*+\u2022]\s+|["']?\d+["']?(?:[.)]\s*|[\s,;]+))/;

const rowsOf = (text: string) =>
  text
    .replace(/^\ufeff/, '')
    .split(lineEnd)
    .filter((line) => !/^\s*(?:#|!|\/\/|$)/.test(line));

/** The cells below each heading of accessions. A heading that is alone in its line has all cells of the lines below. */
function columnsWithHeading([head = '', ...rows]: readonly string[]): { cells: string[] }[] {
  const separator = separatorOf(head);
  const headings = separator === null ? [head] : head.split(separator);
  return headings.flatMap((heading, column) =>
    isHeading(heading)
      ? [{ cells: separator === null ? rows : rows.map((row) => row.split(separator)[column] ?? '') }]
      : [],
  );
}

/** The first column of a table without a heading; nothing where other columns have accessions too: which are meant is not plain. */
function firstCells(rows: readonly string[]): string[] {
  const separator = separatorOf(rows[0] ?? '');
  if (separator === null || (separator !== '\t' && rows.length === 1)) return [];
  const table = rows.map((row) => row.split(separator));
  const isTable = table.every(({ length }) => length === table[0].length);
  const isPlain = table.every(([, ...others]) => accessionsOf(others.flatMap(wordsOf).slice(0, 1)) === null);
  return isTable && isPlain ? table.map(([first]) => bare(first)) : [];
}

const separatorOf = (row: string) => ['\t', ',', ';'].find((letter) => row.includes(letter)) ?? null;

function isHeading(cell: string): boolean {
  const words = bare(cell)
    .replace(/:$/, '')
    .split(/[\s_./-]+/);
  return (
    words.some((word) => headingNoun.test(word)) &&
    words.every((word) => headingNoun.test(word) || headingWord.test(word))
  );
}

const bare = (text: string) => text.trim().replace(/^["']/, '').replace(/["']$/, '');

const wordsOf = (row: string) =>
  row
    .replaceAll(/["'`\u2018\u2019\u201c\u201d[\](){}]/g, ' ')
    .split(/[\s,;]+/)
    .filter((word) => word !== '');

/** Each of the words once; null: one of them is not an accession, or there are none. */
function accessionsOf(words: readonly string[]): string[] | null {
  const found = words.map(accessionOf).filter((word) => word !== '');
  return found.length > 0 && found.every((word) => isAccession.test(word)) ? [...new Set(found)] : null;
}

const address = /^HTTPS?:\/\/(?:WWW\.|REST\.|PURL\.)?UNIPROT\.ORG\/(?:UNIPROT|UNIPROTKB)\//;
const database =
  /^(?:(?:UNIPROT(?:KB)?|UP)(?:[/-](?:SWISS-?PROT|TREMBL))?|SWISS-?PROT|TREMBL|SP|TR|AC|ACCESSION)[:|]/;

function accessionOf(word: string): string {
  const text = bare(word).toUpperCase();
  const ofHeader = /(?:^|\|)(?:SP|TR)\|([^|]*)(?:\||$)/.exec(text)?.[1];
  const named = ofHeader ?? text.replace(database, '');
  return (address.test(named) ? named.replace(address, '').split(/[/?#]/, 1)[0] : named)
    .replace(/\.(?:FASTA|TXT)$/, '')
    .replace(/\.\d{1,4}$/, '');
}
