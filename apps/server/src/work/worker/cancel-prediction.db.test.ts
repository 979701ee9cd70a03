import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PayloadOf } from '@kindred/contracts';
import { Random, toFloat16 } from '@kindred/kernels/arrays';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { predictPayload } from '@kindred/contracts/resources/prediction-sets';
import type { Broker } from '../broker/broker.js';
import { createEmbeddedBroker } from '../broker/embedded.js';
import type { ComputePool } from '../../ground/pool/pool.js';
import { alignTask } from '../../predict/compute/tasks/align.js';
import { createComputePool } from '../../ground/pool/thread-pool.js';
import { fillCatalogue, type TestData } from '../../testing/tiny-catalogue.js';
import { cancelJob, deleteJob } from '../jobs/cancel.js';
import { submitJob } from '../jobs/submit.js';
import { operationCatalogue } from '../../run/catalogue.js';
import {
  closeDatabase,
  type Database,
  inTransaction,
  openDatabase,
} from '../../store/postgres/connection.js';
import { storeSequences } from '../../store/proteins/sequences.repository.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { silentLog, testServices, until, untilStatus } from '../../testing/worker/harness.js';
import { type RunningWorker, startWorker } from './worker.js';

let database: TestDatabase;
let db: Database;
let broker: Broker;
let pool: ComputePool;
let worker: RunningWorker;
let folder: string;
let data: TestData;
const accessions = Array.from({ length: 60 }, (_, i) => `L${String(i).padStart(5, '0')}`);

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 8);
  data = await fillCatalogue(db);
  broker = createEmbeddedBroker(db);
  pool = createComputePool({ size: 1 });
  folder = await mkdtemp(join(tmpdir(), 'kindred-cancel-'));
  await insertLongProteins();
  worker = await startWorker({
    services: {
      ...testServices(db),
      compute: pool,
      settings: { ...testServices(db).settings, cacheDir: folder },
    },
    broker,
    catalogue: operationCatalogue,
    queues: ['svc.predictions', 'svc.predictions.batch', 'svc.predictions.write'],
    concurrency: 1,
    log: silentLog,
  });
});
afterAll(async () => {
  await worker?.stop();
  await pool?.close();
  await broker?.close();
  await closeDatabase(db);
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * The proteins have 9,000 residues: aligning all with their 50 neighbours takes about 5e11 cells, minutes on
 * any machine.
 */
async function insertLongProteins(): Promise<void> {
  const random = new Random('long proteins');
  const sequences = accessions.map(() =>
    Array.from({ length: 9000 }, () => 'ACDEFGHIKLMNPQRSTVWY'[random.integer(20)]).join(''),
  );
  const { number } = await db.selectFrom('embedding_config').select('number').executeTakeFirstOrThrow();
  const set = await db.selectFrom('annotation_set').select('number').executeTakeFirstOrThrow();
  const terms = await db.selectFrom('go_term').select('id').where('go_id', '=', 'GO:0005515').execute();
  await inTransaction(db, async (trx) => {
    const { ids } = await storeSequences(trx, sequences);
    const proteins = await trx
      .insertInto('protein')
      .values(
        accessions.map((accession, i) => ({
          accession,
          canonical_accession: accession,
          length: 9000,
          sequence_id: ids[i],
        })),
      )
      .returning('id')
      .execute();
    await trx.deleteFrom('sequence_embedding').execute();
    await trx
      .insertInto('sequence_embedding')
      .values(
        ids.map((sequence_id) => {
          const { half: bits } = toFloat16(Float32Array.from({ length: 4 }, () => random.normal()));
          return { embedding_config_number: number, sequence_id, embedding: Buffer.from(bits.buffer) };
        }),
      )
      .execute();
    await trx
      .insertInto('protein_go_annotation')
      .values(
        proteins.map(({ id }) => ({
          annotation_set_number: set.number,
          protein_id: id,
          go_term_id: terms[0].id,
          evidence_code: 'IDA',
        })),
      )
      .execute();
  });
}

/** Resolves when the only thread of the pool takes the next task. */
const probe = () =>
  pool.run(alignTask, { sequences: ['MK', 'MK'], query: Int32Array.of(0), target: Int32Array.of(1) });

it('stops the arithmetic of a cancelled prediction, so that its thread takes other work', async () => {
  await probe();
  const payload: PayloadOf<'predict_go_terms'> = predictPayload.parse({
    embedding_config_id: data.configId,
    annotation_set_id: data.setId,
    ontology_snapshot_id: data.snapshotId,
    query_accessions: accessions,
    limit_per_entry: 50,
    compute_alignments: true,
  });
  const job = await submitJob(
    { db, broker },
    { operation: 'predict_go_terms', queueName: 'svc.predictions', payload },
  );
  let alignments: Promise<unknown> | undefined;
  const run = pool.run.bind(pool);
  pool.run = (task, input, options) => {
    const output = run(task, input, options);
    if (task.address === alignTask.address) alignments ??= output;
    return output;
  };
  await until(() => alignments !== undefined);
  const ends: string[] = [];
  const cut = expect(alignments)
    .rejects.toThrow()
    .then(() => ends.push('alignments'));
  // The only thread is busy with alignments. The probe waits until they end, which takes minutes unless they
  // are cancelled.
  const waiting = probe().then(() => ends.push('probe'));
  await cancelJob(db, job.id);
  await Promise.all([cut, waiting]);
  expect(ends).toEqual(['alignments', 'probe']);
  expect((await untilStatus(db, job.id, 'CANCELLED')).status).toBe('CANCELLED');
  const { count } = await db
    .selectFrom('go_prediction')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('protein_accession', 'in', accessions)
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(0);
  const set = await db
    .selectFrom('prediction_set')
    .select(['id', 'status', 'query_count', 'protein_count'])
    .where('job_id', '=', job.id)
    .executeTakeFirstOrThrow();
  expect(set).toMatchObject({ status: 'incomplete', query_count: accessions.length, protein_count: 0 });
  const { message } = await db
    .selectFrom('job_event')
    .select('message')
    .where('job_id', '=', job.id)
    .where('event', '=', 'prediction_set.incomplete')
    .executeTakeFirstOrThrow();
  expect(message).toContain(`${set.id} remains with 0 of ${accessions.length} proteins`);
  await deleteJob(db, job.id);
  const { job_id: left } = await db
    .selectFrom('prediction_set')
    .select('job_id')
    .where('id', '=', set.id)
    .executeTakeFirstOrThrow();
  expect(left).toBeNull();
});
