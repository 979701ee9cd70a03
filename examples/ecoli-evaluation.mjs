// Measures how good the predictions are, by a temporal holdout on two real proteomes, through the HTTP API alone: what E. coli proteins
// gained by experiments between March 2020 and November 2022, predicted from what E. coli and yeast had in 2020, by the built-in
// embedding and by the baselines that every method should beat.
//
//   node examples/ecoli-evaluation.mjs --shared <folder> --import-dir <folder> [--out <folder>] [--resamples 1000] \
//     [--url <address> --api-key <key>]
//
// Without --url, the script uses the service that runs on SVC_DATA_DIR (default ./data). --import-dir is the service's SVC_IMPORT_DIR.
// Figures with their intervals and the paired differences to sequence similarity are written to ecoli-evaluation.json in --out. A second
// run finds everything loaded.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { apiClient, formatTable, serviceOf, serviceOptions } from './client.mjs';

const { values: options } = parseArgs({
  options: {
    ...serviceOptions,
    shared: { type: 'string' },
    'import-dir': { type: 'string' },
    out: { type: 'string', default: '.' },
    resamples: { type: 'string', default: '1000' },
  },
});
if (options.shared === undefined || options['import-dir'] === undefined) {
  console.error(
    'Give --shared (the folder with data/ecoli-k12, data/yeast, data/ontology) and --import-dir (SVC_IMPORT_DIR).',
  );
  process.exit(64);
}
const client = apiClient(serviceOf(options));
const data = (...parts) => join(options.shared, 'data', ...parts);
const ecoli2020 = data('ecoli-k12', '18.E_coli_MG1655.2020-03-03.gaf.gz');
const ecoli2022 = data('ecoli-k12', '18.E_coli_MG1655.2022-11-12.gaf.gz');
const yeast2020 = data('yeast', '71242.S_cerevisiae_ATCC_204508.2020-03-03.gaf.gz');
const experimental = new Set('EXP IDA IPI IMP IGI IEP HTP HDA HMP HGI HEP IC TAS'.split(' '));
const categories = ['NK', 'LK', 'PK'];
const aspects = ['BPO', 'MFO', 'CCO'];

const stage = (path) => {
  const target = join(options['import-dir'], basename(path));
  rmSync(target, { force: true });
  copyFileSync(path, target);
  return pathToFileURL(target).href;
};

/** Writes the rows of both files of 2020 that rest on experiments or on a curator's statement, as one GAF. */
function writeReference() {
  const kept = [ecoli2020, yeast2020]
    .flatMap((path) => gunzipSync(readFileSync(path)).toString('utf8').split('\n'))
    .filter((line) => line !== '' && !line.startsWith('!') && experimental.has(line.split('\t')[6]));
  const path = join(options['import-dir'], 'reference-experimental-2020-03-03.gaf.gz');
  writeFileSync(path, gzipSync(`!gaf-version: 2.1\n${kept.join('\n')}\n`));
  return pathToFileURL(path).href;
}

async function loadAnnotations(snapshotId, url) {
  const gaf = { gaf_url: url, ontology_snapshot_id: snapshotId, source_version: basename(url) };
  return (await client.queue('/v1/annotations/sets/load-goa', gaf)).result.annotation_set_id;
}

async function loadAll() {
  const ontology = stage(data('ontology', 'go-2022-07-01.obo.gz'));
  const snapshot = await client.queue('/v1/annotations/snapshots/load', { obo_url: ontology });
  const snapshotId = snapshot.result.ontology_snapshot_id;
  for (const path of [
    data('ecoli-k12', 'UP000000625_83333.fasta.gz'),
    data('yeast', 'yeast_swissprot_2025-10-27.fasta.gz'),
  ])
    await client.run('insert_proteins', 'svc.jobs', { fasta_url: stage(path) });
  const old = await loadAnnotations(snapshotId, stage(ecoli2020));
  const later = await loadAnnotations(snapshotId, stage(ecoli2022));
  const reference = await loadAnnotations(snapshotId, writeReference());
  return { snapshotId, old, later, reference };
}

async function embedProteins() {
  const recipe = { model_name: 'kmer-1024', model_backend: 'kmer' };
  const known = (await client.get('/v1/embeddings/configs')).find(
    (config) => config.model_name === recipe.model_name && config.model_backend === recipe.model_backend,
  );
  const { id } = known ?? (await client.post('/v1/embeddings/configs', recipe));
  await client.run('compute_embeddings', 'svc.embeddings', { embedding_config_id: id });
  return id;
}

/** Makes the holdout: the proteins that gained terms, and the number of each category. */
async function holdout(loaded) {
  const pair = { old_annotation_set_id: loaded.old, new_annotation_set_id: loaded.later };
  const { result } = await client.queue('/v1/annotations/evaluation-sets/generate', pair);
  const id = result.evaluation_set_id;
  const fasta = await client.text(`/v1/annotations/evaluation-sets/${id}/delta-proteins.fasta`);
  const targets = fasta
    .split('\n')
    .filter((line) => line.startsWith('>'))
    .map((line) => line.slice(1).split(/\s/)[0]);
  const { stats } = await client.get(`/v1/annotations/evaluation-sets/${id}`);
  return { id, targets, stats };
}

/** Returns the prediction sets by the name of their method, the baselines first. */
async function predictAll(loaded, embeddingConfigId, targets) {
  const frame = { ontology_snapshot_id: loaded.snapshotId, query_accessions: targets };
  const baseline = async (method, annotation_set_id) =>
    (await client.run('predict_baseline', 'svc.predictions', { method, annotation_set_id, ...frame })).result;
  const neighbours = async (more) =>
    (
      await client.queue('/v1/embeddings/predict', {
        embedding_config_id: embeddingConfigId,
        annotation_set_id: loaded.reference,
        ...frame,
        ...more,
      })
    ).result.prediction_set_id;
  const votes = async (prediction_set_id, weights) =>
    (await client.run('rescore_by_votes', 'svc.predictions', { prediction_set_id, weights })).result;
  const fifty = await neighbours({ limit_per_entry: 50, compute_alignments: true });
  return {
    naive: (await baseline('naive', loaded.reference)).prediction_set_id,
    'own electronic annotations of 2020': (await baseline('non_experimental_annotations', loaded.old))
      .prediction_set_id,
    'sequence similarity': (await baseline('sequence_similarity', loaded.reference)).prediction_set_id,
    'kmer-1024, nearest of 5': await neighbours({}),
    'kmer-1024, votes of 50 by distance': (await votes(fifty, 'distance')).prediction_set_id,
    'kmer-1024, votes of 50 by alignment': (await votes(fifty, 'alignment')).prediction_set_id,
  };
}

async function evaluate(evaluationSetId, predictionSetId) {
  const payload = { prediction_set_id: predictionSetId, resamples: Number(options.resamples) };
  const { result } = await client.queue(`/v1/annotations/evaluation-sets/${evaluationSetId}/run`, payload);
  const path = `/v1/annotations/evaluation-sets/${evaluationSetId}/results/${result.evaluation_result_id}`;
  return { path, ...(await client.get(path)) };
}

mkdirSync(options['import-dir'], { recursive: true });
mkdirSync(options.out, { recursive: true });
const loaded = await loadAll();
const embeddingConfigId = await embedProteins();
const { id, targets, stats } = await holdout(loaded);
const sets = await predictAll(loaded, embeddingConfigId, targets);
const results = {};
for (const [method, predictionSetId] of Object.entries(sets))
  results[method] = await evaluate(id, predictionSetId);

const rival = results['sequence similarity'];
const figures = [];
for (const [method, result] of Object.entries(results)) {
  const differences =
    result === rival ? {} : (await client.get(`${result.path}/compare?with=${rival.id}`)).differences;
  for (const category of categories) {
    for (const aspect of aspects) {
      const interval = result.intervals?.[category]?.[aspect]?.fmax;
      const difference = differences[category]?.[aspect]?.fmax;
      figures.push({
        method,
        category,
        aspect,
        fmax: result.results[category]?.[aspect]?.fmax ?? null,
        fmax_w: result.results[category]?.[aspect]?.fmax_w ?? null,
        proteins: result.results[category]?.[aspect]?.n_proteins ?? null,
        interval: interval === undefined ? null : [interval.low, interval.high],
        difference:
          difference === undefined ? null : [difference.difference, difference.low, difference.high],
      });
    }
  }
}

const cell = (method, category, aspect) =>
  figures.find((row) => row.method === method && row.category === category && row.aspect === aspect);
const words = ({ fmax, interval, difference }) => {
  if (fmax === null) return '-';
  const sure =
    difference !== null && difference[1] > 0 ? '+' : difference !== null && difference[2] < 0 ? '-' : ' ';
  return `${fmax.toFixed(3)}${sure}${interval === null ? '' : ` ${interval[0].toFixed(2)}-${interval[1].toFixed(2)}`}`;
};
const header = ['Fmax, 95 % interval', ...categories.flatMap((c) => aspects.map((a) => `${c} ${a}`))];
const rows = Object.keys(results).map((method) => [
  method,
  ...categories.flatMap((c) => aspects.map((a) => words(cell(method, c, a)))),
]);
console.log(
  `${targets.length} proteins: NK ${stats.nk_proteins}, LK ${stats.lk_proteins}, PK ${stats.pk_proteins}`,
);
console.log(formatTable([header, ...rows]));
console.log('+ and -: above and below sequence similarity in 95 % of the paired resamples');
const wins = Object.keys(results).map((method) => {
  const above = figures.filter(
    (row) =>
      row.method === method && row.fmax > (cell('sequence similarity', row.category, row.aspect).fmax ?? 0),
  );
  return [method, above.length];
});
for (const [method, count] of wins) console.log(`${method}: above sequence similarity in ${count} of 9`);
writeFileSync(
  join(options.out, 'ecoli-evaluation.json'),
  `${JSON.stringify({ evaluation_set_id: id, targets: targets.length, stats, figures, above: Object.fromEntries(wins) }, null, 1)}\n`,
);
