import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reverseComplement } from './genetic-code.js';
import { readGenome, readGff3Proteins } from './gff3-proteins.js';
import { sequenceFormat } from './index.js';
import { flat as readFlat, shown } from './testing/features.js';

/**
 * These are further inputs of each kind in given-cases, at least three of each, with their right value and who says so. The output of
 * gffread 0.12.7 for a file was found by running it.
 */
const golden = readFileSync(new URL('./golden/cases/genome.fna', import.meta.url), 'utf8');
const bases = golden.split('\n').slice(1).join('');
const backward = `>chr1\n${reverseComplement(bases)}\n`;
const whole = 'MYKNTARICGENSIPVEWIAHQKGPGDFYYRFFAAHHGGLMHVHGHPLANQGFKDMLYWAYMDLNLSMGSSGCKANPAVQNPWARCGYHE';

/** Lists what was read; the golden protein is `whole`. */
const named = async (found: Promise<string[]>) =>
  (await found).map((line) => (line.endsWith(`=${whole}`) ? line.replace(whole, 'whole') : line));
const gff = (text: string, genome = golden, table = 1) =>
  named(
    shown(async function* (onLeftOut) {
      yield await readGff3Proteins(text, await readGenome(genome), { onLeftOut, table });
    }),
  );
const flat = (text: string) => named(readFlat(text));

type Line = [start: number, end: number, strand: string, phase: number | string, attributes: string];
const cds = (lines: Line[], type = 'CDS') =>
  `##gff-version 3\n${lines.map(([start, end, strand, phase, text]) => `chr1\tt\t${type}\t${start}\t${end}\t.\t${strand}\t${phase}\t${text}\n`).join('')}`;
/** These are the three exons of the golden protein. */
const exons = (attributes: (at: number) => string): Line[] => [
  [101, 200, '+', 0, attributes(0)],
  [261, 340, '+', 2, attributes(1)],
  [401, 493, '+', 0, attributes(2)],
];
const mirrored = (lines: Line[]): Line[] =>
  lines.map(([start, end, , phase, text]) => [
    bases.length - end + 1,
    bases.length - start + 1,
    '-',
    phase,
    text,
  ]);
const genbank = (place: string, qualifiers: string[], letters: string) =>
  `LOCUS       X  ${letters.length} bp  DNA\nFEATURES             Location/Qualifiers\n     CDS             ${place}\n${['/locus_tag="x"', ...qualifiers].map((text) => `                     ${text}\n`).join('')}ORIGIN\n        1 ${letters}\n//\n`;
const genpept = (name: string, body: string) => `LOCUS       ${name}   5 aa   linear   BCT\n${body}//\n`;
const uniprot = (id: string, head: string, residues: string) =>
  `ID   ${id}\n${head}SQ   SEQUENCE   5 AA;  1 MW;  1 CRC64;\n     ${residues}\n//\n`;
const heading = (name: string) =>
  `${name}          Genetic Sequence Data Bank\n                     December 15 2023\n\n                NCBI-GenBank Flat File Release 259.0\n\n`;

const lines = (of: Line[]) => cds(of).replace(/^.*\n/, '');
const feature = (type: string, attributes: string) => `chr1\tt\t${type}\t1\t6\t.\t+\t.\t${attributes}\n`;
const ring = `##gff-version 3\nchr1\tt\tregion\t1\t18\t.\t+\t.\tID=chr1;Is_circular=true\n`;
const operon = '>chr1\nATGAAATAAATGTTT\n';
const short = '>chr1\nATGAAA\n';
const pseudo =
  '     gene            1..6\n                     /locus_tag="x"\n                     /pseudo\n';
const trp = ['/transl_except=(pos:13..15,aa:Trp)'];
const exceptional = 'atgaaatgaccctgattttaa';
type Row = [input: string, found: () => unknown, right: unknown];
const kinds: Record<string, { authority: string; rows: Row[] }> = {
  'an ID for each CDS line': {
    authority: 'gffread 0.12.7',
    rows: [
      [
        'EVidenceModeler',
        () => gff(cds(exons(() => 'ID=cds.evm.model.c.1;Parent=evm.model.c.1'))),
        ['evm.model.c.1=whole'],
      ],
      ['TransDecoder', () => gff(cds(exons(() => 'ID=cds.x.p1;Parent=x.p1'))), ['x.p1=whole']],
      ['MAKER', () => gff(cds(exons(() => 'ID=m-mRNA-1:cds;Parent=m-mRNA-1'))), ['m-mRNA-1=whole']],
      ['JGI', () => gff(cds(exons((at) => `ID=CDS_1_${at};Parent=mRNA_1;proteinId=55`))), ['mRNA_1=whole']],
      ['GeneMark', () => gff(cds(exons((at) => `ID=CDS_${at}_1_t;Parent=1_t`))), ['1_t=whole']],
      [
        'backward strand',
        () => gff(cds(mirrored(exons((at) => `ID=c${at};Parent=t`))), backward),
        ['t=whole'],
      ],
      [
        'two transcripts, line by line',
        () =>
          gff(
            cds(
              exons(() => '').flatMap((line, at): Line[] =>
                ['a', 'b'].map((t) => [
                  ...(line.slice(0, 4) as [number, number, string, number]),
                  `ID=${t}${at};Parent=${t}`,
                ]),
              ),
            ),
          ),
        ['a=whole', 'b=whole'],
      ],
      ['attributes in small letters', () => gff(cds(exons((at) => `id=c${at};parent=t`))), ['t=whole']],
      [
        'transcript_id in place of Parent',
        () => gff(cds(exons(() => 'gene_id=g;transcript_id=t'))),
        ['t=whole'],
      ],
      [
        'type in small letters',
        () =>
          gff(
            cds(
              exons((at) => `ID=c${at};Parent=t`),
              'cds',
            ),
          ),
        ['t=whole'],
      ],
    ],
  },
  'a transcript of several proteins': {
    authority: 'GFF3 1.26, polycistronic transcripts: Derives_from names the gene of each',
    rows: [
      ...['Derives_from=', 'locus_tag=', 'gene='].map(
        (name): Row => [
          `${name} tells them apart`,
          () =>
            gff(
              cds([
                [1, 6, '+', 0, `ID=a;Parent=t;${name}A`],
                [10, 15, '+', 0, `ID=b;Parent=t;${name}B`],
              ]),
              operon,
            ),
          ['a=MK', 'b=MF'],
        ],
      ),
      [
        'one of them of two lines',
        () =>
          gff(
            cds([
              [1, 3, '+', 0, 'ID=a1;Parent=t;Derives_from=A'],
              [4, 6, '+', 0, 'ID=a2;Parent=t;Derives_from=A'],
              [10, 15, '+', 0, 'ID=b;Parent=t;Derives_from=B'],
            ]),
            operon,
          ),
        ['A=MK', 'b=MF'],
      ],
      [
        'a gene that only one line of a protein names',
        () => gff(cds(exons((at) => `ID=c${at};Parent=t${at === 0 ? ';gene=A' : ''}`))),
        ['t=whole'],
      ],
    ],
  },
  'a line of several parents': {
    authority: 'GFF3 1.26: a feature may have several parents; gffread for files with their transcripts',
    rows: [
      [
        'three',
        () => gff(cds(exons((at) => `ID=c${at};Parent=t1,t2,t3`))),
        ['t1=whole', 't2=whole', 't3=whole'],
      ],
      ['attribute given twice', () => gff(cds(exons(() => 'Parent=t1;Parent=t2'))), ['t1=whole', 't2=whole']],
      ['blanks around', () => gff(cds(exons(() => ' Parent = t1 , t2 '))), ['t1=whole', 't2=whole']],
      [
        'one parent leaves an exon out',
        () => gff(cds(exons((at) => `ID=c${at};Parent=${at === 0 ? 't1' : 't1,t2'}`))),
        ['t1=whole', `t2=${whole.slice(34)}`],
      ],
    ],
  },
  'a gene open at its 5\u2032 end': {
    authority: 'Prodigal: partial; NCBI: start_range, end_range; INSDC feature table: < and >',
    rows: [
      ['GenBank', () => flat(genbank('<1..6', ['/transl_table=11'], 'ttgaaa')), ['x=LK']],
      [
        'GenBank, complement',
        () => flat(genbank('complement(1..>6)', ['/transl_table=11'], 'tttcaa')),
        ['x=LK'],
      ],
      ['GenBank, closed', () => flat(genbank('1..6', ['/transl_table=11'], 'ttgaaa')), ['x=MK']],
      [
        'GenBank, open at the other end',
        () => flat(genbank('1..>6', ['/transl_table=11'], 'ttgaaa')),
        ['x=MK'],
      ],
      [
        'Prodigal, both ends',
        () => gff(cds([[1, 6, '+', 0, 'ID=1_1;partial=11']]), '>chr1\nTTGAAA\n', 11),
        ['1_1=LK'],
      ],
      [
        'Prodigal, backward strand',
        () => gff(cds([[1, 6, '-', 0, 'ID=1_1;partial=01']]), '>chr1\nTTTCAA\n', 11),
        ['1_1=LK'],
      ],
      [
        'NCBI',
        () => gff(cds([[1, 6, '+', 0, 'ID=a;partial=true;start_range=.,1']]), '>chr1\nTTGAAA\n', 11),
        ['a=LK'],
      ],
      ['phase', () => gff(cds([[1, 8, '+', 2, 'ID=a']]), '>chr1\nGGTTGAAA\n', 11), ['a=LK']],
    ],
  },
  'a coding sequence over the origin of a circular genome': {
    authority: 'GFF3 1.26 and INSDC: a circular sequence goes on at its first base',
    rows: [
      [
        'GFF3, two lines',
        () =>
          gff(
            ring +
              lines([
                [13, 18, '+', 0, 'ID=a'],
                [1, 9, '+', 0, 'ID=a'],
              ]),
            '>chr1\nAAACCCGGGCCCATGGGG\n',
          ),
        ['a=MGKPG'],
      ],
      [
        'GFF3, two lines in the order of their places',
        () =>
          gff(
            ring +
              lines([
                [1, 9, '+', 0, 'ID=a'],
                [13, 18, '+', 0, 'ID=a'],
              ]),
            '>chr1\nAAACCCGGGCCCATGGGG\n',
          ),
        ['a=MGKPG'],
      ],
      [
        'GFF3, backward strand',
        () =>
          gff(
            ring +
              lines([
                [1, 9, '-', 0, 'ID=a'],
                [13, 18, '-', 0, 'ID=a'],
              ]),
            '>chr1\nTTTCCCCATAAACCCGGG\n',
          ),
        ['a=MGKPG'],
      ],
      [
        'GFF3, an end beyond the last base',
        () => gff(ring + lines([[13, 27, '+', 0, 'ID=a']]), '>chr1\nAAACCCGGGCCCATGGGG\n'),
        ['a=MGKPG'],
      ],
      [
        'GFF3, not circular: two exons',
        () =>
          gff(
            cds([
              [13, 18, '+', 0, 'ID=a'],
              [1, 9, '+', 0, 'ID=a'],
            ]),
            '>chr1\nAAACCCGGGCCCATGGGG\n',
          ),
        ['a=KPGMG'],
      ],
      [
        'GenBank',
        () =>
          flat(
            genbank('join(13..18,1..9)', [], 'aaacccgggcccatgggg').replace('  DNA', '  DNA     circular BCT'),
          ),
        ['x=MGKPG'],
      ],
    ],
  },
  'trans-splicing': {
    authority: 'NCBI: part= numbers the parts, else the order of the lines; INSDC: the order in join()',
    rows: [
      [
        'both strands, by part',
        () =>
          gff(
            cds([
              [4, 9, '-', 0, 'ID=cds-rps12;exception=trans-splicing;part=1'],
              [10, 12, '+', 0, 'ID=cds-rps12;exception=trans-splicing;part=2'],
            ]),
            '>chr1\nGGGTTTCATAAA\n',
          ),
        ['rps12=MKK'],
      ],
      [
        'order of the lines',
        () =>
          gff(
            cds([
              [7, 9, '+', 0, 'ID=a;exception=trans-splicing'],
              [1, 3, '+', 0, 'ID=a;exception=trans-splicing'],
            ]),
            '>chr1\nAAAGGGATG\n',
          ),
        ['a=MK'],
      ],
      [
        'a part that is missing, or in another sequence',
        () =>
          gff(
            cds([
              [4, 9, '-', 0, 'ID=a;exception=trans-splicing;part=1'],
              [10, 12, '+', 0, 'ID=a;exception=trans-splicing;part=3'],
            ]),
            '>chr1\nGGGTTTCATAAA\n',
          ),
        [expect.stringContaining('part 2 of it is missing')],
      ],
      [
        'a last part that is missing',
        () => gff(cds([[4, 9, '-', 0, 'ID=a;exception=trans-splicing;part=1/2']]), '>chr1\nGGGTTTCATAAA\n'),
        [expect.stringContaining('part 2 of it is missing')],
      ],
      [
        'a part of two exons',
        () =>
          gff(
            cds([
              [7, 9, '+', 0, 'ID=a;exception=trans-splicing;part=1'],
              [1, 3, '+', 0, 'ID=a;exception=trans-splicing;part=2'],
              [10, 12, '+', 0, 'ID=a;exception=trans-splicing;part=2'],
            ]),
            '>chr1\nAAAGGGATGCCC\n',
          ),
        ['a=MKP'],
      ],
      [
        'GenBank',
        () => flat(genbank('join(complement(4..9),10..12)', ['/trans_splicing'], 'gggtttcataaa')),
        ['x=MKK'],
      ],
      [
        'GenBank, same strand',
        () => flat(genbank('join(7..9,1..3)', ['/trans_splicing'], 'aaagggatg')),
        ['x=MK'],
      ],
    ],
  },
  GenPept: {
    authority: 'Biopython 1.88: the residues of ORIGIN',
    rows: [
      [
        'VERSION',
        () => flat(genpept('NP_1', 'ACCESSION   NP_1\nVERSION     NP_1.1  GI:3\nORIGIN\n        1 mkvla\n')),
        ['NP_1.1=MKVLA'],
      ],
      [
        'a chain of PDB',
        () => flat(genpept('1ABC_A', 'ACCESSION   1ABC_A\nORIGIN\n        1 mkvla\n')),
        ['1ABC_A=MKVLA'],
      ],
      [
        'two entries',
        () => flat(['A', 'B'].map((name) => genpept(name, 'ORIGIN\n        1 mkvla\n')).join('')),
        ['A=MKVLA', 'B=MKVLA'],
      ],
      [
        'before a genome',
        () => flat(genpept('A', 'ORIGIN\n        1 mkvla\n') + genbank('1..6', [], 'atgaaa')),
        ['A=MKVLA', 'x=MK'],
      ],
      ['a gap', () => flat(genpept('A', 'ORIGIN\n        1 mk-la\n')), ['"-" is not a residue']],
    ],
  },
  '/transl_except': {
    authority: 'INSDC feature table 11.3',
    rows: [
      [
        'two in one coding sequence',
        () =>
          flat(
            genbank(
              '1..21',
              ['/transl_except=(pos:7..9,aa:Sec)', '/transl_except=(pos:13..15,aa:Trp)'],
              exceptional,
            ),
          ),
        ['x=MKUPWF'],
      ],
      [
        'over two lines',
        () =>
          flat(
            genbank(
              '1..21',
              ['/transl_except=(pos:7..9,', 'aa:Pyl)', '/transl_except=(pos:13..15,aa:OTHER)'],
              exceptional,
            ),
          ),
        ['x=MKOPXF'],
      ],
      ...['Sec', 'sec', 'U', 'selenocysteine'].map(
        (name): Row => [
          `aa:${name}`,
          () => flat(genbank('1..21', [`/transl_except=(pos:7..9,aa:${name})`, ...trp], exceptional)),
          ['x=MKUPWF'],
        ],
      ),
      ['first codon', () => flat(genbank('1..6', ['/transl_except=(pos:1..3,aa:Met)'], 'aagaaa')), ['x=MK']],
      [
        'out of frame',
        () => flat(genbank('1..21', ['/transl_except=(pos:8..10,aa:Sec)'], exceptional)),
        [expect.stringContaining('a stop after 2 of 6 residues')],
      ],
    ],
  },
  'UniProt text': {
    authority: 'UniProt user manual: ID, AC, SQ',
    rows: [
      [
        'unreviewed',
        () => flat(uniprot('A_ECOLI   Unreviewed;   5 AA.', 'AC   A0A0A0A001;\n', 'MKVLA')),
        ['A0A0A0A001=MKVLA'],
      ],
      [
        'several accessions',
        () => flat(uniprot('A_ECOLI   Reviewed;   5 AA.', 'AC   P11111; Q22222;\nAC   Q33333;\n', 'MKVLA')),
        ['P11111=MKVLA'],
      ],
      [
        'a feature that says CDS',
        () =>
          flat(
            uniprot(
              'A_ECOLI   Reviewed;   5 AA.',
              'AC   P11111;\nFT   CHAIN           1..5\nFT                   /note="CDS"\n',
              'MKV LA',
            ),
          ),
        ['P11111=MKVLA'],
      ],
      [
        'before 2006',
        () => flat(uniprot('A_ECOLI   STANDARD;   PRT;   5 AA.', 'AC   P11111;\n', 'MKVLA')),
        ['P11111=MKVLA'],
      ],
    ],
  },
  "NCBI's lines before the first record": {
    authority: 'GenBank release notes 3.1',
    rows: [
      ...['GBBCT1.SEQ', 'gbvrl12.seq', 'nc0101.flat'].map((name): Row => {
        const text = heading(name) + genbank('1..6', [], 'atgaaa');
        return [name, async () => [sequenceFormat(text), ...(await flat(text))], ['genbank', 'x=MK']];
      }),
      [
        'two releases after each other',
        () =>
          flat(
            [1, 2]
              .map(
                (at) => heading(`GBBCT${at}.SEQ`) + genbank('1..6', [], 'atgaaa').replace('"x"', `"x${at}"`),
              )
              .join(''),
          ),
        ['x1=MK', 'x2=MK'],
      ],
    ],
  },
  'coding sequences without a protein': {
    authority: 'INSDC feature table: /pseudo and /pseudogene; GFF3 1.26',
    rows: [
      ['/pseudogene', () => flat(genbank('1..6', ['/pseudogene="unknown"'], 'atgaaa')), ['a pseudogene']],
      [
        '/pseudo with a translation',
        () => flat(genbank('1..6', ['/translation="MK"', '/pseudo'], 'atgaaa')),
        ['a pseudogene'],
      ],
      [
        'pseudo=true',
        () => gff(cds([[1, 6, '+', 0, 'ID=a;pseudo=true']]), '>chr1\nATGAAA\n'),
        ['a pseudogene'],
      ],
      ['pseudo=True (Bakta)', () => gff(cds([[1, 6, '+', 0, 'ID=a;pseudo=True']]), short), ['a pseudogene']],
      [
        'its gene is a pseudogene, GFF3',
        () => gff(`${feature('gene', 'ID=g;pseudo=true')}${lines([[1, 6, '+', 0, 'ID=c;Parent=g']])}`, short),
        ['a pseudogene'],
      ],
      [
        'the gene of its transcript is a pseudogene, GFF3',
        () =>
          gff(
            `${feature('processed_pseudogene', 'ID=g')}${feature('mRNA', 'ID=t;Parent=g')}${lines([[1, 6, '+', 0, 'ID=c;Parent=t']])}`,
            short,
          ),
        ['a pseudogene'],
      ],
      [
        'a gene beside a pseudogene',
        () =>
          gff(
            `${feature('pseudogene', 'ID=p')}${feature('gene', 'ID=g;Note=not a pseudogene')}${lines([[1, 6, '+', 0, 'ID=c;Parent=g']])}`,
            short,
          ),
        ['c=MK'],
      ],
      [
        'its gene is a pseudogene, GenBank',
        () => flat(genbank('1..6', [], 'atgaaa').replace('     CDS', `${pseudo}     CDS`)),
        ['a pseudogene'],
      ],
      [
        'another gene is a pseudogene, GenBank',
        () => flat(genbank('1..6', [], 'atgaaa').replace('     CDS', `${pseudo.replace('x', 'y')}     CDS`)),
        ['x=MK'],
      ],
      [
        'a stop',
        () => flat(genbank('1..9', [], 'atgtagaaa')),
        [expect.stringContaining('a stop after 1 of 3 residues')],
      ],
      [
        'another record',
        () => flat(genbank('join(Y.1:1..6,1..3)', [], 'atgaaa')),
        [expect.stringContaining('is in another record')],
      ],
      [
        'another genome',
        () => gff(cds([[1, 6, '+', 0, 'ID=a']]), '>chr2\nATGAAA\n'),
        ['the genome has no sequence chr1'],
      ],
      [
        'unknown code',
        () => flat(genbank('1..6', ['/transl_table=99'], 'atgaaa')),
        ['there is no genetic code 99'],
      ],
      [
        'a code that is no number',
        () => gff(cds([[1, 6, '+', 0, 'ID=a;transl_table=Standard']]), short),
        ['transl_table is not a number'],
      ],
      [
        'a frame that is none',
        () => flat(genbank('1..6', ['/codon_start=4'], 'atgaaa')),
        ['/codon_start=4: must be 1, 2 or 3'],
      ],
    ],
  },
};

describe.each(Object.entries(kinds))('%s', (_, { authority, rows }) => {
  it.each(rows)(`is right by ${authority}: %s`, async (_input, found, right) => {
    if (right instanceof RegExp) expect(await found()).toMatch(right);
    else expect(await found()).toEqual(right);
  });
});

it('has three inputs of each kind at least', () => {
  for (const { rows } of Object.values(kinds)) expect(rows.length).toBeGreaterThanOrEqual(3);
});
