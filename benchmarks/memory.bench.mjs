// Memory of each process of the service while it loads a GAF of 10 million rows and predicts 50,000 queries, through the API alone.
// Usage: node benchmarks/memory.bench.mjs [millions of GAF rows] [thousands of queries]
// Ends with code 1 when a process needs 1.5 GB or more.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { rowsPerCopy, writeFasta, writeGaf } from './loading-data.mjs';
import { follow, processesOf } from './service-processes.mjs';
import { startService } from './service.mjs';

const limitMiB = 1.5e9 / 2 ** 20;
const proteinsPerCopy = 4000;
const [millions = 10, thousands = 50] = process.argv.slice(2).map(Number);

/** A FASTA of `count` query sequences: residues of the example proteins changed. */
async function queries(folder, count) {
  const path = join(folder, 'queries.fasta.gz');
  await writeFasta(path, Math.ceil(count / proteinsPerCopy) + 1);
  // The first copy is the example set itself: every query is a changed one.
  const records = gunzipSync(readFileSync(path)).toString('latin1').slice(1).split('\n>');
  const wanted = records.slice(proteinsPerCopy, proteinsPerCopy + count);
  return new Blob([`>${wanted.join('\n>')}\n`]);
}

const number = (n) => n.toLocaleString('en');
const peaksSoFar = {};
function report(what, count, { seconds, peaks }) {
  for (const [role, peak] of Object.entries(peaks)) peaksSoFar[role] = Math.max(peaksSoFar[role] ?? 0, peak);
  const shown = Object.entries(peaks).map(([role, peak]) => `${role} ${Math.round(peak)}`);
  console.log(
    `${what.padEnd(28)} ${number(count).padStart(11)}  ${seconds.toFixed(1).padStart(7)} s   peak MiB: ${shown.join(', ')}`,
  );
}

async function predict(api, watch, folder) {
  const file = await queries(folder, thousands * 1000);
  const form = new FormData();
  form.set('name', 'memory benchmark');
  form.set('file', file, 'queries.fasta');
  const upload = await watch.measure(() => api.upload('/v1/query-sets', form));
  report('upload of queries', upload.value.entry_count, upload);
  const [[config], [set]] = await Promise.all(
    ['/v1/embeddings/configs', '/v1/annotations/sets'].map((path) => api.json(path)),
  );
  const about = { embedding_config_id: config.id, query_set_id: upload.value.id };
  const job = { operation: 'compute_embeddings', queue_name: 'svc.embeddings', payload: about };
  report('embedding', upload.value.entry_count, await watch.measure(() => api.run('/v1/jobs', job)));
  const payload = {
    ...about,
    annotation_set_id: set.id,
    ontology_snapshot_id: set.ontology_snapshot_id,
  };
  const predicted = await watch.measure(() => api.run('/v1/embeddings/predict', payload));
  report('prediction', upload.value.entry_count, predicted);
  for (const name of ['predictions.tsv', 'predictions-cafa.tsv']) {
    const path = `/v1/embeddings/prediction-sets/${predicted.value.prediction_set_id}/${name}`;
    const read = await watch.measure(() => api.lines(path));
    report(`reading ${name}`, read.value, read);
  }
}

async function load(api, watch, folder) {
  const copies = Math.max(1, Math.ceil((millions * 1e6) / rowsPerCopy));
  const [fasta, gaf] = ['large.fasta.gz', 'large.gaf.gz'].map((name) => join(folder, name));
  await writeFasta(fasta, copies);
  await writeGaf(gaf, copies);
  const insert = { fasta_url: pathToFileURL(fasta).href };
  const job = { operation: 'insert_proteins', queue_name: 'svc.jobs', payload: insert };
  const proteins = await watch.measure(() => api.run('/v1/jobs', job));
  report('proteins', copies * proteinsPerCopy, proteins);
  const [snapshot] = await api.json('/v1/annotations/snapshots');
  const payload = {
    gaf_url: pathToFileURL(gaf).href,
    ontology_snapshot_id: snapshot.id,
    source_version: 'memory benchmark',
  };
  const rows = await watch.measure(() => api.run('/v1/annotations/sets/load-goa', payload));
  report('annotations', rows.value.annotations_inserted, rows);
}

async function main() {
  if (process.platform !== 'linux')
    return console.log('The memory of processes is read from /proc: Linux alone.');
  const folder = mkdtempSync(join(tmpdir(), 'kindred-memory-'));
  const [dataDir, files] = ['data', 'files'].map((name) => join(folder, name));
  mkdirSync(files);
  const service = await startService(dataDir, files);
  try {
    const watch = follow(processesOf(service.pid, dataDir));
    await predict(service.api, watch, files);
    await load(service.api, watch, files);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const tooLarge = Object.entries(peaksSoFar).filter(([, peak]) => peak >= limitMiB);
  console.log(
    `limit ${Math.round(limitMiB)} MiB: ${tooLarge.length === 0 ? 'kept by every process' : `exceeded by ${tooLarge.map(([role]) => role).join(', ')}`}`,
  );
  process.exitCode = tooLarge.length === 0 ? 0 : 1;
}

await main();
