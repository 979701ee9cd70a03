// Writes every export of 50,000 proteins (or of the given number) with five terms each. The code is that of the service's downloads,
// without a database. Run it with a small heap (--max-old-space-size), in which a writer that keeps its rows runs out of memory.
import { createWriteStream } from 'node:fs';
import { devNull } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportFormatNames, isBinaryFormat } from '../../packages/contracts/dist/resources/exports.js';
import { exported } from '../../apps/server/dist/http/routes/exports/formats.js';
import { parquetTable, parquetWideTable } from '../../apps/server/dist/http/routes/exports/parquet.js';
import { workbook } from '../../apps/server/dist/http/routes/exports/workbook.js';
import { query, term } from './formats-rows.mjs';

const proteins = Number(process.argv[2] ?? 50_000);
const proteinsPerPage = 100;
const terms = Array.from({ length: 5 }, (_, at) => `GO:${String(1000 + at).padStart(7, '0')}`);

const row = (protein, goId, at) =>
  term(protein, goId, 'PFC'[at % 3], {
    query_taxonomy_id: 83333,
    term_rank: at + 1,
    answer_rank: at + 1,
    score: 0.5,
    probability: 0.5,
    probability_low: 0.4,
    probability_high: 0.6,
    identity_sw: 0.5,
    distance: 0.5,
    source_kind: 'protein',
    source_id: 'P0A7B8',
    evidence_code: 'IDA',
    source_identity: 0.5,
    similar_proteins: 50,
    supporters: 5,
  });
function answer(number) {
  const accession = `protein-${number}`;
  return {
    query: query(accession),
    known: null,
    names: { protein_name: null, gene_name: null, organism: null },
    predicted_name: null,
    taxonId: null,
    reference: null,
    leftOut: 0,
    terms: terms.map((goId, at) => row(accession, goId, at)),
  };
}
async function* pages() {
  for (let first = 0; first < proteins; first += proteinsPerPage)
    yield Array.from({ length: proteinsPerPage }, (_, at) => answer(first + at));
}
const file = {
  database: 'local',
  taxonId: 32644,
  reference: 'KINDRED_REF:0000001',
  method: 'combined',
  date: '20261122',
  assignedBy: 'Kindred',
  ownReference: 'KINDRED_REF:0000009',
  sequenceReference: 'KINDRED_REF:0000010',
  ownAssignedBy: 'goa',
  header: [['generated-by', 'Kindred']],
  complexes: new Set(),
  implied: (goIds) => [...goIds],
  nameOf: async (goIds) => goIds.map((go_id) => ({ go_id, name: `name of ${go_id}` })),
};

let largest = 0;
async function* counted(stream) {
  for await (const chunk of stream) {
    largest = Math.max(largest, process.memoryUsage.rss());
    yield chunk;
  }
}
const binary = {
  xlsx: () => workbook(pages, file),
  parquet: () => Readable.from(parquetTable(pages(), file)),
  parquet_wide: () => Readable.from(parquetWideTable(pages(), file)),
};
for (const format of exportFormatNames) {
  const stream = isBinaryFormat(format) ? binary[format]() : Readable.from(exported(format, pages(), file));
  await pipeline(counted(stream), createWriteStream(devNull));
}
console.log(
  `formats: ${proteins} proteins in ${exportFormatNames.length} formats, largest process ${(largest / 2 ** 20).toFixed(0)} MiB`,
);
