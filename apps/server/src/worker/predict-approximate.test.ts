import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OperationName, operationRows } from '@kindred/contracts';
import { testDatabase, type TestDatabase } from '@kindred/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Broker } from '../broker/broker.js';
import { createEmbeddedBroker } from '../broker/embedded.js';
import { submitJob } from '../jobs/submit.js';
import { closeDatabase, type Database, openDatabase } from '../store/db.js';
import type { JobRow } from '../store/jobs.repository.js';
import { findPredictionSet } from '../store/prediction-sets.repository.js';
import { exampleUrl } from '../testing/loading-context.js';
import { eventNames, untilStatus } from './testing/harness.js';

/** A worker process of the product predicts for the example queries, exactly and through a graph of neighbours. */
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
let database: TestDatabase;
let db: Database;
let broker: Broker;
let folder: string;
let worker: ChildProcess;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 6);
  broker = createEmbeddedBroker(db);
  folder = await mkdtemp(join(tmpdir(), 'kindred-hnsw-'));
  const env = { SVC_DB_URL: database.url, SVC_DATA_DIR: folder, SVC_IMPORT_DIR: folder };
  worker = spawn(process.execPath, [main, 'worker'], {
    env: { PATH: process.env.PATH, SVC_COMPUTE_THREADS: '1', SVC_LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
});
afterAll(async () => {
  worker.kill('SIGTERM');
  if (worker.exitCode === null) await once(worker, 'exit');
  await broker.close();
  await closeDatabase(db);
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(name: OperationName, payload: Record<string, unknown>): Promise<JobRow> {
  const row = operationRows.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`no operation ${name}`);
  const full = row.payload.parse(payload) as Record<string, unknown>;
  const job = await submitJob({ db, broker }, { operation: name, queueName: row.queue, payload: full });
  return untilStatus(db, job.id, 'SUCCEEDED', 120_000);
}

async function rowsOf(job: JobRow): Promise<unknown[]> {
  const { rows } = await sql`
    select protein_accession, go_term_id, ref_protein_accession, distance, score
    from go_prediction g join prediction_set s on s.number = g.prediction_set_number
    where s.id = ${job.result.prediction_set_id} order by 1, 2, 3`.execute(db);
  return rows;
}

async function load(): Promise<Record<string, unknown>> {
  const ontology = await run('load_ontology_snapshot', { obo_url: exampleUrl('go-basic-2022-07-01.obo.gz') });
  await run('insert_proteins', { fasta_url: exampleUrl('reference.fasta.gz'), total_limit: 1200 });
  const annotations = await run('load_goa_annotations', {
    gaf_url: exampleUrl('reference.gaf.gz'),
    ontology_snapshot_id: ontology.result.ontology_snapshot_id,
    source_version: 'example',
  });
  await run('insert_proteins', { fasta_url: exampleUrl('queries.fasta') });
  const { id } = await db
    .insertInto('embedding_config')
    .values({
      model_name: 'kmer-512',
      model_backend: 'kmer',
      layer_indices: [0],
      layer_agg: 'mean',
      pooling: 'mean',
      normalize_residues: false,
      normalize: true,
      max_length: 40_000,
      use_chunking: false,
      chunk_size: 512,
      chunk_overlap: 0,
      dimension: 512,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await run('compute_embeddings', { embedding_config_id: id });
  return {
    embedding_config_id: id,
    annotation_set_id: annotations.result.annotation_set_id,
    ontology_snapshot_id: ontology.result.ontology_snapshot_id,
    batch_size: 128,
  };
}

it('predicts through a graph when asked to, and writes its recall into the result', async () => {
  const payload = await load();
  const exact = await run('predict_go_terms', payload);
  expect(exact.result).toMatchObject({ search: 'exact' });
  expect(exact.result).not.toHaveProperty('recall_at_k');

  const wide = await run('predict_go_terms', { ...payload, search: 'hnsw', hnsw_expansion: 4096 });
  expect(wide.result).toMatchObject({
    search: 'hnsw',
    recall_at_k: 1,
    predictions: exact.result.predictions,
  });
  const { queries, recall_sample, recall_neighbours, recall_found } = wide.result as Record<string, number>;
  // All batches, and only a sample of the queries: about 200.
  expect(queries).toBeGreaterThan(1000);
  expect(recall_sample).toBeGreaterThan(140);
  expect(recall_sample).toBeLessThan(260);
  expect(recall_neighbours).toBe(recall_sample * 3 * 5);
  expect(recall_found).toBe(recall_neighbours);
  expect(await rowsOf(wide)).toEqual(await rowsOf(exact));

  const usual = await run('predict_go_terms', { ...payload, search: 'hnsw' });
  expect(usual.result).toMatchObject({ search: 'hnsw', recall_sample, recall_neighbours });
  expect(usual.result.recall_at_k).toBe((usual.result.recall_found as number) / recall_neighbours);
  expect(usual.result.recall_at_k).toBeGreaterThan(0.8);
  const set = await findPredictionSet(db, usual.result.prediction_set_id as string);
  expect(set?.parameters).toMatchObject({ search: 'hnsw', hnsw_expansion: 128 });

  // Built once, beside the bank.
  expect(await eventNames(db, wide.id)).toContain('predict_go_terms.build_graph_done');
  expect(await eventNames(db, usual.id)).not.toContain('predict_go_terms.build_graph');
  const files = await readdir(folder, { recursive: true });
  expect(files.filter((name) => name.includes('.usearch'))).toEqual([
    expect.stringMatching(/banks\/\w+\/vectors\.cosine\.usearch$/),
  ]);
}, 240_000);
