import { describe, expect, it } from 'vitest';
import { parseObo } from '../ontology/obo.js';
import { objectId, parseFasta, readGaf, readGpad } from './index.js';
import { accessionList } from '../accessions/index.js';

/** These are more inputs of each kind in given-cases that are not files of genes, with the right value and who says so. */
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

type Row = [input: string, found: () => unknown, right: unknown];
const kinds: Record<string, { authority: string; rows: Row[] }> = {
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
      ['GFF3', () => refusedSequences('##gff-version 3\n'), /this is GFF3: .*gffread -y/],
      ['GFF3.1', () => refusedSequences('# mine\n##gff-version  3.1.26\n'), /line 2: this is GFF3/],
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
