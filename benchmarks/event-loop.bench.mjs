// Measures the longest time that the event loop of the API is held up while a prediction runs, a FASTA of 50 MiB is uploaded and large
// downloads are read, all at once.
//
//   node benchmarks/event-loop.bench.mjs [MiB of FASTA] [seconds] [proteins in a record]
//
// With 3 proteins in a record (the default) 50 MiB are about 43,000 records, below the usual limit of 50,000; with 1 they are
// 130,000, and the limit is raised.
//
// The exit code is 1 if the main thread of the API computed for more than 50 ms in one turn.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { keep } from './figures.mjs';
import { writeFasta } from './loading-data.mjs';
import { startService } from './service.mjs';

const [mebibytes = 49.5, seconds = 60, proteinsInRecord = 3] = process.argv.slice(2).map(Number);
const limitMs = 50;

/** Writes a FASTA of about this number of bytes, of changed example proteins, several in a row as one record. */
async function fasta(folder, bytes) {
  const path = join(folder, 'large.fasta.gz');
  await writeFasta(path, 40);
  const records = gunzipSync(readFileSync(path)).toString('latin1').slice(1).split('\n>');
  let text = '';
  for (let at = 0; at < records.length && text.length < bytes; at += proteinsInRecord) {
    const [first, ...more] = records.slice(at, at + proteinsInRecord);
    text += `>${[first, ...more.map((record) => record.slice(record.indexOf('\n') + 1))].join('\n').trimEnd()}\n`;
  }
  return new Blob([text]);
}

function formOf(name, file) {
  const form = new FormData();
  form.set('name', name);
  form.set('file', file, 'queries.fasta');
  return form;
}

/** Returns the gaps of the event loops by role, those that computed longest first. */
function gapsOf(folder) {
  const found = {};
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    const { role, longest, maxMs } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    found[role] = { maxMs, longest };
  }
  return found;
}

/** Runs the work, and prints the gaps of the API's loop meanwhile. */
async function during(what, probes, work) {
  const from = Date.now();
  await work();
  await new Promise((resolve) => setTimeout(resolve, 400));
  const gaps = gapsOf(probes).http.longest.filter(({ at }) => at >= from);
  const most = (key) => Math.max(0, ...gaps.map((gap) => gap[key]));
  console.log(
    `${what.padEnd(44)} longest turn ${most('ownMs').toFixed(1).padStart(6)} ms of processor time, ${most('wallMs').toFixed(1).padStart(7)} ms of wall time`,
  );
  return most('ownMs');
}

/** Makes the configuration, the queries with their vectors, and the files for the later steps. */
async function prepare({ api }, files) {
  const [[config], [set]] = await Promise.all(
    ['/v1/embeddings/configs', '/v1/annotations/sets'].map((path) => api.json(path)),
  );
  const large = await fasta(files, mebibytes * 2 ** 20);
  const small = await fasta(files, 2 ** 18);
  const queries = await api.upload('/v1/query-sets', formOf('small', small));
  const payload = { embedding_config_id: config.id, query_set_id: queries.id };
  await api.run('/v1/jobs', { operation: 'compute_embeddings', queue_name: 'svc.embeddings', payload });
  const about = { ...payload, annotation_set_id: set.id, ontology_snapshot_id: set.ontology_snapshot_id };
  return {
    large,
    predict: () =>
      api.run('/v1/embeddings/predict', { ...about, limit_per_entry: 20, compute_alignments: true }),
    upload: () => api.upload('/v1/query-sets', formOf('large', large)),
    snapshotId: set.ontology_snapshot_id,
  };
}

/** Measures the longest turn of each kind of work, and of all at once. */
async function measure(service, files, probes) {
  const { large, predict, upload, snapshotId } = await prepare(service, files);
  let set;
  const turns = [await during('prediction', probes, async () => void (set = await predict()))];
  const base = `/v1/embeddings/prediction-sets/${set.prediction_set_id}`;
  const names = ['predictions.tsv', 'predictions-cafa.tsv', 'predictions.tsv'];
  const downloads = () => Promise.all(names.map((name) => service.api.lines(`${base}/${name}`)));
  turns.push(await during('three downloads at once', probes, downloads));
  await service.api.call('/v1/scoring/configs/presets', { method: 'POST' });
  const byVectorsAlone = ({ weights }) =>
    Object.entries(weights).every(([signal, weight]) => weight === 0 || signal === 'embedding_similarity');
  const recipe = (await service.api.json('/v1/scoring/configs')).find(byVectorsAlone);
  const scores = `/v1/scoring/prediction-sets/${set.prediction_set_id}/score.tsv?scoring_config_id=${recipe.id}`;
  turns.push(await during('score.tsv', probes, () => service.api.lines(scores)));
  let uploaded;
  turns.push(
    await during(
      `upload of ${(large.size / 2 ** 20).toFixed(1)} MiB of FASTA`,
      probes,
      async () => void (uploaded = await upload()),
    ),
  );
  const { id, entry_count } = uploaded;
  const entries = () => service.api.lines(`/v1/query-sets/${id}`);
  turns.push(await during(`reading its ${entry_count} entries`, probes, entries));
  const terms = () => service.api.lines(`/v1/annotations/snapshots/${snapshotId}`);
  turns.push(await during('reading all terms of the ontology', probes, terms));
  const end = Date.now() + seconds * 1000;
  const again = async (work) => {
    do await work();
    while (Date.now() < end);
  };
  const all = () => Promise.all([predict, downloads, upload].map(again));
  turns.push(await during('all of it at once', probes, all));
  return turns;
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-loop-'));
  const [dataDir, files, probes] = ['data', 'files', 'probes'].map((name) => join(folder, name));
  for (const path of [files, probes]) mkdirSync(path);
  const probe = new URL('./event-loop-probe.mjs', import.meta.url).href;
  const service = await startService(dataDir, files, {
    SVC_LOAD_EXAMPLES: 'small',
    NODE_OPTIONS: `--import ${probe}`,
    KINDRED_PROBE_FOLDER: probes,
    ...(proteinsInRecord < 3 ? { SVC_MAX_SEQUENCES: '1000000' } : {}),
  });
  try {
    const turns = await measure(service, files, probes);
    const { http, ...others } = gapsOf(probes);
    console.log(`histogram of the API: ${http.maxMs.toFixed(1)} ms at most since its start`);
    for (const [role, { longest }] of Object.entries(others))
      console.log(`${role}: longest turn ${(longest[0]?.ownMs ?? 0).toFixed(1)} ms of processor time`);
    keep('longest turn, milliseconds', Math.max(...turns));
    process.exitCode = Math.max(...turns) > limitMs ? 1 : 0;
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
