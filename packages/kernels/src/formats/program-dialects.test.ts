import { describe, expect, it } from 'vitest';
import { feature, gff } from './testing/features.js';

/**
 * These are files as certain programs and databases write them, with the right value and who says so. A reader that follows the
 * specification alone makes another protein of them, without a word.
 */
const model = (table: number) =>
  `# Model Data: version=Prodigal.v2.6.3;run_type=Single;transl_table=${table};uses_sd=1`;

describe('the genetic code of genes of Prodigal', () => {
  const bases = 'GTGAAATGACCC';
  it.each([
    [
      'its own file says the code once for a contig',
      [model(11), feature('CDS', [1, 6], 'ID=1_1')],
      undefined,
      'MK',
    ],
    ['of Mycoplasma', [model(4), feature('CDS', [1, 12], 'ID=1_1')], undefined, 'MKWP'],
    ['counts for more than the option', [model(4), feature('CDS', [1, 12], 'ID=1_1')], 11, 'MKWP'],
    [
      'and less than that of the feature',
      [model(4), feature('CDS', [1, 6], 'ID=1_1;transl_table=1')],
      undefined,
      'VK',
    ],
    [
      'Prokka does not say it',
      [feature('CDS', [1, 6], 'ID=1_1', { source: 'Prodigal:002006' })],
      undefined,
      'MK',
    ],
    ['nor does Bakta', [feature('CDS', [1, 6], 'ID=1_1', { source: 'Pyrodigal' })], undefined, 'MK'],
    ['the option counts', [feature('CDS', [1, 12], 'ID=1_1', { source: 'Prodigal' })], 4, 'MKWP'],
    ['other programs have the standard code', [feature('CDS', [1, 6], 'ID=1_1')], undefined, 'VK'],
  ])('%s', async (_, lines, table, residues) => {
    expect(await gff(bases, lines, table)).toEqual([`1_1=${residues}`]);
  });
});

describe('a circular sequence', () => {
  const parts = [feature('CDS', [1, 9], 'ID=a;Parent=t'), feature('CDS', [13, 18], 'ID=a;Parent=t')];
  it.each([
    ['a chromosome of Ensembl', feature('chromosome', [1, 18], 'ID=chromosome:chr1;Is_circular=true')],
    ['a plasmid', feature('plasmid', [1, 18], 'ID=p;Is_circular=true')],
    ['in capitals', feature('region', [1, 18], 'ID=chr1;Is_circular=TRUE')],
  ])('is said to be one by %s', async (_, line) => {
    expect(await gff('AAACCCGGGCCCATGGGG', [line, ...parts])).toEqual(['a=MGKPG']);
  });
  it('is not one where the file says so', async () => {
    const line = feature('region', [1, 18], 'ID=chr1;Is_circular=false');
    expect(await gff('AAACCCGGGCCCATGGGG', [line, ...parts])).toEqual(['a=KPGMG']);
  });
});

describe('a first codon that is not the start of its protein', () => {
  // CTG may start a protein by the standard code, too.
  const bases = 'CTGAAATTTCAG';
  const start = (from: number, strand = '+') =>
    feature('start_codon', [from, from + 2], 'Parent=other', { strand });
  it.each([
    ['GENCODE: cds_start_NF', [feature('CDS', [1, 6], 'ID=a;tag=basic,cds_start_NF,mRNA_start_NF')], 'LK'],
    [
      'its transcript has cds_start_NF',
      [feature('mRNA', [1, 6], 'ID=t;tag=cds_start_NF'), feature('CDS', [1, 6], 'ID=a;Parent=t')],
      'LK',
    ],
    ['GENCODE: cds_end_NF', [feature('CDS', [1, 6], 'ID=a;tag=cds_end_NF')], 'MK'],
    [
      'AUGUSTUS: others have a start_codon, and it has none',
      [feature('CDS', [1, 6], 'ID=a'), start(7)],
      'LK',
    ],
    ['AUGUSTUS: it has a start_codon', [start(1), feature('CDS', [1, 6], 'ID=a')], 'MK'],
    ['on the other strand', [feature('CDS', [7, 12], 'ID=a', { strand: '-' }), start(10, '+')], 'LK'],
    [
      'on the other strand, with a start_codon',
      [feature('CDS', [7, 12], 'ID=a', { strand: '-' }), start(10, '-')],
      'MK',
    ],
    ['a file without start codons', [feature('CDS', [1, 6], 'ID=a')], 'MK'],
  ])('%s', async (_, lines, residues) => {
    expect(await gff(bases, lines)).toEqual([`a=${residues}`]);
  });
});

describe('a stop that is an amino acid', () => {
  const redefined = (residue: string, place: [number, number], strand = '+') =>
    feature(`stop_codon_redefined_as_${residue}`, place, 'Parent=t', { strand });
  const coding = (strand = '+') => feature('CDS', [1, 12], 'ID=CDS:a;Parent=t', { strand });
  it.each([
    ['GENCODE and Ensembl', 'ATGTGACCCTAA', [coding(), redefined('selenocysteine', [4, 6])], 'a=MUP'],
    ['before the CDS', 'ATGTGACCCTAA', [redefined('selenocysteine', [4, 6]), coding()], 'a=MUP'],
    ['pyrrolysine', 'ATGTAGCCCTAA', [coding(), redefined('pyrrolysine', [4, 6])], 'a=MOP'],
    ['backward strand', 'TTAGGGTCACAT', [coding('-'), redefined('selenocysteine', [7, 9], '-')], 'a=MUP'],
  ])('%s', async (_, bases, lines, protein) => {
    expect(await gff(bases, lines)).toEqual([protein]);
  });
  it('is a stop elsewhere', async () => {
    const lines = [coding(), redefined('selenocysteine', [4, 6], '-')];
    expect(await gff('ATGTGACCCTAA', lines)).toEqual([expect.stringContaining('a stop after 1 of 3')]);
  });
});

describe('a protein_id', () => {
  it('of some lines of a transcript divides nothing', async () => {
    const lines = [feature('CDS', [1, 6], 'Parent=t;protein_id=A'), feature('CDS', [7, 12], 'Parent=t')];
    expect(await gff('ATGAAACCCGGG', lines)).toEqual(['A=MKPG']);
  });
  it('of a line beside those of another protein does', async () => {
    const lines = [
      feature('CDS', [1, 6], 'Parent=t;protein_id=A'),
      feature('CDS', [7, 12], 'Parent=t;protein_id=B'),
      feature('CDS', [13, 15], 'Parent=t'),
    ];
    expect(await gff('ATGAAACCCGGGTTT', lines)).toEqual(['A=MK', 'B=PG', 't=F']);
  });
});
