import { describe, expect, it } from 'vitest';
import { Gff3Decorator, lineAnnotation } from './gff3-decorate.js';
import { readGenome, readGff3Proteins } from './gff3-proteins.js';
import { feature, flat, gff } from './testing/features.js';

/** These are files that are damaged, or not what they are given as: a protein made of them would be another one. */
const genbank = (unit: string, letters: string) =>
  `LOCUS       X  ${unit}  DNA\nFEATURES             Location/Qualifiers\n     CDS             1..9\n                     /locus_tag="x"\nORIGIN\n        1 ${letters}\n//\n`;

describe('letters that are not bases', () => {
  it.each([
    ['residues in place of the genome', 'MKLVFFEEE', '"L" is not a base'],
    ['numbers of positions', '1ATGAAACC', '"1" is not a base'],
    ['a gap', 'ATG---CCC', '"-" is not a base'],
  ])('make no protein: %s', async (_, bases, reason) => {
    expect(await gff(bases, [feature('CDS', [1, 9], 'ID=a')])).toEqual([expect.stringContaining(reason)]);
    expect(await gff(bases, [feature('CDS', [1, 9], 'ID=a', { strand: '-' })])).toEqual([
      expect.stringContaining('is not a base'),
    ]);
  });
  it('make none of a record of GenBank either', async () => {
    expect(await flat(genbank('9 bp', 'mklvffeee'))).toEqual([expect.stringContaining('"L" is not a base')]);
  });
  it('are not those for unknown and masked bases', async () => {
    expect(await gff('ATGNNNXXXRAY', [feature('CDS', [1, 12], 'ID=a')])).toEqual(['a=MXXB']);
  });
});

describe('an entry that does not have the length that it states', () => {
  it.each([
    [
      'UniProt',
      'ID   A_ECOLI   Reviewed;   9 AA.\nAC   P11111;\nSQ   SEQUENCE   9 AA;\n     MKVLA\n//\n',
      'states 9 residues and has 5',
    ],
    [
      'GenPept',
      'LOCUS       A   9 aa   linear\nORIGIN\n        1 mkvla\n//\n',
      'states 9 residues and has 5',
    ],
    ['GenBank', genbank('90 bp', 'atgaaaccc'), 'states 90 bases and has 9'],
    [
      'EMBL',
      genbank('', '').replace(
        /[^]*/,
        'ID   X; SV 1; linear; DNA; STD; PRO; 90 BP.\nFT   CDS             1..9\nSQ   Sequence 90 BP;\n     atgaaaccc         9\n//\n',
      ),
      'states 90 bases and has 9',
    ],
  ])('makes no protein: %s', async (_, text, reason) => {
    expect(await flat(text)).toEqual([expect.stringContaining(reason)]);
  });
});

describe('a name of several words', () => {
  // In the header of FASTA the name ends at the first blank, so that all of these would be one protein `gene`.
  const names = ['gene 1', 'gene\u00a02', 'gene%093', 'gene%0A4', 'gene%005'];
  const right = ['gene_1', 'gene_2', 'gene_3', 'gene_4', 'gene_5'];
  const bases = 'ATGAAA'.repeat(names.length);
  const lines = names.map((name, at) => feature('CDS', [1 + 6 * at, 6 + 6 * at], `ID=${name};product=a%0Ab`));

  it('becomes one word, and a product one line', async () => {
    expect(await gff(bases, lines)).toEqual(right.map((name) => `${name}=MK`));
    const genome = await readGenome(`>chr1\n${bases}\n`);
    const { records } = await readGff3Proteins(`##gff-version 3\n${lines.join('\n')}\n`, genome);
    expect(records[0].header).toBe('gene_1 a b');
  });

  it('becomes one in GenBank, too', async () => {
    const text = genbank('9 bp', 'atgaaaccc').replace('"x"', '"my gene"');
    expect(await flat(text)).toEqual(['my_gene=MKP']);
  });

  it('is found again in the file of features', () => {
    const annotation = lineAnnotation({ protein_name: null, predicted_name: null, known: null, terms: [] });
    const decorator = new Gff3Decorator(new Map(right.map((name) => [name, annotation])));
    for (const line of lines) decorator.insertions(`${line}\n`);
    expect([...decorator.placed].sort()).toEqual(right);
  });
});
