// Times reading FASTA, GAF and OBO beside the least that any reader must do with the same bytes: unpack and split.
//   node benchmarks/formats.bench.mjs [rounds]
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGunzip, gunzipSync } from 'node:zlib';
import { parseFasta, readGaf } from '@kindred/kernels/formats';
import { OntologyGraph, parseObo } from '@kindred/kernels/ontology';
import { keep as keepFigure } from './figures.mjs';

const rounds = Number(process.argv[2] ?? 5);
const example = (name) => join(fileURLToPath(new URL('../examples/', import.meta.url)), name);

/** Returns the median milliseconds of `rounds` runs after one that is not counted. */
async function median(run) {
  await run();
  const times = [];
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[rounds >> 1];
}

async function compare(name, bytes, baseline, run) {
  const [base, ours] = [await median(baseline), await median(run)];
  keepFigure('times the baseline', base / ours, { what: name });
  const speed = (ms) => `${(bytes / 1000 / ms).toFixed(0).padStart(5)} MB/s`;
  console.log(
    `${name.padEnd(34)} ${speed(ours)}  baseline ${speed(base)}  ratio ${(base / ours).toFixed(2)}`,
  );
}

function* chunks(bytes, size = 65536) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
async function drain(batches) {
  let count = 0;
  for await (const { records } of batches) count += records.length;
  return count;
}
const splitLines = (bytes) => bytes.toString('utf8').split('\n');
const splitCells = (bytes) => splitLines(bytes).map((line) => line.split('\t'));

console.log(`median of ${rounds} rounds, one thread, examples/; a ratio above 1 is faster than the baseline`);
const gafFile = example('reference.gaf.gz');
const gaf = gunzipSync(readFileSync(gafFile));
const keep = (accession) => accession === 'P04637';
await compare(
  'GAF, unpacked: all rows',
  gaf.length,
  () => splitCells(gaf),
  () => drain(readGaf(chunks(gaf))),
);
await compare(
  'GAF, unpacked: rows of one protein',
  gaf.length,
  () => splitCells(gaf),
  () => drain(readGaf(chunks(gaf), { keep })),
);
await compare(
  'GAF, packed, as a stream',
  gaf.length,
  () => splitCells(gunzipSync(readFileSync(gafFile))),
  () => drain(readGaf(createReadStream(gafFile).pipe(createGunzip({ chunkSize: 65536 })))),
);
const fasta = gunzipSync(readFileSync(example('reference.fasta.gz')));
await compare(
  'FASTA',
  fasta.length,
  () => splitLines(fasta),
  () => parseFasta(fasta),
);
const obo = gunzipSync(readFileSync(example('go-basic-2022-07-01.obo.gz')));
await compare(
  'OBO',
  obo.length,
  () => splitLines(obo),
  () => parseObo(obo),
);
const document = parseObo(obo);
const graphMs = await median(() => OntologyGraph.fromDocument(document));
const closureMs = await median(() => OntologyGraph.fromDocument(document).ancestorClosure());
console.log(
  `ontology graph of ${document.terms.length} terms ${graphMs.toFixed(0)} ms, with its closure ${closureMs.toFixed(0)} ms`,
);
