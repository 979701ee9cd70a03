// Runs the whole chain on two real proteomes, through the HTTP API alone: Gene Ontology, E. coli of 2020 and 2022 and yeast of 2020 with
// their annotations, vectors of all proteins, and GO terms for the 781 E. coli proteins that gained annotations between the two dates.
//
//   node examples/ecoli-chain.mjs --shared <folder> --import-dir <folder> [--out <folder>] [--url <address> --api-key <key>]
//
// Without --url, the script uses the service that runs on SVC_DATA_DIR (default ./data). --import-dir is the service's SVC_IMPORT_DIR:
// the script puts the files there, and the service reads them. Predictions and counts are written to --out (default: here). The script
// ends with 1 if a count differs from the files' own descriptions. A second run finds everything loaded.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { apiClient, formatTable, readTsv, serviceOf, serviceOptions } from './client.mjs';

const { values: options } = parseArgs({
  options: {
    ...serviceOptions,
    shared: { type: 'string' },
    'import-dir': { type: 'string' },
    out: { type: 'string', default: '.' },
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

const files = {
  ontology: data('ontology', 'go-2022-07-01.obo.gz'),
  ecoliFasta: data('ecoli-k12', 'UP000000625_83333.fasta.gz'),
  yeastFasta: data('yeast', 'yeast_swissprot_2025-10-27.fasta.gz'),
  ecoli2020: data('ecoli-k12', '18.E_coli_MG1655.2020-03-03.gaf.gz'),
  ecoli2022: data('ecoli-k12', '18.E_coli_MG1655.2022-11-12.gaf.gz'),
  yeast2020: data('yeast', '71242.S_cerevisiae_ATCC_204508.2020-03-03.gaf.gz'),
};
/** The evidence codes that the service calls experimental (docs/explanation/how-it-works.md). */
const experimental = new Set('EXP IDA IPI IMP IGI IEP HTP HDA HMP HGI HEP IC TAS'.split(' '));
const counts = [];

/** Adds a line to the final table. `described` is what the description of the file says; null if it says nothing. */
function note(what, counted, described = null, remark = '') {
  counts.push({ what, counted, described, remark });
}

const stage = (path) => {
  const target = join(options['import-dir'], basename(path));
  // The old copy is removed, because the copy of a read-only file is read-only, and a second run can't write over it.
  rmSync(target, { force: true });
  copyFileSync(path, target);
  return pathToFileURL(target).href;
};
const unpacked = (path) => gunzipSync(readFileSync(path)).toString('utf8');

async function loadOntology() {
  const job = await client.queue('/v1/annotations/snapshots/load', { obo_url: stage(files.ontology) });
  const id = job.result.ontology_snapshot_id;
  const [snapshot] = (await client.get('/v1/annotations/snapshots')).filter((row) => row.id === id);
  const { P, F, C, obsolete } = snapshot.term_counts;
  note('GO 2022-07-01: live terms', P + F + C, 43_558);
  note('  obsolete terms', obsolete, 3_910);
  note(
    '  relations',
    snapshot.relationship_count,
    85_713,
    'is_a 70,058, part_of 6,997, regulates 3,184, positively 2,732, negatively 2,742',
  );
  note('  alt_ids', snapshot.alt_id_count, 3_450);
  return id;
}

async function loadProteins(path, name, described) {
  const { result } = await client.run('insert_proteins', 'svc.jobs', { fasta_url: stage(path) });
  note(`${name}: proteins`, result.retrieved_records, described, `${result.bad_records} unreadable`);
}

/** Loads annotations, and checks that every row of the file is either in the set or counted under the reason why not. */
async function loadAnnotations(path, snapshotId, { name, rows, negated }) {
  const gaf = { gaf_url: stage(path), ontology_snapshot_id: snapshotId, source_version: basename(path) };
  const { result } = await client.queue('/v1/annotations/sets/load-goa', gaf);
  const set = await client.get(`/v1/annotations/sets/${result.annotation_set_id}`);
  // The job that filled the set knows what was left out; on a second run that is an earlier job.
  const { result: filled } = await client.get(`/v1/jobs/${set.job_id}`);
  const lost = {
    'no such protein': filled.skipped_not_in_database,
    'obsolete term': filled.skipped_obsolete_term,
    'unknown term': filled.skipped_unknown_term,
    unreadable: filled.skipped_unreadable,
  };
  const skipped = Object.values(lost).reduce((sum, count) => sum + count, 0);
  note(`${name}: rows`, set.annotation_count + skipped, rows);
  note(
    '  annotations kept',
    set.annotation_count,
    null,
    `${set.protein_count} proteins, ${set.statistics.terms} terms`,
  );
  for (const [reason, count] of Object.entries(lost)) if (count > 0) note(`  skipped: ${reason}`, count);
  if (negated !== undefined) note('  NOT rows kept (never transferred)', set.statistics.negated, negated);
  return set.id;
}

/** Writes the rows of both files of 2020 that rest on experiments or on a curator's statement, as one GAF. */
function writeReference() {
  const kept = [unpacked(files.ecoli2020), unpacked(files.yeast2020)]
    .flatMap((text) => text.split('\n'))
    .filter((line) => line !== '' && !line.startsWith('!') && experimental.has(line.split('\t')[6]));
  const path = join(options['import-dir'], 'reference-experimental-2020-03-03.gaf.gz');
  writeFileSync(path, gzipSync(`!gaf-version: 2.1\n${kept.join('\n')}\n`));
  return { path, rows: kept.length };
}

async function loadReference(snapshotId) {
  const { path, rows } = writeReference();
  const gaf = {
    gaf_url: pathToFileURL(path).href,
    ontology_snapshot_id: snapshotId,
    source_version: basename(path),
  };
  const { result } = await client.queue('/v1/annotations/sets/load-goa', gaf);
  const set = await client.get(`/v1/annotations/sets/${result.annotation_set_id}`);
  note('Reference: experimental rows of 2020', rows);
  note('  annotations kept', set.annotation_count, null, `${set.protein_count} proteins`);
  return set.id;
}

async function embedProteins() {
  const recipe = { model_name: 'kmer-1024', model_backend: 'kmer' };
  const known = (await client.get('/v1/embeddings/configs')).find(
    (config) => config.model_name === recipe.model_name && config.model_backend === recipe.model_backend,
  );
  const { id } = known ?? (await client.post('/v1/embeddings/configs', recipe));
  const { seconds } = await client.run('compute_embeddings', 'svc.embeddings', { embedding_config_id: id });
  const config = await client.get(`/v1/embeddings/configs/${id}`);
  note('Vectors', config.embedding_count, null, `distinct sequences, ${seconds.toFixed(1)} s`);
  return id;
}

/** Uploads the proteins of the three truth files, as FASTA records of the proteome. */
async function uploadTargets(embeddingConfigId) {
  const truth = ['NK', 'LK', 'PK'].flatMap((kind) =>
    readTsv(readFileSync(data('ecoli-k12', 'expected', `truth_${kind}.tsv`), 'utf8')),
  );
  const targets = new Set(truth.map((row) => row.EntryID));
  const records = unpacked(files.ecoliFasta)
    .split(/^>/m)
    .filter((record) => targets.has(record.split('|')[1]));
  const fasta = records.map((record) => `>${record}`).join('');
  const set = await client.upload('/v1/query-sets', fasta, {
    name: 'E. coli proteins with new terms in 2022',
    // The proteins are listed, because they are public, and their figures are shown on the page Accuracy.
    visibility: 'listed',
  });
  note('Targets', set.entry_count, 781);
  await client.run('compute_embeddings', 'svc.embeddings', {
    embedding_config_id: embeddingConfigId,
    query_set_id: set.id,
  });
  return set.id;
}

async function predict(name, payload, file) {
  const job = await client.queue('/v1/embeddings/predict', payload);
  const id = job.result.prediction_set_id;
  const set = await client.get(`/v1/embeddings/prediction-sets/${id}`);
  const { proteins_with_predictions, pair_count } = set.statistics;
  note(`${name}: reference proteins`, job.result.references, 8_685);
  note('  targets with terms', proteins_with_predictions, 781, `${job.seconds.toFixed(1)} s`);
  note('  (target, term) pairs', pair_count, null, `${set.prediction_count} rows with their sources`);
  writeFileSync(
    join(options.out, file),
    await client.text(`/v1/embeddings/prediction-sets/${id}/predictions.tsv`),
  );
}

mkdirSync(options['import-dir'], { recursive: true });
mkdirSync(options.out, { recursive: true });
const snapshotId = await loadOntology();
await loadProteins(files.ecoliFasta, 'E. coli K-12', 4_401);
await loadProteins(files.yeastFasta, 'Yeast', 6_156);
await loadAnnotations(files.ecoli2020, snapshotId, { name: 'E. coli 2020-03-03', rows: 59_085, negated: 14 });
await loadAnnotations(files.ecoli2022, snapshotId, { name: 'E. coli 2022-11-12', rows: 62_038, negated: 15 });
await loadAnnotations(files.yeast2020, snapshotId, { name: 'Yeast 2020-03-03', rows: 126_835, negated: 37 });
const referenceId = await loadReference(snapshotId);
const embeddingConfigId = await embedProteins();
const querySetId = await uploadTargets(embeddingConfigId);
const payload = {
  embedding_config_id: embeddingConfigId,
  annotation_set_id: referenceId,
  ontology_snapshot_id: snapshotId,
  query_set_id: querySetId,
};
await predict('Prediction', payload, 'ecoli-predictions.tsv');
const aligned = { ...payload, compute_alignments: true, compute_reranker_features: true };
await predict('Prediction with alignments', aligned, 'ecoli-predictions-aligned.tsv');

const words = (count) => count?.toLocaleString('en') ?? '';
const differs = counts.filter(({ counted, described }) => described !== null && counted !== described);
const lines = counts.map((row) => [
  row.what,
  words(row.counted),
  words(row.described),
  differs.includes(row) ? 'DIFFERS' : '',
  row.remark,
]);
console.log(formatTable([['what', 'counted', 'described', '', ''], ...lines]));
writeFileSync(join(options.out, 'ecoli-counts.json'), `${JSON.stringify(counts, null, 1)}\n`);
if (differs.length > 0) process.exitCode = 1;
