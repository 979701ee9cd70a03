import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseObo } from '../ontology/obo.js';
import type { LeftOutProtein } from './coding-sequence.js';
import { readFlatFile } from './flat-file.js';
import { readGenome, readGff3Proteins } from './gff3-proteins.js';
import { gafLine, nameOfObject, objectId, parseFasta, readGaf, readGpad } from './index.js';
import { accessionList } from '../accessions/index.js';

/**
 * This test reads every input of golden/cases that a condition brought, with its right value and who says so. More inputs of each kind
 * are in coding-cases, qualifier, other-formats, accession-list, object-id and obo.test.ts. Names that another protein has are in the
 * tests two-references and predict-combined of the server.
 */
const folder = new URL('./golden/cases/', import.meta.url);
const given = (name: string) => readFileSync(new URL(name, folder), 'utf8');

type Batches = AsyncIterable<{ records: { accession: string; sequence: string }[] }>;
async function proteins(read: (onLeftOut: (one: LeftOutProtein) => void) => Batches) {
  const leftOut: string[] = [];
  const made: string[][] = [];
  for await (const { records } of read((one) => void leftOut.push(one.record ?? one.reason)))
    made.push(...records.map(({ accession, sequence }) => [accession, sequence]));
  return { made, leftOut };
}
const flat = (name: string) => proteins((onLeftOut) => readFlatFile(given(name), { onLeftOut }));
const gff = (name: string, genome: string, table = 1) =>
  proteins(async function* (onLeftOut) {
    yield await readGff3Proteins(given(name), await readGenome(given(genome)), { onLeftOut, table });
  });
async function signs(batches: AsyncIterable<{ records: { accession: string; negated: boolean }[] }>) {
  const found: Record<string, boolean> = {};
  for await (const { records } of batches) for (const row of records) found[row.accession] = row.negated;
  return found;
}
async function refusal(name: string): Promise<string> {
  try {
    for await (const batch of readGaf(given(name))) void batch;
  } catch (error) {
    return (error as Error).message;
  }
  return 'was read';
}

const whole = 'MYKNTARICGENSIPVEWIAHQKGPGDFYYRFFAAHHGGLMHVHGHPLANQGFKDMLYWAYMDLNLSMGSSGCKANPAVQNPWARCGYHE';
const none = { leftOut: [] };
const gffread = (file: string) =>
  given('proteins.tsv')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([name]) => name === file)
    .map((cells) => cells.slice(2));
const rowOf = (accession: string) =>
  gafLine(
    {
      ...{ accession, taxonId: null, goId: 'GO:0005515', aspect: 'F', sourceKind: 'none', sourceId: null },
      ...{
        evidenceCode: null,
        score: 0.5,
        probability: null,
        probabilityMeaning: null,
        isFromSequence: false,
        proteinName: null,
        geneName: null,
      },
    } as Parameters<typeof gafLine>[0],
    {
      ...{ database: 'local', taxonId: 1, reference: 'X:1', method: 'x', date: '20200101', assignedBy: 'X' },
      ...{ header: [], ownReference: 'X:0', ownAssignedBy: 'x', sequenceReference: 'X:2' },
    },
    new Set(),
  );

interface Case {
  files: string[];
  right: unknown;
  authority: string;
  found(): unknown;
}
const two = ['P70001', 'P70002'];
const list = (file: string, right: string[]): Case => ({
  ...{ files: [file], right, authority: 'the accessions are plain: UniProt writes them so' },
  found: () => accessionList(given(file)),
});
const cases: Case[] = [
  {
    files: ['01-braker-cds-ids.gff3', 'genome.fna'],
    ...{ right: { made: [['g1.t1', whole]], ...none }, authority: 'gffread 0.12.7' },
    found: () => gff('01-braker-cds-ids.gff3', 'genome.fna'),
  },
  {
    files: ['02-shared-cds-two-parents.gff3', 'genome2.fna'],
    right: { made: gffread('02-shared-cds-two-parents.gff3'), ...none },
    authority: 'GFF3 1.26: a feature may have several parents; gffread 0.12.7',
    found: () => gff('02-shared-cds-two-parents.gff3', 'genome2.fna'),
  },
  {
    files: ['07-prodigal-edge.gff', 'genome7.fna'],
    right: { made: [['1_1', `L${whole.slice(1)}`]], ...none },
    authority: 'Prodigal: partial=10 is open at the left edge, without a start codon',
    found: () => gff('07-prodigal-edge.gff', 'genome7.fna', 11),
  },
  {
    files: ['10-genpept.gp'],
    ...{ right: { made: [['WP_000000001.1', whole]], ...none }, authority: 'Biopython: residues of ORIGIN' },
    found: () => flat('10-genpept.gp'),
  },
  ...['11-transl-except-trp.gb', '12-transl-except-join.gb'].map(
    (file): Case => ({
      files: [file],
      right: file.startsWith('11') ? ['T1', 'MIW', 70] : ['T2', 'MIU', 70],
      authority: 'INSDC feature table 11.3: /transl_except',
      found: async () => {
        const [[accession, sequence]] = (await flat(file)).made;
        return [accession, sequence.slice(0, 3), sequence.length];
      },
    }),
  ),
  {
    files: ['14-uniprot.txt'],
    ...{ right: { made: [['P99999', whole]], ...none }, authority: 'UniProt user manual: SQ' },
    found: () => flat('14-uniprot.txt'),
  },
  {
    files: ['15-ncbi-release-header.seq'],
    ...{ right: { made: [['AAA1.1', whole]], ...none }, authority: 'GenBank release notes 3.1: file header' },
    found: () => flat('15-ncbi-release-header.seq'),
  },
  {
    files: ['80-all-left-out.gb'],
    right: { made: [['A3', whole]], leftOut: ['A1', 'A2'] },
    authority: 'INSDC feature table: /pseudo has no protein, A2 neither bases nor /translation',
    found: () => flat('80-all-left-out.gb'),
  },
  {
    files: ['99-ts-same-strand.gff3', '99-ts-same-strand.fna'],
    ...{ right: { made: [['NAD1.1', whole]], ...none }, authority: 'NCBI: part= numbers the parts' },
    found: () => gff('99-ts-same-strand.gff3', '99-ts-same-strand.fna'),
  },
  {
    files: ['82-gpad20.gpad'],
    right: { P70001: false, P70002: true, P70003: true, P70004: true },
    authority: "GPAD 2.0: Negation ::= 'NOT'",
    found: () => signs(readGpad(given('82-gpad20.gpad'))),
  },
  {
    files: ['50-proteins.fasta', '51-variants.gaf'],
    ...{ right: ['P70002', 'P70003', 'P70004'], authority: 'GAF 2.2: NOT in column 4' },
    found: async () => {
      const names = new Set(parseFasta(given('50-proteins.fasta')).map(({ accession }) => accession));
      const found = Object.entries(await signs(readGaf(given('51-variants.gaf'))));
      return found.filter(([name, isNegated]) => isNegated && names.has(name)).map(([name]) => name);
    },
  },
  {
    files: ['60-toy.obo'],
    right: ['GO:0008150 is_a'],
    authority: 'OBO 1.4, 5.2.2: a line with gci_relation holds in its context alone',
    found: () =>
      parseObo(given('60-toy.obo'))
        .terms.find(({ id }) => id === 'GO:0000004')
        ?.parents.map(({ id, relation }) => `${id} ${relation}`),
  },
  list('61-accessions-header.txt', two),
  list('62-accessions-version.txt', two),
  list('63-accessions-prefix.txt', ['P70001']),
  list('66-quoted.txt', two),
  ...[
    ['131-b2g.annot', 'Blast2GO'],
    ['132-emapper.annotations', 'eggNOG-mapper'],
  ].map(
    ([file, program]): Case => ({
      ...{ files: [file], right: expect.stringContaining(program), authority: `the format of ${program}` },
      found: () => refusal(file),
    }),
  ),
  {
    files: ['142-gaf-collision.fasta'],
    right: { ids: 3, names: ['X/1-90', 'X_1-90', 'X|1-90'], rows: 3 },
    authority: 'GAF 2.2: columns 1 and 2 are one object',
    found: () => {
      const names = parseFasta(given('142-gaf-collision.fasta')).map(({ accession }) => accession);
      const ids = names.map(objectId);
      const rows = names.filter((name) => rowOf(name).includes(name));
      return { ids: new Set(ids).size, names: ids.map(nameOfObject), rows: rows.length };
    },
  },
];

describe('given inputs', () => {
  it.each(cases.map((one) => [one.files.join(' '), one.authority, one] as const))(
    '%s: right by %s',
    async (_files, _authority, one) => {
      expect(await one.found()).toEqual(one.right);
    },
  );

  it('are all in the table, or in a test of the server', () => {
    const ofServer = /^14[01345]-/;
    const listed = new Set(cases.flatMap(({ files }) => files));
    const files = readdirSync(folder).filter((name) => /^(\d|genome)/.test(name) && !ofServer.test(name));
    expect(files.filter((name) => !listed.has(name))).toEqual([]);
  });
});
