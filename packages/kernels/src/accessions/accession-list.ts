/** UniProt's documented pattern of an accession, as the source of a regular expression without groups that capture. */
export const uniProtAccession = '(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2})';

const isAccession = new RegExp(`^${uniProtAccession}(?:-[1-9]\\d*)?$`);
const hasAccession = new RegExp(`(?:^|[^A-Z0-9_])${uniProtAccession}(?![A-Z0-9_])`);
/** Words of which a heading above accessions has at least one, as in `Entry`, `UniProt ID` and `Majority protein IDs`. */
const headingNoun =
  /^(?:entry|entries|accessions?|accs?|acs?|uniprot(?:kb)?|proteins?|ids?|identifiers?|query|from)$/i;
const headingWord = /^(?:primary|canonical|majority|leading|razor|numbers?|no|swiss|swissprot|prot|trembl)$/i;

/**
 * Returns the accessions of a text. The text has nothing but UniProt accessions between spaces, commas or line ends; or it is a table, of
 * which the column with a fitting heading (`Entry`) is read, or else the first one. Each accession comes once, in upper case. An isoform
 * number stays; quotes, bullets, a version (`P12345.2`) and the database (`UniProtKB:P12345`, `sp|P12345|NAME`, the address of the entry)
 * are taken off. Lines that begin with `#`, `!` or `//` are comments. The result is null if the text has another word, or no accession.
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

/**
 * Returns the end of a sentence about the first word that is not a UniProt accession in a text that seems to be a list of them: its first
 * word has an accession in it, or some words under its heading are accessions. Null if it is no such text, or has no such word.
 */
export function strangerSentence(text: string): string | null {
  const rows = text.split(lineEnd).flatMap((row, at) => rowsOf(row).map((cell) => ({ line: at + 1, cell })));
  const column = columnsWithHeading(rows.map(({ cell }) => cell)).at(0);
  const cells =
    column === undefined ? rows : rows.slice(1).map(({ line }, at) => ({ line, cell: column.cells[at] }));
  const words = cells.flatMap(({ line, cell }) => wordsOf(cell).map((word) => ({ line, word })));
  const isKnown = ({ word }: { word: string }) => isAccession.test(accessionOf(word));
  const isList =
    column === undefined ? hasAccession.test(words.at(0)?.word.toUpperCase() ?? '') : words.some(isKnown);
  const stranger = isList ? words.find((word) => !isKnown(word)) : undefined;
  return stranger === undefined
    ? null
    : `line ${stranger.line}: ${JSON.stringify(stranger.word.slice(0, 40))} is not a UniProt accession, but the text is a list of them: remove it, separate accessions by commas, or put them under a heading "Entry".`;
}

/**
 * Returns names of any kind, one for each line. Of a table, the column with a fitting heading (`protein_id`) is read, or else the first
 * column. Quotes are taken off; lines that begin with `#`, `!` or `//` are comments.
 */
export function nameList(text: string): string[] {
  const rows = rowsOf(text);
  const names = columnsWithHeading(rows)[0]?.cells ?? rows.map((row) => row.split('\t', 1)[0]);
  return [...new Set(names.map(bare).filter((name) => name !== ''))];
}

/** The characters without a picture that copied text has: marks of byte order and of places where a word may break. */
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
const lineEnd = /\r\n|\r|\n/;
const bullet = /^\s*(?:[-*+\u2022]\s+|["']?\d+["']?(?:[.)]\s*|[\s,;]+))/;

const rowsOf = (text: string) =>
  text
    .replaceAll(invisible, '')
    .split(lineEnd)
    .filter((line) => !/^\s*(?:#|!|\/\/|$)/.test(line));

/** Returns the cells below each heading of accessions. A heading that is alone in its line has all cells of the lines below. */
function columnsWithHeading([head = '', ...rows]: readonly string[]): { cells: string[] }[] {
  const separator = separatorOf(head);
  const headings = separator === null ? [head] : head.split(separator);
  return headings.flatMap((heading, column) =>
    isHeading(heading)
      ? [{ cells: separator === null ? rows : rows.map((row) => row.split(separator)[column] ?? '') }]
      : [],
  );
}

/**
 * Returns the first column of a table without a heading; nothing if other columns have accessions, too, because it is then unclear which
 * ones are meant.
 */
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

/** Returns each of the words once; null if one of them is not an accession, or if there are none. */
function accessionsOf(words: readonly string[]): string[] | null {
  const found = words.map(accessionOf).filter((word) => word !== '');
  return found.length > 0 && found.every((word) => isAccession.test(word)) ? [...new Set(found)] : null;
}

const address = /^HTTPS?:\/\/(?:WWW\.|REST\.|PURL\.)?UNIPROT\.ORG\/(?:UNIPROT|UNIPROTKB)\//;
const database =
  /^(?:(?:UNIPROT(?:KB)?|UP)(?:[/-](?:SWISS-?PROT|TREMBL))?|SWISS-?PROT|TREMBL|SP|TR|AC|ACCESSION)[:|]/;

function accessionOf(word: string): string {
  const text = bare(word)
    .toUpperCase()
    .replace(/[.:]+$/, '');
  const ofHeader = /(?:^|\|)(?:SP|TR)\|([^|]*)(?:\||$)/.exec(text)?.[1];
  const named = ofHeader ?? text.replace(database, '');
  return (address.test(named) ? named.replace(address, '').split(/[/?#]/, 1)[0] : named)
    .replace(/\.(?:FASTA|TXT)$/, '')
    .replace(/\.\d{1,4}$/, '');
}
