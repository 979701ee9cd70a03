import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { LeftOutProtein } from './coding-sequence.js';
import type { FastaRecord } from './fasta.js';
import { parseLocation } from './feature-location.js';
import { readFlatFile, type ProteinReadOptions } from './flat-file.js';
import { geneticCode, reverseComplement } from './genetic-code.js';
import { readGenome, readGff3Proteins } from './gff3-proteins.js';
import type { Rejection } from './format-error.js';

const golden = (name: string) => readFileSync(new URL(`./golden/genome/${name}`, import.meta.url), 'utf8');
/** The rows have accession, taxon, product and residues, as Biopython translates them (golden/genome/make.py). */
const expected = golden('proteins.tsv')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));
const shown = ({ accession, taxonId, sequence }: FastaRecord) => [accession, String(taxonId), sequence];
const wanted = expected.map(([accession, taxon, , residues]) => [accession, taxon, residues]);

async function flat(text: string, options: ProteinReadOptions = {}) {
  const all = {
    records: [] as FastaRecord[],
    rejected: [] as Rejection[],
    skipped: 0,
    leftOut: [] as LeftOutProtein[],
  };
  const onLeftOut = (one: LeftOutProtein) => all.leftOut.push(one);
  for await (const batch of readFlatFile(text, { onLeftOut, ...options })) {
    all.records.push(...batch.records);
    all.rejected.push(...batch.rejected);
    all.skipped += batch.skipped;
  }
  return all;
}

describe.each(['genome.gb', 'genome.embl'])('the proteins of %s', (name) => {
  it('are those of Biopython, given and translated, from both strands and several parts', async () => {
    const { records, rejected, leftOut } = await flat(golden(name));
    expect([rejected, leftOut]).toEqual([[], []]);
    // Records are sorted, because given translations come before those that wait for the bases.
    expect(records.map(shown).sort()).toEqual([...wanted].sort());
    const [first] = records;
    expect(first).toMatchObject({ proteinName: expected[0][2], organism: 'Escherichia golden' });
    expect(first.header).toBe('A1.1 A1.1 protein, a "golden" one OS=Escherichia golden OX=511145');
  });

  it('are the same with the line ends of Windows', async () => {
    const { records } = await flat(golden(name).replaceAll('\n', '\r\n'));
    expect(records.map(shown).sort()).toEqual([...wanted].sort());
  });

  it('are refused where the file is cut off, with its line', async () => {
    const text = golden(name);
    const { rejected } = await flat(text.slice(0, text.lastIndexOf('//')));
    expect(rejected[0].reason).toContain('cut off');
    expect(rejected[0].line).toBe(text.trimEnd().split('\n').length - 1);
  });
});

describe('a flat file', () => {
  const record = (...features: string[]) =>
    [
      'LOCUS       X  9 bp  DNA',
      'FEATURES             Location/Qualifiers',
      ...features,
      'ORIGIN',
      '        1 atgtagaaa',
      '//',
      '',
    ].join('\n');
  const cds = (place: string, ...qualifiers: string[]) => [
    `     CDS             ${place}`,
    ...qualifiers.map((text) => `                     ${text}`),
  ];

  it('says what it leaves out, and why', async () => {
    const { records, leftOut } = await flat(
      record(
        ...cds('1..9', '/locus_tag="stop"'),
        ...cds('1..6', '/gene="old"', '/pseudo'),
        ...cds('OTHER.1:1..6', '/locus_tag="away"'),
        ...cds('1..12', '/locus_tag="far"'),
        ...cds('7..9', '/locus_tag="fine"'),
      ),
    );
    expect(records.map(({ accession, sequence }) => [accession, sequence])).toEqual([['fine', 'K']]);
    expect(leftOut.map(({ record: accession, line }) => [accession, line])).toEqual([
      ['old', 5],
      ['away', 8],
      ['stop', 3],
      ['far', 10],
    ]);
    expect(leftOut[2].reason).toContain('a stop after 1 of 3 residues by the genetic code 1');
  });

  it('gives a protein at two places once, and refuses one name for two proteins', async () => {
    const twice = await flat(
      record(
        ...cds('1..3', '/protein_id="W"', '/translation="MK"'),
        ...cds('4..6', '/protein_id="W"', '/translation="MK"'),
      ),
    );
    expect([twice.records.length, twice.skipped]).toEqual([1, 1]);
    const other = await flat(
      record(
        ...cds('1..3', '/protein_id="W"', '/translation="MK"'),
        ...cds('4..6', '/protein_id="W"', '/translation="MR"'),
      ),
    );
    expect(other.rejected).toMatchObject([{ line: 6, record: 'W' }]);
  });

  it('reads selenocysteine where the file says so', async () => {
    const { records } = await flat(
      record(...cds('1..9', '/locus_tag="s"', '/transl_except=(pos:4..6,aa:Sec)')),
    );
    expect(records[0].sequence).toBe('MUK');
  });

  it('keeps to limits, and refuses what is none', async () => {
    await expect(flat(golden('genome.gb'), { maxSequences: 3 })).rejects.toThrow('more than 3 sequences');
    expect((await flat(golden('genome.gb'), { maxResidues: 40 })).rejected[0].reason).toBe(
      'more than 40 residues',
    );
    expect((await flat('hello\n')).rejected).toMatchObject([{ line: 1 }]);
    expect((await flat(record())).rejected[0].reason).toContain('no CDS feature');
  });
});

describe('the proteins of GFF3 and its genome', () => {
  it('are those of Biopython', async () => {
    const genome = await readGenome(golden('genome.fasta'));
    const leftOut: LeftOutProtein[] = [];
    const { records, rejected } = await readGff3Proteins(golden('genome.gff3'), genome, {
      onLeftOut: (one) => leftOut.push(one),
    });
    expect([rejected, leftOut]).toEqual([[], []]);
    // The taxon of the file is that of its first region.
    expect(records.map(({ accession, sequence }) => [accession, sequence])).toEqual(
      wanted.map(([accession, , residues]) => [accession, residues]),
    );
  });

  it('may have the genome behind ##FASTA, and say so when there is none', async () => {
    const whole = `${golden('genome.gff3')}##FASTA\n${golden('genome.fasta')}`;
    expect((await readGff3Proteins(whole, null)).records).toHaveLength(wanted.length);
    const { rejected } = await readGff3Proteins(golden('genome.gff3'), null);
    expect(rejected[0]).toMatchObject({ record: 'A1.1', line: 3 });
    expect(rejected[0].reason).toContain('give the FASTA file of the genome');
  });

  it('take a chromosome in one line', async () => {
    const genome = await readGenome(`>c\n${'A'.repeat(2_000_000)}\n`);
    expect(genome.get('c')).toHaveLength(2_000_000);
  });

  it('use the genetic code that is asked for, go round a circle, and name lines that are none', async () => {
    const gff = (attributes: string, start = 1, end = 6) =>
      `##gff-version 3\nc\t.\tregion\t1\t6\t.\t+\t.\tID=c;Is_circular=true\nc\t.\tCDS\t${start}\t${end}\t.\t+\t0\t${attributes}\n`;
    const genome = new Map([['c', 'TGAATG']]);
    const made = async (text: string, table?: number) =>
      (await readGff3Proteins(text, genome, { table })).records[0]?.sequence;
    expect(await made(gff('ID=a'), 4)).toBe('WM');
    expect(await made(gff('ID=a;transl_table=4'))).toBe('WM');
    expect(await made(gff('ID=a', 4, 9), 4)).toBe('MW');
    const { rejected } = await readGff3Proteins('c\tCDS\nc\t.\tCDS\t1\tx\t.\t+\t0\tID=b\n', genome);
    expect(rejected.map(({ line }) => line)).toEqual([1, 2]);
  });
});

it('translates every table of NCBI with one letter for each codon', () => {
  expect(geneticCode(7)).toBeUndefined();
  for (const number of [1, 2, 11, 33]) expect(geneticCode(number)?.residue('ATG')).toBe('M');
  expect(geneticCode(1)?.residue('YTR')).toBe('L');
  expect(geneticCode(1)?.residue('MTT')).toBe('J');
  expect(geneticCode(1)?.residue('AT-')).toBe('X');
  expect(reverseComplement('ACGTRN')).toBe('NYACGT');
});

it('reads places of features', () => {
  const places = (text: string) =>
    parseLocation(text)?.parts.map(({ start, end, strand }) => [start * strand, end * strand]);
  expect(places('7')).toEqual([[7, 7]]);
  expect(places('complement(join(<1..5,9..>20))')).toEqual([
    [-9, -20],
    [-1, -5],
  ]);
  expect(places('join(complement(4..6),complement(1..2))')).toEqual([
    [-4, -6],
    [-1, -2],
  ]);
  expect([parseLocation('1^2'), parseLocation('J0.1:1..2'), parseLocation('join(1..2')]).toEqual([
    null,
    null,
    null,
  ]);
});
