// Writes every export of three proteins into a folder, by the same code as the service's downloads, without a database.
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { exported } from '../../apps/server/dist/http/routes/exports/formats.js';
import { exportFormatNames, isBinaryFormat } from '../../packages/contracts/dist/resources/exports.js';
import { turtleHeader, turtleTermName } from '../../packages/kernels/dist/formats/index.js';
import { roCrate } from '../../apps/server/dist/cli/proteome/crate.js';
import { parquetTable, parquetWideTable } from '../../apps/server/dist/http/routes/exports/parquet.js';
import { workbook } from '../../apps/server/dist/http/routes/exports/workbook.js';
import { decorate } from '../../apps/server/dist/cli/feature-annotations.js';
import { query, term } from './formats-rows.mjs';

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });

const names = { protein_name: null, gene_name: null, organism: null };
const pages = [
  [
    {
      query: query('P12345-2'),
      known: null,
      names,
      predicted_name: null,
      taxonId: null,
      reference: 'yeast 2026-01',
      leftOut: 2,
      terms: [
        term('P12345-2', 'GO:0005515', 'F', {
          query_taxonomy_id: 83333,
          probability: 0.9,
          source_kind: 'protein',
          source_id: 'P0A7B8',
          evidence_code: 'IDA',
        }),
        term('P12345-2', 'GO:0008150', 'P', { source_kind: 'interpro_entry', source_id: 'IPR000003' }),
        term('P12345-2', 'GO:0032991', 'C', { source_kind: 'own_annotation', source_id: 'P12345' }),
      ],
    },
    {
      query: query('my;gene,1|x=%'),
      known: null,
      names,
      predicted_name: null,
      taxonId: null,
      reference: null,
      leftOut: 0,
      terms: [term('my;gene,1|x=%', 'GO:0003674', 'F')],
    },
  ],
  [
    {
      query: query('empty', { no_answer: 'too_short' }),
      known: null,
      names,
      predicted_name: null,
      taxonId: null,
      reference: null,
      leftOut: 0,
      terms: [],
    },
  ],
];
const file = {
  run: '00000000-0000-4000-8000-000000000001',
  database: 'local',
  taxonId: 32644,
  reference: 'KINDRED_REF:0000001',
  method: 'combined',
  date: '20261122',
  assignedBy: 'Kindred',
  ownReference: 'KINDRED_REF:0000009',
  sequenceReference: 'KINDRED_REF:0000010',
  ownAssignedBy: 'goa',
  header: [
    ['generated-by', 'Kindred'],
    ['date-generated', '2026-11-22'],
  ],
  complexes: new Set(['GO:0032991']),
  implied: (goIds) => [...goIds, 'GO:0005488'],
  nameOf: async (goIds) => goIds.map((go_id) => ({ go_id, name: `name of ${go_id}` })),
};
async function* inPages() {
  yield* pages;
}
for (const format of exportFormatNames.filter((name) => !isBinaryFormat(name))) {
  let text = '';
  for await (const part of exported(format, inPages(), file)) text += part;
  writeFileSync(join(folder, `x.${format}`), text);
}
writeFileSync(join(folder, 'x.xlsx'), await buffer(workbook(inPages, file)));
writeFileSync(join(folder, 'x.parquet'), await buffer(parquetTable(inPages(), file)));
writeFileSync(join(folder, 'x.wide.parquet'), await buffer(parquetWideTable(inPages(), file)));
const letters = [...Array(0x250).keys(), 0x2028, 0xfeff, 0xffff, 0x1f9ec];
writeFileSync(
  join(folder, 'escapes.ttl'),
  turtleHeader(file, file.run) +
    letters
      .map((code, at) =>
        turtleTermName(`GO:${String(at).padStart(7, '0')}`, `a${String.fromCodePoint(code)}b`),
      )
      .join(''),
);

const genome = [
  '##gff-version 3',
  'chr1\tRefSeq\tgene\t100\t900\t.\t+\t.\tID=gene1;Name=thrA',
  'chr1\tRefSeq\tCDS\t100\t300\t.\t+\t0\tID=cds-P12345-2;Parent=gene1;protein_id=P12345-2.1;Note=mine',
  'chr1\tRefSeq\tCDS\t500\t900\t.\t+\t0\tID=cds-P12345-2;Parent=gene1;protein_id=P12345-2.1;Note=mine',
  '###',
  'chr1\tRefSeq\tCDS\t1000\t1300\t.\t-\t0\tID=cds2;locus_tag=my%3Bgene%2C1|x%3D%25;product=a protein',
  '##FASTA',
  '>chr1',
  'ACGT'.repeat(400),
].map((line) => `${line}\n`);
writeFileSync(join(folder, 'genome.gff3'), genome.join(''));
const answers = [
  {
    accession: 'P12345-2',
    protein_name: 'Kinase; a, b & c = 100%',
    predicted_name: null,
    known: { accession: 'P12345', terms: [] },
    terms: [
      {
        go_id: 'GO:0005515',
        name: 'binding, tight',
        aspect: 'F',
        score: 0.1,
        probability: 0.9,
        is_known: false,
      },
      { go_id: 'GO:0008150', name: 'process', aspect: 'P', score: 0.1, probability: 0.5, is_known: false },
    ],
  },
  {
    accession: 'my;gene,1|x=%',
    protein_name: 'mine',
    predicted_name: { name: 'putative a; b=c, d' },
    known: null,
    terms: [],
  },
];
await decorate(
  join(folder, 'genome.gff3'),
  answers.map((answer) => Buffer.from(`${JSON.stringify(answer)}\n`)),
  createWriteStream(join(folder, 'decorated.gff3')),
);

const crate = join(folder, 'crate');
mkdirSync(crate, { recursive: true });
writeFileSync(join(crate, 'terms.gaf'), 'a line\n');
writeFileSync(join(crate, 'report.html'), '<p>ä</p>\n');
const run = {
  name: 'Terms of the proteins of my proteome.faa',
  created: '2026-11-22T12:00:00.000Z',
  inputs: [{ name: 'my proteome.faa', sha256: 'a'.repeat(64), description: 'Proteins' }],
  parameters: [['Ontology', 'releases/2026-01-01']],
  outputs: [
    { name: 'terms.gaf', description: 'Terms as GAF 2.2', mediaType: 'text/plain' },
    { name: 'report.html', description: 'For people', mediaType: 'text/html' },
  ],
};
writeFileSync(join(crate, 'ro-crate-metadata.json'), await roCrate(crate, run));
