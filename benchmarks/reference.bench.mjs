// Measures a reference at the size of Swiss-Prot, which is built by one command, packed, installed on an empty data folder and used
// there; and the cost of a choice of evidence at prediction time.
//
//   node benchmarks/reference.bench.mjs FASTA PAIRS.tsv OBO [queries [queries of the default method]]
//
// FASTA has the bare accession as header; PAIRS.tsv has a header line and the columns accession, go_id, aspect. The pairs name no
// evidence: every tenth is loaded as IDA, the others as IEA. KINDRED_BENCH_DATA is the folder for the data of the two services (default:
// a temporary folder, deleted at the end).
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { keep } from './figures.mjs';
import { writeGafOfPairs } from './gaf-of-pairs.mjs';
import { startService } from './service.mjs';
import { processesOf, processorSeconds } from './service-processes.mjs';

const [fasta, pairs, obo, wantedQueries = '10000', wantedOfDefault = '1000'] = process.argv.slice(2);
const mainFile = fileURLToPath(new URL('../apps/server/dist/main.js', import.meta.url));
const float16Bytes = 2;
const name = 'swissprot';
const ok = (seconds) => `${seconds.toFixed(1)} s`;
const secondsBetween = (from, to) => (Date.parse(to) - Date.parse(from)) / 1000;

/** Runs a command as a user would, and returns its seconds, and the processor seconds of the command and of its service. */
async function command(service, dataDir, ...args) {
  const started = performance.now();
  const meter = processorMeter(service, dataDir);
  const child = spawn(process.execPath, [mainFile, ...args], {
    env: { ...process.env, SVC_DATA_DIR: dataDir },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`kindred ${args.join(' ')} ended with ${status}`);
  return { seconds: (performance.now() - started) / 1000, processor: meter() };
}

/**
 * Makes a meter that says the processor seconds from here on in words. A loaded machine makes everything longer, but not these seconds.
 */
function processorMeter(service, dataDir) {
  const processes = processesOf(service.pid, dataDir);
  processes.nodes.commands = process.pid;
  const before = processorSeconds(processes);
  return () => {
    const after = processorSeconds(processes);
    const spent = Object.keys(after).map((role) => ({ role, seconds: after[role] - before[role] }));
    const sum = spent.reduce((total, { seconds }) => total + seconds, 0);
    const words = `${ok(sum)} of processors: ${spent.map(({ role, seconds }) => `${role} ${seconds.toFixed(1)}`).join(', ')}`;
    return { sum, words };
  };
}

/** Returns the processor seconds of a build without its measured reliability. */
async function processorOfBuild(service, dataDir) {
  const meter = processorMeter(service, dataDir);
  for (;;) {
    const known = await service.api.json(`/v1/references?limit=500`);
    if (known.find((one) => one.name === name)?.status === 'complete') return meter();
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function build(service, dataDir, gaf) {
  const startedAt = new Date().toISOString();
  const processor = processorOfBuild(service, dataDir);
  const args = ['--fasta', fasta, '--gaf', gaf, '--obo', obo, '--name', name, '--model', 'kmer-1024'];
  const { seconds: whole } = await command(service, dataDir, 'reference', 'build', ...args, '--quiet');
  const reference = await service.api.json(`/v1/references/${name}`);
  const last = await service.api.json(`/v1/jobs/${reference.job_id}`);
  const steps = await service.api.json(`/v1/jobs?parent_job_id=${reference.job_id}&limit=50`);
  const seconds = secondsBetween(startedAt, last.finished_at);
  console.log(`build, without the measured reliability: ${ok(seconds)}; with it ${ok(whole)}`);
  const { sum, words } = await processor;
  keep('build, processor seconds', sum);
  console.log(`    ${words}`);
  for (const { operation, started_at, finished_at } of [...steps, last].sort(
    (a, b) => Date.parse(a.started_at) - Date.parse(b.started_at),
  ))
    console.log(
      `    ${operation}: from ${ok(secondsBetween(startedAt, started_at))}, ${ok(secondsBetween(started_at, finished_at))}`,
    );
  return reference;
}

/** Returns the size of a file packed by zstd at its default level. */
function zstdBytes(path) {
  const packed = spawnSync('sh', ['-c', 'zstd -q -c -- "$1" | wc -c', 'sh', path], { encoding: 'utf8' });
  return Number(packed.stdout);
}

async function pack(service, dataDir, { reference, file }) {
  const args = ['reference', 'pack', name, '-o', file, '--quiet'];
  const { seconds, processor } = await command(service, dataDir, ...args);
  const size = statSync(file).size;
  const vectors = reference.vectors.reduce(
    (sum, { vector_count, dimension }) => sum + vector_count * dimension * float16Bytes,
    0,
  );
  const texts = zstdBytes(fasta) + zstdBytes(pairs);
  console.log(
    `pack: ${ok(seconds)}, ${(size / 1e6).toFixed(0)} MB, ${(size / (vectors + texts)).toFixed(2)} of ${(vectors / 1e6).toFixed(0)} MB of vectors in float16 and ${(texts / 1e6).toFixed(0)} MB of texts by zstd`,
  );
  console.log(`    ${processor.words}`);
}

/** Writes a FASTA of this number of sequences, evenly from the whole file, under names that begin with `prefix`. */
async function queryFile(count, prefix) {
  const lines = () => createInterface({ input: createReadStream(fasta) });
  let records = 0;
  for await (const line of lines()) if (line.startsWith('>')) records++;
  const step = Math.max(1, Math.floor(records / count));
  const chosen = [];
  let at = -1;
  for await (const line of lines()) {
    if (line.startsWith('>')) at++;
    if (at % step === 0 && at < step * count) chosen.push(line.replace(/^>/, `>${prefix}`));
  }
  return chosen.join('\n');
}

async function predict(service, queries, more = {}) {
  const reference = await service.api.json(`/v1/references/${name}`);
  const form = new FormData();
  form.set('name', 'queries');
  form.set('file', new Blob([queries]), 'queries.fasta');
  const querySet = await service.api.upload('/v1/query-sets', form);
  const started = performance.now();
  const job = await service.api.run('/v1/embeddings/predict', {
    embedding_config_id: reference.vectors[0].embedding_config_id,
    annotation_set_id: reference.annotation_set_id,
    ontology_snapshot_id: reference.ontology_snapshot_id,
    query_set_id: querySet.id,
    ...more,
  });
  return {
    seconds: (performance.now() - started) / 1000,
    setId: job.prediction_set_id,
    rows: job.predictions,
  };
}

/** Returns the digest of the rows of a download, without its comments, which name the service's own identifiers. */
async function digestOfRows(service, setId) {
  const digest = createHash('sha256');
  const reply = await service.api.call(`/v1/embeddings/prediction-sets/${setId}/predictions.tsv`);
  let rows = 0;
  for await (const line of createInterface({ input: Readable.fromWeb(reply.body) })) {
    if (line.startsWith('#')) continue;
    digest.update(`${line}\n`);
    rows++;
  }
  return { sha256: digest.digest('hex'), rows };
}

async function run(folder) {
  const [first, second, file, gaf] = ['first', 'second', `${name}.kindred`, 'pairs.gaf.gz'].map((each) =>
    join(folder, each),
  );
  if (!existsSync(gaf))
    await writeGafOfPairs(gaf, pairs, { codeOf: (row) => (row % 10 === 0 ? 'IDA' : 'IEA') });
  const queries = await queryFile(Number(wantedQueries), 'Q_');
  const expected = await withService(first, async (service) => {
    const reference = await build(service, first, gaf);
    await pack(service, first, { reference, file });
    const aligned = await predict(service, queries, { compute_alignments: true });
    console.log(
      `prediction with alignments, ${wantedQueries} queries: ${ok(aligned.seconds)}, ${aligned.rows} rows`,
    );
    await compareChoices(service, queries);
    await timeDefault(service, first);
    return digestOfRows(service, aligned.setId);
  });
  await withService(second, async (service) => {
    const args = ['reference', 'install', file, '--use', '--quiet'];
    const installed = await command(service, second, ...args);
    keep('install, processor seconds', installed.processor.sum);
    console.log(`install: ${ok(installed.seconds)}\n    ${installed.processor.words}`);
    const aligned = await predict(service, queries, { compute_alignments: true });
    const found = await digestOfRows(service, aligned.setId);
    console.log(
      `${found.rows} rows of the installed reference are ${found.sha256 === expected.sha256 ? 'those' : 'NOT those'} of the built one`,
    );
    if (found.sha256 !== expected.sha256) process.exitCode = 1;
  });
}

/** Measures the processor time of the default method for proteins that the reference knows, after a run that fills caches. */
async function timeDefault(service, dataDir) {
  const count = Number(wantedOfDefault);
  const bySequence = await queryFile(count, 'Q_');
  const byAccession = await queryFile(count, '');
  await predict(service, await queryFile(20, 'W_'), { method: 'combined' });
  for (const [what, queries] of [
    ['known by their sequence', bySequence],
    ['known by their accession', byAccession],
  ]) {
    const processes = processesOf(service.pid, dataDir);
    const before = processorSeconds(processes);
    const { seconds, rows } = await predict(service, queries, { method: 'combined' });
    const after = processorSeconds(processes);
    const shares = Object.keys(after).map(
      (role) => `${role} ${((1000 * (after[role] - before[role])) / count).toFixed(1)}`,
    );
    console.log(
      `default method, ${count} ${what}: ${ok(seconds)}, ${rows} rows; processor milliseconds a protein: ${shares.join(', ')}`,
    );
  }
}

/** Compares the choices in turns, after one run of each that fills caches. */
async function compareChoices(service, queries) {
  const ways = [
    ['all evidence', {}],
    ['experimental evidence', { evidence: ['experimental'] }],
  ];
  const seconds = new Map(ways.map(([way]) => [way, []]));
  for (let turn = 0; turn < 4; turn++)
    for (const [way, more] of ways) {
      const predicted = await predict(service, queries, more);
      if (turn > 0) seconds.get(way).push(predicted.seconds);
    }
  const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const [all, chosen] = ways.map(([way]) => median(seconds.get(way)));
  console.log(
    `prediction from all evidence ${ok(all)}, from experimental evidence ${ok(chosen)}: ${(chosen / all).toFixed(2)} times`,
  );
}

async function withService(dataDir, work) {
  const service = await startService(dataDir, tmpdir(), { SVC_LOAD_EXAMPLES: 'false' });
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

const folder = process.env.KINDRED_BENCH_DATA ?? mkdtempSync(join(tmpdir(), 'kindred-reference-'));
mkdirSync(folder, { recursive: true });
try {
  await run(folder);
} finally {
  if (!process.env.KINDRED_BENCH_DATA) rmSync(folder, { recursive: true, force: true });
}
