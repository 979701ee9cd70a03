// Leads from real annotations to a re-ranker and what it gains, through the HTTP API alone: a dataset of one temporal holdout (yeast,
// 2018 to 2020), a model trained outside (train.py), its registration, and the evaluation of its scores on another holdout of another
// organism (E. coli, 2020 to 2022).
//
//   node examples/train-reranker/chain.mjs prepare --shared <folder> --import-dir <folder> --out <folder> [--url <address> --api-key <key>]
//   python examples/train-reranker/train.py <out>/dataset <out>/model
//   node examples/train-reranker/chain.mjs apply --out <folder> [--resamples 1000] [--url <address> --api-key <key>]
//
// Without --url, the script uses the service that runs on SVC_DATA_DIR (default ./data). --import-dir is the service's SVC_IMPORT_DIR.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { apiClient, formatTable, serviceOf, serviceOptions } from '../client.mjs';
import { writeWindows } from './windows.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...serviceOptions,
    shared: { type: 'string' },
    'import-dir': { type: 'string' },
    out: { type: 'string', default: '.' },
    name: { type: 'string', default: 'yeast-2018-2020' },
    model: { type: 'string' },
    resamples: { type: 'string', default: '1000' },
  },
});
const service = serviceOf(options);
const client = apiClient(service);
const stateFile = join(options.out, 'chain.json');
const features = { compute_alignments: true, compute_reranker_features: true };

async function prepare() {
  const data = (...parts) => join(options.shared, 'data', ...parts);
  const stage = (path) => {
    const target = join(options['import-dir'], basename(path));
    // The old copy is removed, because the copy of a read-only file is read-only, and a second run can't write over it.
    rmSync(target, { force: true });
    copyFileSync(path, target);
    return pathToFileURL(target).href;
  };
  mkdirSync(options['import-dir'], { recursive: true });
  const { result } = await client.queue('/v1/annotations/snapshots/load', {
    obo_url: stage(data('ontology', 'go-2022-07-01.obo.gz')),
  });
  const snapshotId = result.ontology_snapshot_id;
  const proteomes = [
    data('ecoli-k12', 'UP000000625_83333.fasta.gz'),
    data('yeast', 'yeast_swissprot_2025-10-27.fasta.gz'),
  ];
  for (const path of proteomes) await client.run('insert_proteins', 'svc.jobs', { fasta_url: stage(path) });
  const windows = {};
  for (const [name, { old, later }] of Object.entries(writeWindows(data, options['import-dir']))) {
    const pair = {
      old_annotation_set_id: await annotations(old, snapshotId),
      new_annotation_set_id: await annotations(later, snapshotId),
    };
    const made = await client.queue('/v1/annotations/evaluation-sets/generate', pair);
    windows[name] = { ...pair, evaluation_set_id: made.result.evaluation_set_id };
    console.log(name, JSON.stringify(await statistics(made.result.evaluation_set_id)));
  }
  const embeddingConfigId = await embed();
  const { result: exported } = await client.queue('/v1/datasets', {
    name: options.name,
    embedding_config_id: embeddingConfigId,
    train_evaluation_set_ids: [windows.train.evaluation_set_id],
    eval_evaluation_set_id: windows.eval.evaluation_set_id,
    ...features,
  });
  await download(options.name);
  const state = {
    snapshotId,
    embeddingConfigId,
    window: windows.eval,
    dataset: await client.get(`/v1/datasets/${options.name}`),
  };
  writeFileSync(stateFile, `${JSON.stringify(state, null, 1)}\n`);
  console.log(JSON.stringify(exported));
}

async function annotations(url, snapshotId) {
  const gaf = { gaf_url: url, ontology_snapshot_id: snapshotId, source_version: basename(url, '.gaf.gz') };
  return (await client.queue('/v1/annotations/sets/load-goa', gaf)).result.annotation_set_id;
}

async function statistics(evaluationSetId) {
  const { stats } = await client.get(`/v1/annotations/evaluation-sets/${evaluationSetId}`);
  return { NK: stats.nk_proteins, LK: stats.lk_proteins, PK: stats.pk_proteins };
}

async function embed() {
  const recipe = { model_name: 'kmer-1024', model_backend: 'kmer' };
  const known = (await client.get('/v1/embeddings/configs')).find(
    (config) => config.model_name === recipe.model_name,
  );
  const { id } = known ?? (await client.post('/v1/embeddings/configs', recipe));
  await client.run('compute_embeddings', 'svc.embeddings', { embedding_config_id: id });
  return id;
}

async function fetched(path) {
  const response = await fetch(new URL(path, service.url), {
    headers: { authorization: `ApiKey ${service.apiKey}` },
  });
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}. ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

async function download(name) {
  const folder = join(options.out, 'dataset');
  mkdirSync(folder, { recursive: true });
  for (const [artifact, file] of [
    ['train', 'train.parquet'],
    ['eval', 'eval.parquet'],
    ['manifest', 'manifest.json'],
  ]) {
    writeFileSync(join(folder, file), await fetched(`/v1/datasets/${name}/download?artifact=${artifact}`));
  }
}

/** Registers the trained booster. A booster that is registered already is found by its name. */
async function register(datasetId) {
  const folder = options.model ?? join(options.out, 'model');
  const name = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')).run_id;
  const known = (await client.get('/v1/scoring/rerankers')).find((row) => row.name === name);
  if (known !== undefined) return known;
  const form = new FormData();
  for (const file of ['model.txt', 'spec.yaml', 'run.json'])
    form.set(file, new Blob([readFileSync(join(folder, file))]), file);
  form.set('dataset_id', datasetId);
  const response = await fetch(new URL('/v1/reranker-models/import', service.url), {
    method: 'POST',
    headers: { authorization: `ApiKey ${service.apiKey}` },
    body: form,
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`Import: HTTP ${response.status}. ${answer.detail}`);
  return answer;
}

async function targets(evaluationSetId) {
  const fasta = await client.text(`/v1/annotations/evaluation-sets/${evaluationSetId}/delta-proteins.fasta`);
  return fasta
    .split('\n')
    .filter((line) => line.startsWith('>'))
    .map((line) => line.slice(1).split(/\s/)[0]);
}

async function evaluate({ evaluation_set_id }, payload) {
  const base = `/v1/annotations/evaluation-sets/${evaluation_set_id}`;
  const { result } = await client.queue(`${base}/run`, { ...payload, resamples: Number(options.resamples) });
  const path = `${base}/results/${result.evaluation_result_id}`;
  return { path, ...(await client.get(path)) };
}

async function apply() {
  const { snapshotId, embeddingConfigId, window, dataset } = JSON.parse(readFileSync(stateFile, 'utf8'));
  const reranker = await register(dataset.id);
  const { result } = await client.queue('/v1/embeddings/predict', {
    embedding_config_id: embeddingConfigId,
    annotation_set_id: window.old_annotation_set_id,
    ontology_snapshot_id: snapshotId,
    query_accessions: await targets(window.evaluation_set_id),
    ...features,
  });
  const set = { prediction_set_id: result.prediction_set_id };
  const plain = await evaluate(window, set);
  const reranked = await evaluate(window, { ...set, reranker_model_id: reranker.id });
  const compared = await client.get(`${reranked.path}/compare?with=${plain.id}`);
  report(plain, reranked, compared);
  for (const [name, { path }] of Object.entries({ plain, reranked }))
    writeFileSync(join(options.out, `${name}.zip`), await fetched(`${path}/artifacts.zip`));
  const query = `reranker_id=${reranker.id}&evaluation_set_id=${window.evaluation_set_id}`;
  for (const category of ['nk', 'lk', 'pk']) {
    const { fmax, auc_pr } = await client.get(
      `/v1/scoring/prediction-sets/${set.prediction_set_id}/reranker-metrics?${query}&category=${category}`,
    );
    console.log(
      `reranker-metrics ${category}: mean Fmax ${fmax.toFixed(3)}, mean AUC-PR ${auc_pr.toFixed(3)}`,
    );
  }
}

/** Prints the figures cell by cell, and the mean of all; mean-interval.mjs gives the interval of the mean. */
function report(plain, reranked, { differences }) {
  const cells = ['NK', 'LK', 'PK'].flatMap((category) =>
    ['BPO', 'MFO', 'CCO'].map((aspect) => ({
      category,
      aspect,
      before: plain.results[category]?.[aspect]?.f_micro_w,
      after: reranked.results[category]?.[aspect]?.f_micro_w,
      proteins: plain.results[category]?.[aspect]?.n_proteins,
      difference: differences[category]?.[aspect]?.f_micro_w,
    })),
  );
  const digits = (value) => (value === undefined || value === null ? '-' : value.toFixed(3));
  const rows = cells.map(({ category, aspect, proteins, before, after, difference }) => [
    `${category} ${aspect}`,
    proteins,
    digits(before),
    digits(after),
    digits(difference?.difference),
    `${digits(difference?.low)} to ${digits(difference?.high)}`,
  ]);
  const mean = (value) => cells.reduce((sum, cell) => sum + value(cell), 0) / cells.length;
  const [before, after] = [mean((cell) => cell.before), mean((cell) => cell.after)];
  rows.push(['mean', '', digits(before), digits(after), digits(after - before), '']);
  console.log(
    formatTable([
      ['f_micro_w', 'proteins', 'embedding only', 're-ranked', 'difference', '95 % interval'],
      ...rows,
    ]),
  );
  writeFileSync(join(options.out, 'figures.json'), `${JSON.stringify({ cells, before, after }, null, 1)}\n`);
}

const steps = { prepare, apply };
const step = steps[positionals[0]];
if (
  step === undefined ||
  (step === prepare && (options.shared === undefined || options['import-dir'] === undefined))
) {
  console.error('Say prepare (with --shared and --import-dir) or apply; see the head of this file.');
  process.exit(64);
}
mkdirSync(options.out, { recursive: true });
await step();
