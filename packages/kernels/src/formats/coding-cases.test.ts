import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { LeftOutProtein } from './coding-sequence.js';
import type { FastaRecord } from './fasta.js';
import { readFlatFile } from './flat-file.js';
import type { Rejection } from './format-error.js';
import { readGenome, readGff3Proteins } from './gff3-proteins.js';
import { sequenceFormat } from './sequence-format.js';

/** The cases are conditions that users of other programs met, with the right values: golden/cases, whose make.py runs gffread. */
const given = (name: string) => readFileSync(new URL(`./golden/cases/${name}`, import.meta.url), 'utf8');

interface Made {
  proteins: [accession: string, residues: string][];
  records: FastaRecord[];
  /** Reasons why coding sequences were left out. */
  leftOut: string[];
  refused: Rejection[];
}

async function made(read: (onLeftOut: (one: LeftOutProtein) => void) => AsyncIterable<Batch>): Promise<Made> {
  const all: Made = { proteins: [], records: [], leftOut: [], refused: [] };
  for await (const { records, rejected } of read(({ reason }) => void all.leftOut.push(reason))) {
    all.records.push(...records);
    all.refused.push(...rejected);
  }
  all.proteins = all.records.map(({ accession, sequence }) => [accession, sequence]);
  return all;
}
type Batch = { records: FastaRecord[]; rejected: Rejection[] };

const flat = (text: string) => made((onLeftOut) => readFlatFile(text, { onLeftOut }));
const gff = (text: string, genome: string, table = 1) =>
  made(async function* (onLeftOut) {
    yield await readGff3Proteins(text, await readGenome(genome), { onLeftOut, table });
  });

const whole = 'MYKNTARICGENSIPVEWIAHQKGPGDFYYRFFAAHHGGLMHVHGHPLANQGFKDMLYWAYMDLNLSMGSSGCKANPAVQNPWARCGYHE';
const gffread = given('proteins.tsv')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));

describe('the proteins of GFF3 are those of gffread', () => {
  it.each([...new Set(gffread.map(([file, genome]) => `${file} ${genome}`))])('%s', async (files) => {
    const [file, genome] = files.split(' ');
    const { proteins, leftOut, refused } = await gff(given(file), given(genome));
    // The names differ where gffread always adds the name of a transcript: Kindred keeps an ID of all lines of a coding sequence, as NCBI
    // does.
    const named = (name: string) => (file === 'own-ids-shared.gff3' ? '1' : name.replace('transcript:', ''));
    const wanted = gffread
      .filter(([name]) => name === file)
      .map(([, , name, residues]) => [named(name), residues]);
    expect([...proteins].sort()).toEqual(wanted.sort());
    expect([leftOut, refused]).toEqual([[], []]);
  });
});

/** The fields of a CDS line of GFF3: start, end, strand, phase, attributes. */
type CdsLine = [number, number, string, number | string, string];
const cds = (...lines: CdsLine[]) =>
  `##gff-version 3\n${lines.map(([start, end, strand, phase, text]) => `chr1\tt\tCDS\t${start}\t${end}\t.\t${strand}\t${phase}\t${text}\n`).join('')}`;
const genome = given('genome.fna');
const ends: [number, number, number][] = [
  [101, 200, 0],
  [261, 340, 2],
  [401, 493, 0],
];
const exons = (attributes: (at: number) => string) =>
  ends.map(([start, end, phase], at): [number, number, string, number, string] => [
    start,
    end,
    '+',
    phase,
    attributes(at),
  ]);

describe('lines that are not of one protein', () => {
  it('are of several where protein_ids say so', async () => {
    const { proteins } = await gff(
      cds(
        ...exons((at) => `ID=a${at};Parent=g;protein_id=A`),
        ...exons((at) => `ID=b${at};Parent=g;protein_id=B`),
      ),
      genome,
    );
    expect(proteins).toEqual([
      ['A', whole],
      ['B', whole],
    ]);
  });

  it('are of several where each ID has several lines, as in the specification', async () => {
    const { proteins } = await gff(
      cds(
        ...exons(() => 'ID=cds3;Parent=m3'),
        [107, 200, '+', 0, 'ID=cds4;Parent=m3'],
        ...exons(() => 'ID=cds4;Parent=m3').slice(1),
      ),
      genome,
    );
    expect(proteins).toEqual([
      ['cds3', whole],
      ['cds4', whole.slice(2)],
    ]);
  });

  it.each<[string, CdsLine, CdsLine]>([
    ['overlap', [101, 199, '+', 0, 'ID=a;Parent=t'], [150, 199, '+', 0, 'ID=b;Parent=t']],
    ['are given twice', [101, 199, '+', 0, 'ID=a;Parent=t'], [101, 199, '+', 0, 'ID=a;Parent=t']],
    ['overlap backwards', [101, 199, '-', 0, 'Parent=t'], [190, 202, '-', 0, 'Parent=t']],
  ])('are named where they %s', async (_, ...lines) => {
    const { proteins, leftOut } = await gff(cds(...lines), genome);
    expect(proteins).toEqual([]);
    expect(leftOut[0]).toMatch(/of line 2 and .* of line 3 overlap|of line 3 and .* of line 2 overlap/);
  });

  it.each([
    [
      'one is missing',
      [101, 200, 0],
      [401, 493, 0],
      'line 3 has phase 0, but the lines before it leave 2 bases',
    ],
    [
      'a phase is wrong',
      [101, 193, 0],
      [261, 334, 1],
      'line 3 has phase 1, but the lines before it leave 0 bases',
    ],
    [
      'the first phase is wrong',
      [101, 196, 1],
      [261, 334, 2],
      'line 3 has phase 2, but the lines before it leave 1 base ',
    ],
  ] as const)('are named where %s', async (_, first, second, reason) => {
    // The phases of a file count only if any is not 0.
    const lines = [first, second].map(([start, end, phase]): CdsLine => [start, end, '+', phase, 'Parent=t']);
    if (first[2] === 0 && second[2] === 0) lines.push([520, 530, '+', 2, 'Parent=t']);
    const { proteins, leftOut } = await gff(cds(...lines), genome);
    expect(proteins).toEqual([]);
    expect(leftOut[0]).toContain(reason);
  });

  it('are joined in spite of wrong phases where that is an open reading frame to its stop', async () => {
    const stop = `>chr1\n${'ATG'.repeat(60)}TAA`;
    const { proteins } = await gff(cds([1, 100, '+', 0, 'Parent=t'], [101, 183, '+', 1, 'Parent=t']), stop);
    expect(proteins).toEqual([['t', 'M'.repeat(60)]]);
  });

  it.each([
    ['transcript_id "t1"; gene_id "g1";'],
    ['gene_id "g1"; transcript_id "t1"'],
    [' gene_id "g1";exon_number "1"'],
    ['gene_id "g=1"; transcript_id "t=1"'],
  ])('are refused once where their attributes are those of GTF: %s', async (text) => {
    const { refused, proteins } = await gff(cds(...exons(() => text)), genome);
    expect(proteins).toEqual([]);
    expect(refused).toMatchObject([{ line: 2, reason: expect.stringContaining('attributes of GTF') }]);
  });
});

describe('an open 5\u2032 end keeps the amino acid of its codon', () => {
  const forward = `>chr1\n${'TTG'.repeat(20)}`;
  const backward = `>chr1\n${'CAA'.repeat(20)}`;
  it.each([
    ['partial=10', '+', forward, 'L'],
    ['partial=11;start_type=Edge', '+', forward, 'L'],
    ['partial=01', '+', forward, 'M'],
    ['partial=00;start_type=TTG', '+', forward, 'M'],
    ['partial=01', '-', backward, 'L'],
    ['partial=10', '-', backward, 'M'],
    ['partial=true;start_range=.,1', '+', forward, 'L'],
    ['partial=true;end_range=60,.', '+', forward, 'M'],
    ['partial=true;end_range=60,.', '-', backward, 'L'],
    ['partial=true;start_range=.,1', '-', backward, 'M'],
  ])('%s on strand %s', async (text, strand, bases, first) => {
    const { proteins } = await gff(cds([1, 60, strand, 0, `ID=a;${text}`]), bases, 11);
    expect(proteins).toEqual([['a', first + 'L'.repeat(19)]]);
  });

  it('of the first line in the direction of translation, wherever the file has it', async () => {
    const lines: Parameters<typeof cds> = [
      [1, 30, '-', 0, 'ID=a'],
      [31, 60, '-', 0, 'ID=a;partial=true;end_range=60,.'],
    ];
    expect((await gff(cds(...lines), backward, 11)).proteins).toEqual([['a', 'L'.repeat(20)]]);
  });
});

describe('trans-splicing', () => {
  // GFF3 has no rule for this case, but NCBI numbers the parts. The order of translation cannot be that of the positions.
  const bases = `>chr1\n${'AAA'.repeat(5)}${'ATG'.repeat(5)}${'CTT'.repeat(5)}`;
  const right = 'M'.repeat(5) + 'K'.repeat(5) + 'K'.repeat(5);

  it('follows part= of the given file', async () => {
    const { proteins } = await gff(given('99-ts-same-strand.gff3'), given('99-ts-same-strand.fna'));
    expect(proteins).toEqual([
      [
        'NAD1.1',
        'MYKNTARICGENSIPVEWIAHQKGPGDFYYRFFAAHHGGLMHVHGHPLANQGFKDMLYWAYMDLNLSMGSSGCKANPAVQNPWARCGYHE',
      ],
    ]);
  });

  it.each([
    [
      'the order of the lines',
      ['exception=trans-splicing', 'exception=trans-splicing', 'exception=trans-splicing'],
      [1, 0, 2],
    ],
    ['part= in any order of the lines', ['part=3', 'part=1', 'part=2'], [2, 1, 0]],
    ['part= with the number of all', ['part=2/3', 'part=1/3', 'part=3/3'], [0, 1, 2]],
    ['another spelling', ['exception=trans_splicing', '', ''], [1, 0, 2]],
  ] as const)('follows %s', async (_, texts, order) => {
    const pieces = [
      [1, 15, '+'],
      [16, 30, '+'],
      [31, 45, '-'],
    ] as const;
    const lines = order.map((piece, at): [number, number, string, number, string] => {
      const [start, end, strand] = pieces[piece];
      return [start, end, strand, 0, `ID=cds-n;${texts[at]}`];
    });
    expect((await gff(cds(...lines), bases)).proteins).toEqual([['n', right]]);
  });

  it('is said to be missing where parts are on both strands', async () => {
    const { leftOut } = await gff(cds([1, 15, '+', 0, 'ID=a'], [31, 45, '-', 0, 'ID=a']), bases);
    expect(leftOut).toEqual([expect.stringContaining('exception=trans-splicing')]);
  });
});

describe('/transl_except', () => {
  const record = (place: string, value: string, bases = 'atgaaatgaccctgattttaa') =>
    `LOCUS       X  ${bases.length} bp  DNA\nFEATURES             Location/Qualifiers\n     CDS             ${place}\n                     /locus_tag="x"\n                     /transl_except=${value}\nORIGIN\n        1 ${bases}\n//\n`;
  const mirror = 'ttaaaatcagggtcatttcat';

  it('reads tryptophan, and a place of several parts (given files)', async () => {
    expect((await flat(given('11-transl-except-trp.gb'))).proteins).toEqual([
      ['T1', 'MIWNTNTKREWNLCQDHMTYNFMKVDLMLGDFLSGCDYVPCIYNKRQFCCSMHFWFQEGQNFCQLFRYGT'],
    ]);
    expect((await flat(given('12-transl-except-join.gb'))).proteins).toEqual([
      ['T2', 'MIUNTNTKREWNLCQDHMTYNFMKVDLMLGDFLSGCDYVPCIYNKRQFCCSMHFWFQEGQNFCQLFRYGT'],
    ]);
  });

  const names =
    'Ala Arg Asn Asp Cys Gln Glu Gly His Ile Leu Lys Met Phe Pro Ser Thr Trp Tyr Val Sec Pyl Asx Glx Xle OTHER';
  it.each([...'ARNDCQEGHILKMFPSTWYVUOBZJX'].map((letter, i) => [names.split(' ')[i], letter]))(
    'knows %s',
    async (name, letter) => {
      const { proteins } = await flat(record('join(1..12,16..21)', `(pos:7..9,aa:${name})`));
      expect(proteins).toEqual([['x', `MK${letter}PF`]]);
    },
  );

  it.each([
    ['join(1..12,16..21)', '(pos:7..9,aa:SEC)', undefined],
    ['complement(join(1..6,10..21))', '(pos:complement(13..15),aa:Sec)', mirror],
    ['complement(join(1..6,10..21))', '(pos:13..15,aa:Sec)', mirror],
    ['join(1..7,10..14,18..23)', '(pos:join(7..7,10..11), aa:Sec)', 'atgaaatccgaccctgattttaa'],
    [
      'complement(join(1..6,10..14,17..23))',
      '(pos:complement(join(13..14,17..17)),aa:Sec)',
      'ttaaaatcagggtcggatttcat',
    ],
  ])('%s has %s', async (place, value, bases) => {
    expect((await flat(record(place, value, bases))).proteins).toEqual([['x', 'MKUPF']]);
  });

  it('is read in GFF3, several and with commas in any spelling', async () => {
    const bases = '>chr1\natgaaatgaccctgattttaa';
    for (const value of [
      '(pos:7..9%2Caa:Sec),(pos:13..15%2Caa:Trp)',
      '(pos:7..9,aa:Sec),(pos:13..15,aa:Trp)',
      '(pos:7..9%2Caa:Sec)%2C(pos:13..15%2Caa:Trp)',
    ])
      expect((await gff(cds([1, 21, '+', 0, `ID=x;transl_except=${value}`]), bases)).proteins).toEqual([
        ['x', 'MKUPWF'],
      ]);
  });

  it('leaves a stop that polyadenylation completes', async () => {
    expect((await flat(record('1..4', '(pos:4,aa:TERM)', 'atgt'))).proteins).toEqual([['x', 'M']]);
  });
});

describe('entries of proteins', () => {
  it('of GenPept have the residues of ORIGIN, not a translation', async () => {
    const { records, leftOut } = await flat(given('10-genpept.gp'));
    expect(leftOut).toEqual([]);
    expect(records).toMatchObject([
      {
        accession: 'WP_000000001.1',
        sequence: whole,
        proteinName: 'test protein',
        organism: 'Testus exemplaris',
        taxonId: 562,
        geneName: 'TST_0001',
      },
    ]);
  });

  it('of UniProt have the residues of SQ and what a FASTA header of UniProt has', async () => {
    const { records } = await flat(given('14-uniprot.txt'));
    expect(records).toMatchObject([
      {
        header: 'sp|P99999|TEST_ECOLI Test protein OS=Escherichia coli (strain K12) OX=83333 GN=tst',
        accession: 'P99999',
        entryName: 'TEST_ECOLI',
        reviewed: true,
        sequence: whole,
      },
    ]);
  });

  it('of UniProt may be unreviewed, old, or of many lines', async () => {
    const entry = (id: string, ...head: string[]) =>
      `ID   ${id}\n${head.join('\n')}\nSQ   SEQUENCE   5 AA;  1 MW;  0 CRC64;\n     MKVLA\n//\n`;
    const { records } = await flat(
      entry(
        'A0A1_HUMAN   Unreviewed;         5 AA.',
        'AC   A0A0A0A001;',
        'DE   SubName: Full=Some protein {ECO:0000313|EMBL:X};',
        'GN   Name=abc {ECO:1}; Synonyms=d;',
        'OS   Homo',
        'OS   sapiens (Human).',
        'OX   NCBI_TaxID=9606 {ECO:0000313};',
      ) +
        entry(
          'OLD_ECOLI      STANDARD;      PRT;   5 AA.',
          'AC   P00001; P00002;',
          'DE   An old one (EC 1.1.1.1).',
        ),
    );
    expect(records.map(({ header }) => header)).toEqual([
      'tr|A0A0A0A001|A0A1_HUMAN Some protein OS=Homo sapiens (Human) OX=9606 GN=abc',
      'sp|P00001|OLD_ECOLI An old one (EC 1.1.1.1).',
    ]);
  });

  it.each([
    ['LOCUS       NP_1   5 aa            linear   BCT 01-JAN-2020\nVERSION     NP_1.2\n', 'NP_1.2'],
    ['LOCUS       NP_1   5 aa            linear   BCT 01-JAN-2020\n', 'NP_1'],
    ['LOCUS       1ABC_A   5 aa   linear\nACCESSION   1ABC_A\n', '1ABC_A'],
    ['ID   A00001; SV 1; linear; protein; PRT; UNC; 5 AA.\nAC   A00001;\n', 'A00001'],
  ])('are never translated: %j', async (head, accession) => {
    const { proteins } = await flat(
      `${head}FEATURES             Location/Qualifiers\n     CDS             1..5\n                     /coded_by="X:1..15"\nORIGIN\n        1 mkvla\n//\n`,
    );
    expect(proteins).toEqual([[accession, 'MKVLA']]);
  });

  it('are left out where they have no residues', async () => {
    const { leftOut, refused } = await flat(
      'LOCUS       NP_1   5 aa  linear\nCONTIG      join(WP_1:1..5)\n//\n',
    );
    expect([leftOut, refused]).toEqual([[expect.stringContaining('no residues')], []]);
  });
});

describe('the heading of a release of NCBI', () => {
  const heading = (name: string) =>
    `${name}          Genetic Sequence Data Bank\n                         June 15 2020\n\n                NCBI-GenBank Flat File Release 238.0\n\n       1 loci\n\n\n`;

  it('comes before the first record (given file)', async () => {
    const text = given('15-ncbi-release-header.seq');
    expect(sequenceFormat(text)).toBe('genbank');
    expect(await flat(text)).toMatchObject({ proteins: [['AAA1.1', whole]], leftOut: [], refused: [] });
  });

  it.each(['GBVRL12.SEQ', 'gbpln1.seq', 'GBEST100.SEQ'])('of %s', async (name) => {
    const text = heading(name) + given('10-genpept.gp');
    expect(sequenceFormat(text)).toBe('genbank');
    expect((await flat(text)).proteins).toEqual([['WP_000000001.1', whole]]);
  });

  it('does not hide other text', async () => {
    expect((await flat('A letter\n  about a Genetic Sequence Data Bank of ours\n')).refused).toMatchObject([
      { line: 1 },
    ]);
  });
});
