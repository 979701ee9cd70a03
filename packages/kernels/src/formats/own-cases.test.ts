import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseObo } from '../ontology/obo.js';
import { readFlatFile } from './flat-file.js';
import { reverseComplement } from './genetic-code.js';
import { readGenome, readGff3Proteins } from './gff3-proteins.js';
import { objectId, parseFasta, readGaf, readGpad, sequenceFormat } from './index.js';
import { accessionList } from '../accessions/index.js';

/**
 * These are further inputs of each kind in given-cases, at least three of each, with their right value and who says so. The output of
 * gffread 0.12.7 for a file was found by running it.
 */
const golden = readFileSync(new URL('./golden/cases/genome.fna', import.meta.url), 'utf8');
const bases = golden.split('\n').slice(1).join('');
const backward = `>chr1\n${reverseComplement(bases)}\n`;
const whole = 'MYKNTARICGENSIPVEWIAHQKGPGDFYYRFFAAHHGGLMHVHGHPLANQGFKDMLYWAYMDLNLSMGSSGCKANPAVQNPWARCGYHE';

interface Read {
  records: { accession: string; sequence: string }[];
  rejected: { reason: string }[];
}
/** Lists proteins as `name=residues`, then the reasons for what is left out or refused. */
async function shown(read: (onLeftOut: (one: { reason: string }) => void) => AsyncIterable<Read>) {
  const reasons: string[] = [];
  const made: string[] = [];
  for await (const { records, rejected } of read(({ reason }) => void reasons.push(reason))) {
    made.push(
      ...records.map(({ accession, sequence }) => `${accession}=${sequence === whole ? 'whole' : sequence}`),
    );
    reasons.push(...rejected.map(({ reason }) => reason));
  }
  return [...made, ...reasons];
}
const gff = (text: string, genome = golden, table = 1) =>
  shown(async function* (onLeftOut) {
    yield await readGff3Proteins(text, await readGenome(genome), { onLeftOut, table });
  });
const flat = (text: string) => shown((onLeftOut) => readFlatFile(text, { onLeftOut }));

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

const gafRow = (qualifier: string) =>
  `UniProtKB\tP1\tA\t${qualifier}\tGO:0003824\tPMID:1\tIDA\t\tF\t\t\tprotein\ttaxon:9606\t20200101\tX\t\t\n`;
const gpad = (version: string, cells: string) =>
  `!gpad-version: ${version}\n${cells}\tGO:0003824\tPMID:1\tECO:0000314\t\t\t2020-01-01\tX\t\t\n`;
async function signs(batches: AsyncIterable<{ records: { negated: boolean }[] }>) {
  const found: string[] = [];
  for await (const { records } of batches)
    found.push(...records.map(({ negated }) => (negated ? 'negative' : 'positive')));
  return found.join() || 'unreadable';
}
async function refusal(text: string) {
  for await (const { records } of readGaf(text)) if (records.length > 0) return 'was read';
  return 'no sentence';
}
const gafRefusal = (text: string) => refusal(text).catch((error: Error) => error.message);
function refusedSequences(text: string) {
  try {
    return parseFasta(text).map(({ accession }) => accession);
  } catch (error) {
    return (error as Error).message;
  }
}
function parents(...lines: string[]) {
  const term = (id: string, ...more: string[]) =>
    `\n[Term]\nid: ${id}\nname: x\nnamespace: biological_process\n${more.map((line) => `${line}\n`).join('')}`;
  const text = `format-version: 1.4\ndata-version: releases/2020-01-01\n${term('GO:0000001', ...lines)}${term('GO:0000002')}${term('GO:0000003')}`;
  return parseObo(text).terms[0].parents.map(({ id, relation }) => `${relation} ${id}`);
}

const lines = (of: Line[]) => cds(of).replace(/^.*\n/, '');
const feature = (type: string, attributes: string) => `chr1\tt\t${type}\t1\t6\t.\t+\t.\t${attributes}\n`;
const ring = `##gff-version 3\nchr1\tt\tregion\t1\t18\t.\t+\t.\tID=chr1;Is_circular=true\n`;
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
  'a negation': {
    authority: "GAF 2.2: NOT in column 4; GPAD 2.0: Negation ::= 'NOT'",
    rows: [
      ['GAF, upper and lower case', () => signs(readGaf(gafRow('not|Involved_In'))), 'negative'],
      ['GAF, behind the relation', () => signs(readGaf(gafRow('part_of|NOT'))), 'negative'],
      ['GAF, another word', () => signs(readGaf(gafRow('negated'))), 'unreadable'],
      ['GAF, none', () => signs(readGaf(gafRow('part_of'))), 'positive'],
      [
        'GPAD 1.2',
        () => signs(readGpad(gpad('1.2', 'D\tP1\tNOT|part_of').replace('gpad', 'gpa'))),
        'negative',
      ],
      ['GPAD 2.0', () => signs(readGpad(gpad('2.0', 'D:P1\tnot\tRO:0002327'))), 'negative'],
      ['GPAD 2.0, another word', () => signs(readGpad(gpad('2.0', 'D:P1\tyes\tRO:0002327'))), 'unreadable'],
    ],
  },
  'a line that holds only in a context': {
    authority: 'OBO 1.4, 5.2.2',
    rows: [
      ['is_a', () => parents('is_a: GO:0000002 {gci_relation="part_of", gci_filler="NCBITaxon:9606"}'), []],
      [
        'the same parent without it',
        () => parents('is_a: GO:0000002 {gci_relation="part_of", gci_filler="CL:1"}', 'is_a: GO:0000002'),
        ['is_a GO:0000002'],
      ],
      [
        'another relation without it',
        () =>
          parents(
            'relationship: part_of GO:0000002 {gci_filler="CL:1", gci_relation="part_of"} ! x',
            'relationship: regulates GO:0000003',
          ),
        ['regulates GO:0000003'],
      ],
    ],
  },
  'almost a list of accessions': {
    authority: 'the accessions are plain, as UniProt and its readers write them',
    rows: [
      ...[
        '["P70001","P70002"]',
        '- P70001\n- P70002\n',
        '1. P70001\n2. P70002\n',
        '"1","P70001"\n"2","P70002"\n',
        '\u201cP70001\u201d; \u2018P70002\u2019',
        'https://www.uniprot.org/uniprotkb/P70001/entry\nhttps://rest.uniprot.org/uniprotkb/P70002.fasta\n',
        'UniProtKB/Swiss-Prot:P70001\nUniProtKB/TrEMBL:P70002\n',
        'uniprotkb|P70001 up:P70002',
        'gi|12|sp|P70001.1|A_HUMAN gi|13|sp|P70002.2|B_HUMAN',
        'Majority protein IDs\tScore\nP70001;P70002\t3\n',
        'Accession Number:\nP70001, P70002\n',
        'From\tTo\nP70001\tQ9NAE2\nP70002\tQ9NAE2\n',
        'ID\tEntry\n1\tP70001\n2\tP70002\n',
        'P70001\tkinase\nP70002\tof the same family\n',
        'P70001,0.5\nP70002,0.4\n',
        'P70001 # first\nP70002\n',
        'P70001, P70002.',
        'P70001\u200b\nP70002\u00ad\n',
        '// mine\n! and yours\np70001\np70002\n',
      ].map((text): Row => [text, () => accessionList(text), ['P70001', 'P70002']]),
      // In these lists it is unclear which words are meant, or one is not an accession: it would be lost in silence.
      ...['P70001,P70002\nQ9NAE2,mine\n', 'P7001\nP70002\n', 'P70001, mine', 'P70001 OR P70002'].map(
        (text): Row => [text, () => accessionList(text), null],
      ),
    ],
  },
  'another file than GAF': {
    authority: 'the formats of those programs',
    rows: [
      ['GPAD 2.0', () => gafRefusal(gpad('2.0', 'D:P1\t\tRO:0002327')), /GPAD.*load_goa_annotations/],
      ['QuickGO', () => gafRefusal('GENE PRODUCT DB\tGENE PRODUCT ID\tSYMBOL\n'), /load_quickgo_annotations/],
      ['predictions', () => gafRefusal('P1\tGO:0003824\t0.5\n'), /scores.*kindred evaluate/],
      ['CAFA', () => gafRefusal('AUTHOR x\nMODEL 1\n'), /scores.*kindred evaluate/],
      [
        'BioMart',
        () => gafRefusal('Gene stable ID\tGO term accession\nE1\tGO:0003824\n'),
        /table with headings/,
      ],
      ['UniProt table', () => gafRefusal('Entry\tGene Ontology (GO)\n'), /table with headings/],
      ['PANNZER', () => gafRefusal('qpid\tontology\tgoid\tdesc\n'), /table with headings/],
      ['WEGO', () => gafRefusal('P1\tGO:0003824\tGO:0005515\n'), /lists of terms/],
      ['commas', () => gafRefusal(gafRow('').replaceAll('\t', ',')), /separated by commas/],
      [
        'interpro2go',
        () => gafRefusal('InterPro:IPR000001 Kringle > GO:x ; GO:0003824\n'),
        /load_interpro_go_mapping/,
      ],
      ['OWL', () => gafRefusal('<?xml version="1.0"?>\n'), /XML/],
      ['OBO graphs', () => gafRefusal('{"graphs":[]}\n'), /JSON/],
    ],
  },
  'another file than sequences': {
    authority: 'the formats of those programs',
    rows: [
      // The title of a PIR file would be read as residues.
      ['PIR', () => refusedSequences('>P1;CRAB\nalpha crystallin\nMKT*\n'), /PIR/],
      [
        'GTF with comments',
        () => refusedSequences('#!genome-build x\nc\tx\tCDS\t1\t9\t.\t+\t0\tgene_id "a";\n'),
        /line 2: this is GTF/,
      ],
      ['GFF 2', () => refusedSequences('##gff-version 2\n'), /not of version 3/],
      ['Clustal', () => refusedSequences('CLUSTAL W (1.83)\n'), /alignment/],
      ['Stockholm', () => refusedSequences('# STOCKHOLM 1.0\n'), /alignment/],
      ['PDB', () => refusedSequences('HEADER    HYDROLASE\n'), /structure/],
      ['UniProt XML', () => refusedSequences('<?xml version="1.0"?>\n<uniprot>\n'), /XML/],
      ['SAM', () => refusedSequences('@HD\tVN:1.6\n'), /SAM/],
      ['RTF', () => refusedSequences('{\\rtf1 >a MKT}\n'), /document/],
      ['accessions', () => refusedSequences('P70001\nP70002\n'), /"kindred annotate" takes a list/],
      ['names', () => refusedSequences('P53_HUMAN\n'), /only accessions of UniProt are looked up/],
      ...['TP53', 'b0344', 'UniRef90_P70001', 'UPI0000000001', 'HGNC:11998', '9606.ENSP00000269305'].map(
        (name): Row => [
          name,
          () => refusedSequences(`${name}\n`),
          /only accessions of UniProt are looked up/,
        ],
      ),
      ['a sequence without a name', () => refusedSequences('MKVLAAGIVG\n'), /text before the first ">"/],
      ['a program', () => refusedSequences('7z\u00bc\u00af\u0001\n'), /not a text file/],
      ['NCBI', () => refusedSequences('NP_000001.1\n'), /only accessions of UniProt are looked up/],
      [
        'a comment before FASTA',
        () => refusedSequences('# mine\n>a\nMKT\n'),
        /line 1: text before the first ">": "# mine"/,
      ],
    ],
  },
  'names that differ in what GAF forbids': {
    authority: 'GAF 2.2: columns 1 and 2 are one object',
    rows: [
      ['blanks of other kinds', () => new Set(['a\u00a0b', 'a_b', 'a b'].map(objectId)).size, 3],
      ['commas', () => new Set(['a,b', 'a;b', 'a_b', 'a_x2Cb'].map(objectId)).size, 4],
      ['letters', () => new Set(['\u03b1B', 'aB', '_xCE_xB1B'].map(objectId)).size, 3],
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
