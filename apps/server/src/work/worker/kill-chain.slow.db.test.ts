import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { operationRows } from '@kindred/contracts/operations';
import { rabbitMqWanted, startPrivateRabbitMq } from '@kindred/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Broker } from '../broker/broker.js';
import { createEmbeddedBroker } from '../broker/embedded.js';
import { createRabbitBroker } from '../broker/rabbitmq.js';
import { submitJob } from '../jobs/submit.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { listBatches } from '../../store/jobs/job-batches.repository.js';
import { findJob, type JobRow } from '../../store/jobs/jobs.repository.js';
import { testDatabase } from '../../testing/test-database.js';
import { until, untilStatus } from '../../testing/worker/harness.js';
import { insertKmerConfig } from '../../testing/worker/worker-processes.js';

/** Real worker processes on the example data are killed while they embed and predict. */
const proteins = 600;
/** Each operation is killed this often; KINDRED_INTERRUPTIONS gives another number. */
const kills = Number(process.env.KINDRED_INTERRUPTIONS ?? 2);
const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const example = (name: string) =>
  pathToFileURL(fileURLToPath(new URL(`../../../../../examples/${name}`, import.meta.url))).href;
const rabbit = rabbitMqWanted() ? startPrivateRabbitMq() : null;
afterAll(async () => {
  await (await rabbit)?.remove();
});

let db: Database;
let broker: Broker;
let folder: string;
let workerEnv: NodeJS.ProcessEnv;
let closing: (() => Promise<void>)[];
const workers = new Set<ChildProcess>();

function startWorkerProcess(): ChildProcess {
  const worker = spawn(process.execPath, [main, 'worker'], {
    env: workerEnv,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  workers.add(worker);
  return worker;
}
async function kill(worker: ChildProcess): Promise<void> {
  workers.delete(worker);
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  worker.kill('SIGKILL');
  await once(worker, 'exit');
}

function submit(operation: string, payload: Record<string, unknown>): Promise<JobRow> {
  const row = operationRows.find((candidate) => candidate.name === operation);
  if (!row) throw new Error(`no operation ${operation}`);
  const full = row.payload.parse(payload) as Record<string, unknown>;
  return submitJob({ db, broker }, { operation, queueName: row.queue, payload: full });
}
async function run(operation: string, payload: Record<string, unknown>): Promise<JobRow> {
  const job = await submit(operation, payload);
  return untilStatus(db, job.id, 'SUCCEEDED');
}

/** Runs a coordinator while its workers are killed repeatedly, a few batches after each restart. */
async function runDisturbed(operation: string, payload: Record<string, unknown>): Promise<JobRow> {
  const job = await submit(operation, payload);
  let seen = 0;
  for (let n = 0; n < kills; n++) {
    await until(async () => {
      const now = await findJob(db, job.id);
      if (now?.status === 'FAILED') throw new Error(now.error_message ?? 'failed');
      if (now?.status === 'SUCCEEDED') return true;
      if (!now || now.progress_current < seen + 2) return false;
      seen = now.progress_current;
      return true;
    });
    await Promise.all([...workers].map(kill));
    startWorkerProcess();
  }
  const done = await untilStatus(db, job.id, 'SUCCEEDED');
  const batches = await listBatches(db, job.id);
  expect(batches.every((batch) => batch.state === 'stored')).toBe(true);
  expect(done).toMatchObject({ progress_current: batches.length, progress_total: batches.length });
  // The kills must hit work, so some batches were started more than once; otherwise the test proves nothing.
  expect(batches.some((batch) => batch.attempts > 1)).toBe(true);
  return done;
}

/** Reads the number and digest of all vectors of a configuration. */
async function vectors(configNumber: number): Promise<unknown> {
  const { rows } = await sql`
    select count(*) as n, md5(string_agg(sequence_id || ' ' || md5(embedding), ',' order by sequence_id, chunk_index_s)) as digest
    from sequence_embedding where embedding_config_number = ${configNumber}`.execute(db);
  return rows[0];
}
/** Reads the number and digest of all predictions of the set that a job made, and of its proteins. */
async function predictions(job: JobRow): Promise<unknown> {
  const { rows } = await sql`
    with s as (select number from prediction_set where id = ${job.result?.prediction_set_id}),
      p as (select (to_jsonb(g) - 'prediction_set_number')::text as row from go_prediction g, s where prediction_set_number = s.number),
      q as (select (to_jsonb(g) - 'prediction_set_number')::text as row from prediction_set_protein g, s where prediction_set_number = s.number)
    select (select count(*) from p) as predictions, (select md5(string_agg(row, ',' order by row)) from p) as digest,
      (select count(*) from q) as proteins, (select md5(string_agg(row, ',' order by row)) from q) as protein_digest`.execute(
    db,
  );
  return rows[0];
}

async function loadExample(): Promise<{ snapshot: string; set: string }> {
  await run('load_ontology_snapshot', { obo_url: example('go-basic-2022-07-01.obo.gz') });
  await run('insert_proteins', { fasta_url: example('reference.fasta.gz'), total_limit: proteins });
  const { id: snapshot } = await db.selectFrom('ontology_snapshot').select('id').executeTakeFirstOrThrow();
  await run('load_goa_annotations', {
    gaf_url: example('reference.gaf.gz'),
    ontology_snapshot_id: snapshot,
    source_version: 'example',
  });
  const { id: set } = await db.selectFrom('annotation_set').select('id').executeTakeFirstOrThrow();
  return { snapshot, set };
}

const brokers = [
  { name: 'embedded', amqp: async () => undefined, runs: true },
  { name: 'rabbitmq', amqp: async () => (await rabbit)?.url, runs: rabbit !== null },
];
describe.each(brokers)('with the $name broker', ({ amqp, runs }) => {
  if (!runs) {
    it.skip('needs SVC_TEST_AMQP=local', () => {});
    return;
  }
  beforeEach(async () => {
    const database = await testDatabase();
    db = openDatabase(database.url, 6);
    folder = await mkdtemp(join(tmpdir(), 'kindred-chain-'));
    const url = await amqp();
    broker = url ? createRabbitBroker(url) : createEmbeddedBroker(db);
    closing = [() => broker.close(), () => closeDatabase(db), () => database.close()];
    workerEnv = {
      PATH: process.env.PATH,
      SVC_DB_URL: database.url,
      SVC_DATA_DIR: folder,
      SVC_WORKER_CONCURRENCY: '2',
      SVC_COMPUTE_THREADS: '2',
      SVC_SWEEP_PERIOD_MS: '300',
      SVC_LOG_LEVEL: 'error',
      ...(url ? { SVC_AMQP_URL: url } : {}),
    };
  });
  afterEach(async () => {
    await Promise.all([...workers].map(kill));
    for (const close of closing) await close();
    await rm(folder, { recursive: true, force: true });
  });

  it('workers killed while they embed and predict leave the rows of an undisturbed run', async () => {
    startWorkerProcess();
    const { snapshot, set } = await loadExample();
    const [calm, stormy] = [await insertKmerConfig(db), await insertKmerConfig(db)];
    const embed = (config: string) => ({ embedding_config_id: config, sequences_per_job: 20 });
    await run('compute_embeddings', embed(calm.id));
    await runDisturbed('compute_embeddings', embed(stormy.id));
    expect(await vectors(stormy.number)).toEqual(await vectors(calm.number));
    expect(await vectors(calm.number)).toMatchObject({
      n: expect.toSatisfy((n: number) => n > proteins / 2),
    });

    const predict = {
      embedding_config_id: calm.id,
      annotation_set_id: set,
      ontology_snapshot_id: snapshot,
      batch_size: 20,
    };
    const undisturbed = await predictions(await run('predict_go_terms', predict));
    const disturbed = await predictions(await runDisturbed('predict_go_terms', predict));
    expect(disturbed).toEqual(undisturbed);
    expect(undisturbed).toMatchObject({ predictions: expect.toSatisfy((n: number) => n > 1000) });
  });
});
