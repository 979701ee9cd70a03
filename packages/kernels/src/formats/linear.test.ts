import { describe, expect, it } from 'vitest';
import { parseObo } from '../ontology/index.js';
import {
  cellText,
  FormatError,
  lineBatches,
  parseEcoMapping,
  parseFasta,
  peekLine,
  readExternal2Go,
  readFasta,
  readFlatFile,
  readGaf,
  readGenome,
  readGff3Proteins,
  readGpad,
  readInterproOfGaf,
  readInterproScan,
  readProtein2Ipr,
  readQuickGo,
  readSecondaryAccessions,
  readUniprotTable,
  sequenceFormat,
  spreadsheetCell,
} from './index.js';
import { accessionList } from '../accessions/index.js';

/** Makes a text of about this number of characters. */
type Shape = (length: number) => string;
type Read = (text: string) => unknown;

const smallest = 1 << 13;
const largest = 1 << 19;
/** The factor between two lengths. Readings of linear cost then take 4 times as long, and readings of quadratic cost 16 times. */
const step = 4;
/**
 * The limit allows a factor of three for each doubling, because garbage collection and other work of the machine are not the reader's
 * fault.
 */
const maxRatio = 9;
/** The shortest time that counts. Shorter readings cannot be distinguished from the clock's steps and from compiling. */
const measurableMs = 20;
const tries = 6;

const repeated = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length));
const between = (before: string, unit: string, after: string) => (length: number) =>
  before + repeated(unit)(length) + after;
/** Repeats a unit with its number in place of `#`, so that all are different. */
const numbered =
  (unit: string, before = '') =>
  (length: number) =>
    before +
    Array.from({ length: Math.ceil(length / unit.length) }, (_, i) => unit.replaceAll('#', String(i))).join(
      '',
    );

/** Texts that no reader may take long for. */
const anyText: Record<string, Shape> = {
  'empty lines': repeated('\n'),
  'lines of a blank': repeated(' \n'),
  'lines of Windows': repeated('\r\n'),
  'returns without line feeds': repeated('\r'),
  'one line of letters': repeated('M'),
  'one line of blanks, then a letter': between('a', ' ', 'b'),
  'one line of tabs': repeated('\t'),
  'one line of quotes, then a letter': between('', '"', 'x'),
  'lines of a quote': repeated('"\n'),
  'lines of a letter': repeated('M\n'),
  'one line of backslashes, then a letter': between('', '\\', 'x'),
  'a comment of blanks': between('!a: b', ' ', 'c'),
  'a comment of words': between('!', 'a ', ''),
};

const flatRecord = (inner: string) =>
  `LOCUS       X  9 bp  DNA\nFEATURES             Location/Qualifiers\n${inner}`;
const inCds = (unit: string, after = '') =>
  between(flatRecord('     CDS             1..9\n'), unit, `${after}\nORIGIN\n        1 atgtagaaa\n//\n`);
const q = '                     ';
const place = (unit: string, last: string) =>
  between(
    flatRecord('     CDS             '),
    unit,
    `${last}\n                     /gene="a"\nORIGIN\n        1 atgaaaaaa\n//\n`,
  );
const manyCodings =
  (unit: string): Shape =>
  (length) => {
    const bases = 'a'.repeat(length / 2);
    return `${flatRecord(numbered(unit)(length / 2)).replaceAll('$', String(bases.length))}ORIGIN\n        1 ${bases}\n//\n`;
  };

const flatShapes: Record<string, Shape> = {
  'a run of quotes in a place': inCds('"', 'x'),
  'a run of quotes that begins a value': between(
    flatRecord(`     CDS             1..9\n${q}/note="`),
    '"',
    'x\n//\n',
  ),
  'a value that never ends': between(
    flatRecord(`     CDS             1..9\n${q}/note="\n`),
    `${q}${'M'.repeat(50)}\n`,
    '',
  ),
  'a translation that never ends': between(
    flatRecord(`     CDS             1..9\n${q}/translation="\n`),
    `${q}MKV\n`,
    '//\n',
  ),
  'values that begin in each line': inCds(`${q}/translation="MKV\n`),
  'a value of lines of quotes': inCds(`${q}""\n`, `${q}"`),
  'lines without a qualifier': inCds(`${q}abc\n`),
  'an open number over many lines': inCds(`${q}/codon_start=1\n${q}1\n`),
  'qualifiers without a value': inCds(`${q}/pseudo\n`),
  stars: inCds('*', 'x'),
  'a translation of stars': between(
    flatRecord(`     CDS             1..9\n${q}/translation="`),
    '*',
    'M"\n//\n',
  ),
  'a place in nested parentheses': place('complement(', '1..9'),
  'a place in nested parentheses that close': (length) => {
    const depth = Math.floor(length / 12);
    return place('complement(', `1..9${')'.repeat(depth)}`)(11 * depth);
  },
  'a place of joins': place('join(1..3,', '4..6'),
  'a place of many ranges': place('1..3,', '4..6'),
  'a place of many lines': place(`1..3,\n${q}`, '4..6'),
  'a place of digits': place('1', ''),
  'tiny records': repeated('LOCUS       X\n//\n'),
  'records that never end': repeated('LOCUS       X\n'),
  'EMBL records': repeated('ID   X;\n//\n'),
  features: numbered(`     CDS             1..3\n${q}/gene="#"\n`, flatRecord('')),
  'one feature many times': repeated(
    flatRecord(`     CDS             1..3\n${q}/gene="g"\n${q}/translation="M"\n//\n`),
  ),
  'a first line of blanks': between('LOCUS  ', ' ', 'X\n//\n'),
  'a first line of circles': between('LOCUS       X ', 'circular', '\n//\n'),
  'a feature of blanks': inCds(`     ${'CDS'}             1..9 \n`),
  organisms: between(flatRecord('     source          1..9\n'), `${q}/organism="a"\n`, '//\n'),
  exceptions: inCds(`${q}/transl_except=(pos:1..3,aa:Sec)\n`),
  'an exception of digits': inCds('1', `\n${q}/transl_except=(pos:`),
  'bases in lines of one': between(
    `${flatRecord(`     CDS             1..9\n`)}ORIGIN\n`,
    '        1 a\n',
    '//\n',
  ),
  'many codings of all bases': manyCodings(`     CDS             #..$\n${q}/gene="g#"\n`),
  'a coding of all bases many times': (length) =>
    manyCodings(' \n')(length).replace(
      'ORIGIN',
      `     CDS             join(${`1..${Math.floor(length / 2)},`.repeat(Math.floor(length / 32))}1..3)\nORIGIN`,
    ),
};

const gff = (line: string) => `##gff-version 3\n${line}`;
const gffShapes: Record<string, Shape> = {
  'one CDS of many lines': repeated('c\t.\tCDS\t1\t9\t.\t+\t0\tID=a\n'),
  'CDS of their own': numbered('c\t.\tCDS\t1\t9\t.\t+\t0\tID=a#\n'),
  'children of one parent': numbered(
    'c\t.\tCDS\t1\t9\t.\t+\t0\tID=a#;Parent=t\n',
    gff('c\t.\tmRNA\t1\t9\t.\t+\t.\tID=t\n'),
  ),
  'one CDS of many parents': (length) =>
    gff(`c\t.\tCDS\t1\t9\t.\t+\t0\tParent=${numbered('t#,')(length)}t\n`),
  'many CDS of many parents': (length) => {
    const side = Math.ceil(Math.sqrt(length));
    return gff(
      `c\t.\tCDS\t1\t9\t.\t+\t0\tParent=${numbered('t#,')(side)}t\n`.repeat(Math.ceil(length / side)),
    );
  },
  'a chain of parents': (length) =>
    gff(
      Array.from(
        { length: length / 40 },
        (_, i) => `c\t.\tmRNA\t1\t9\t.\t+\t.\tID=t${i};Parent=t${i + 1}\n`,
      ).join(''),
    ),
  'an attribute of signs': between('c\t.\tCDS\t1\t9\t.\t+\t0\tID=', '%', '\n'),
  attributes: between('c\t.\tCDS\t1\t9\t.\t+\t0\t', 'a=b;', '\n'),
  exceptions: between('c\t.\tCDS\t1\t9\t.\t+\t0\ttransl_except=', '(pos:1..3%2Caa:Sec),', '\n'),
  'exceptions of digits': between('c\t.\tCDS\t1\t9\t.\t+\t0\ttransl_except=(pos:', '1', '\n'),
  species: between('##species ', '?id=', '\n'),
  sequences: numbered('>s#\nA\n', '##FASTA\n'),
  'names of blanks': between('##FASTA\n>', ' ', 'a\n'),
  'many codings of all bases': (length) =>
    `${gff(numbered(`c\t.\tCDS\t#\t${length / 2}\t.\t+\t0\tID=g#\n`)(length / 2))}##FASTA\n>c\n${'A'.repeat(length / 2)}\n`,
};

const fastaShapes: Record<string, Shape> = {
  'tiny records': numbered('>#\nM\n'),
  'records without residues': numbered('>#\n'),
  'one record many times': repeated('>a\nM\n'),
  'a header of blanks': between('>a', ' ', 'b\nM\n'),
  'a header of fields': between('>a ', 'OS=a ', '\nM\n'),
  'a header of taxa': between('>a ', 'OX=', '\nM\n'),
  'a header of digits': between('>a OX=', '1', '\nM\n'),
  'a header of bars': between('>sp', '|', '\nM\n'),
  'a header of blanks after each field': between('>a', ' OX=     ', '\nM\n'),
  'a header of words': between('>', 'ab ', '\nM\n'),
  'residues in lines of one': between('>a\n', 'M\n', ''),
  stars: between('>a\n', '*', 'x\n'),
  'lines of stars': between('>a\n', '*\n', ''),
  'blanks between residues': between('>a\n', 'M  ', '\n'),
};

const row = (cells: string) => `${cells}\n`;
const gafRow = 'UniProtKB\tP1\ts\t#\tGO:0000001\tr\tIDA\t\tF\t\t\tprotein\ttaxon:1\t20200101\tX\t\t\n';

const readers: Record<string, { read: Read; shapes?: Record<string, Shape> }> = {
  FASTA: { read: (text) => all(readFasta(text)), shapes: fastaShapes },
  'FASTA with limits': {
    read: (text) => all(readFasta(text, { maxSequences: 1e9, maxResidues: 1e8 })),
    shapes: fastaShapes,
  },
  'FASTA as a whole': { read: (text) => parseFasta(text), shapes: fastaShapes },
  'GenBank and EMBL': { read: (text) => all(readFlatFile(text)), shapes: flatShapes },
  GFF3: { read: (text) => readGff3Proteins(text, null), shapes: gffShapes },
  genomes: { read: (text) => readGenome(text), shapes: { sequences: numbered('>s#\nA\n') } },
  'lists of accessions': {
    read: (text) => accessionList(text),
    shapes: {
      accessions: numbered('P12345\n'),
      'empty lines, then a word': between('P12345', '\n', 'x'),
      comments: repeated('# a\n'),
      'comments of blanks': between('#', ' ', '\nP12345'),
      'an accession of digits': between('P12345-', '1', ''),
      prefixes: between('', 'UniProtKB:', 'P12345'),
      commas: between('P12345', ',', 'P12345'),
    },
  },
  'the format of a file': { read: (text) => sequenceFormat(text) },
  GAF: {
    read: (text) => all(readGaf(text)),
    shapes: {
      rows: numbered(gafRow),
      qualifiers: (length) => gafRow.replace('#', repeated('NOT|')(length)),
      headers: numbered('!a#: b\n'),
    },
  },
  GPAD: {
    read: (text) => all(readGpad(text)),
    shapes: {
      rows: numbered('UniProtKB\tP#\tenables\tGO:0000001\tr\tECO:0000314\t\t\t20200101\tX\t\t\n'),
      properties: (length) =>
        `UniProtKB\tP\tenables\tGO:0000001\tr\tECO:0000314\t\t\t20200101\tX\t\t${repeated('go_evidence=|')(length)}\n`,
    },
  },
  QuickGO: {
    read: (text) => all(readQuickGo(text)),
    shapes: {
      rows: (length) =>
        `GENE PRODUCT ID\tGO TERM\tECO ID\n${repeated('P\tGO:0000001\tECO:0000001\n')(length)}`,
    },
  },
  'tables of UniProt': {
    read: (text) => all(readUniprotTable(text)),
    shapes: { rows: between('Entry\n', 'P\n', '') },
  },
  InterProScan: {
    read: (text) => all(readInterproScan(text)),
    shapes: { 'names of bars': between('sp', '|', `${'\t1'.repeat(11)}\n`) },
  },
  protein2ipr: { read: (text) => all(readProtein2Ipr(text)) },
  'InterPro in GAF': {
    read: (text) => all(readInterproOfGaf(text)),
    shapes: {
      entries: (length) => gafRow.replace('IDA\t', `IDA\t${repeated('InterPro:IPR000001|')(length)}`),
    },
  },
  external2go: {
    read: (text) => all(readExternal2Go(text)),
    shapes: {
      'names of blanks': between('a:b ', ' ', 'c\n'),
      arrows: between('a:b ', ' > GO:', 'c\n'),
      'arrows and semicolons': between('a:b ', ' > GO:a ; ', 'c d\n'),
      semicolons: between('a:b > GO:', ' ; ', 'c d\n'),
    },
  },
  'secondary accessions': {
    read: (text) => all(readSecondaryAccessions(text)),
    shapes: {
      'words of blanks': between('Secondary AC', ' ', 'x\n'),
      entries: between('ID   a\nAC   ', 'P12345; ', '\n'),
    },
  },
  'mapping of ECO': {
    read: (text) => parseEcoMapping(text),
    shapes: { rows: numbered(row('IDA Default ECO:0000314')) },
  },
  OBO: {
    read: (text) => parseObo(text, { allowUnversioned: true }),
    shapes: {
      terms: numbered('[Term]\nid: a#\nname: b\n'),
      'parents of one term': numbered('is_a: a#\n', '[Term]\nid: x\nname: y\n'),
      'alternative ids of one term': numbered('alt_id: a#\n', '[Term]\nid: x\nname: y\n'),
      'lines that go on': between('[Term]\nid: x\nname: y', '\\\n', 'z\n'),
      braces: between('[Term]\nid: x\nname: y', ' {a', '}\n'),
      comments: between('[Term]\nid: x\nname: y', ' "!', '\n'),
    },
  },
  'lines in pieces of a few bytes': {
    read: async (text) => {
      for await (const _ of lineBatches(inPieces(text))) continue;
    },
  },
  'the first line that fits': {
    read: async (text) => (await peekLine(inPiecesLater(text), () => false)).head,
  },
  'cells of spreadsheets': {
    read: (text) => cellText(spreadsheetCell(text)),
    shapes: { apostrophes: between('', "'", 'x') },
  },
};

async function all(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches) continue;
}

function* inPieces(text: string): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 16) yield bytes.subarray(at, at + 16);
}

async function* inPiecesLater(text: string): AsyncGenerator<Uint8Array> {
  yield* inPieces(text);
}

/** Measures the processor time of one reading, in ms. A text that the reader refuses counts, too. */
async function cost(read: Read, text: string): Promise<number> {
  const before = process.cpuUsage();
  try {
    await read(text);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Finds the first length whose reading takes too much more than that of a quarter of it, with both ratios; null if there is none. A
 * reading that leaves much garbage may do so once, so a finding counts only if a text of four times the length shows it again.
 */
async function disproportion(
  read: Read,
  shape: Shape,
): Promise<{ length: number; ratios: [number, number] } | null> {
  for (let length = step * smallest; length <= largest; length *= step) {
    const found = await ratioAt(read, shape, length);
    const again = found > maxRatio ? await ratioAt(read, shape, step * length, 2) : 0;
    if (again > maxRatio) return { length, ratios: [found, again] };
  }
  return null;
}

/**
 * Returns the ratio of the time for a text of that length to the time for a quarter of it: the least of several, or 0 where it cannot be
 * measured.
 */
async function ratioAt(read: Read, shape: Shape, length: number, most = tries): Promise<number> {
  const [shorter, longer] = [shape(length / step), shape(length)];
  let least = await cost(read, shorter);
  let leastLong = await cost(read, longer);
  for (let i = 1; i < most && leastLong >= measurableMs && leastLong > maxRatio * least; i++) {
    least = Math.min(least, await cost(read, shorter));
    leastLong = Math.min(leastLong, await cost(read, longer));
  }
  return leastLong < measurableMs ? 0 : leastLong / least;
}

describe.each(Object.entries(readers))(
  'reading %s costs processor time in proportion to',
  (_, { read, shapes = {} }) => {
    it.each(Object.entries({ ...anyText, ...shapes }))('%s', async (_name, shape) => {
      expect(await disproportion(read, shape)).toBeNull();
    });
  },
);
