import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closeDatabase,
  type Database,
  inTransaction,
  openDatabase,
} from '../../store/postgres/connection.js';
import { lockSweep } from '../../store/jobs/job-sweep.repository.js';
import { listWorkerProcesses, reportWorkerProcess } from '../../store/jobs/worker-processes.repository.js';
import { testDatabase } from '../../testing/test-database.js';
import { processPlace } from './owner.js';
import { startTestWorker, submitTest, until, untilStatus } from '../../testing/worker/harness.js';
import { MemoryBroker } from '../../testing/worker/memory-broker.js';

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Database;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

const start = (queues: [] | undefined = []) =>
  startTestWorker({ db, broker: new MemoryBroker(), operations: { run: {} }, queues });
const past = sql<string>`clock_timestamp() - interval '1 minute'`;
const future = sql<string>`clock_timestamp() + interval '1 hour'`;

/** Makes a query set and a prediction set on it, with a row in each dependent table. */
async function makeSets(name: string, expires: typeof past | null, jobId: string | null = null) {
  const { rows } = await sql<{ config: string; annotation: string; snapshot: string; sequence: number }>`
    with s as (insert into ontology_snapshot (obo_version, obo_url, obo_sha256, term_counts, relationship_count, alt_id_count)
        values (${name}, 'x', repeat('0', 64), '{}', 0, 0) returning id),
      a as (insert into annotation_set (source, source_version, ontology_snapshot_id) select 'goa', 'v', id from s returning id),
      c as (insert into embedding_config (model_name, model_backend, layer_indices, layer_agg, pooling, normalize_residues,
        normalize, max_length, use_chunking, chunk_size, chunk_overlap, dimension)
        values ('m', 'kmer', '{0}', 'mean', 'mean', false, true, 1, false, 1, 0, 4) returning id),
      q as (insert into sequence (sequence, sequence_md5, length) values (${name}, md5(${name}), 1) returning id)
    select c.id as config, a.id as annotation, s.id as snapshot, q.id as sequence from c, a, s, q`.execute(
    db,
  );
  const { config, annotation, snapshot, sequence } = rows[0];
  const querySet = await db
    .insertInto('query_set')
    .values({ name, entry_count: 1, expires_at: expires })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('query_set_entry')
    .values({ query_set_id: querySet.id, position: 0, header: 'q', accession: 'q', sequence_id: sequence })
    .execute();
  const set = await db
    .insertInto('prediction_set')
    .values({
      embedding_config_id: config,
      annotation_set_id: annotation,
      ontology_snapshot_id: snapshot,
      query_set_id: querySet.id,
      limit_per_entry: 5,
      expires_at: expires,
      job_id: jobId,
    })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow();
  await sql`insert into go_prediction (prediction_set_number, protein_accession, go_term_id, source_kind, source_id, distance, score, is_nearest, term_rank)
    values (${set.number}, 'q', 1, 'protein', 'r', 0.1, 0.9, true, 1)`.execute(db);
  await sql`insert into prediction_set_protein values (${set.number}, 'q', ${sequence}, 1, 1, 0.1)`.execute(
    db,
  );
  return { querySet: querySet.id, set: set.number };
}

/** Counts the rows left of the two sets, in the five tables. */
async function left({ querySet, set }: { querySet: string; set: number }): Promise<number[]> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from query_set where id = ${querySet} union all
    select count(*) from query_set_entry where query_set_id = ${querySet} union all
    select count(*) from prediction_set where number = ${set} union all
    select count(*) from go_prediction where prediction_set_number = ${set} union all
    select count(*) from prediction_set_protein where prediction_set_number = ${set}`.execute(db);
  return rows.map((row) => row.n);
}

describe('the housekeeper', () => {
  it('deletes expired sets with all their rows, and no others', async () => {
    const expired = await makeSets('expired', past);
    const lasting = await makeSets('lasting', future);
    const kept = await makeSets('kept', null);
    const job = await submitTest(db, new MemoryBroker(), 'test');
    const inWork = await makeSets('in work', past, job.id);
    const worker = await start();
    await until(async () => (await left(expired)).every((count) => count === 0));
    for (const sets of [lasting, kept, inWork]) expect(await left(sets)).toEqual([1, 1, 1, 1, 1]);
    await worker.stop();
  });

  it('forgets old idempotency keys and processes that fell silent', async () => {
    await sql`insert into idempotency_key (principal, route, key, body_sha256, created_at) values
      ('p', 'r', 'old', repeat('0', 64), now() - interval '3 days'), ('p', 'r', 'new', repeat('0', 64), now())`.execute(
      db,
    );
    await reportWorkerProcess(db, {
      id: 'ghost',
      role: 'worker',
      host: 'h',
      pid: 1,
      queues: [],
      version: '1',
    });
    await sql`update worker_process set last_seen_at = now() - interval '1 hour'`.execute(db);
    const worker = await start();
    await until(async () => !(await listWorkerProcesses(db)).some((row) => row.id === 'ghost'));
    const keys = async () => (await sql<{ key: string }>`select key from idempotency_key`.execute(db)).rows;
    await until(async () => (await keys()).length === 1);
    expect(await keys()).toEqual([{ key: 'new' }]);
    expect((await listWorkerProcesses(db)).map((row) => row.id)).toEqual([worker.id]);
    await worker.stop();
    expect(await listWorkerProcesses(db)).toEqual([]);
  });

  it('takes the jobs of a process that is gone back before their lease is over', async () => {
    const place = processPlace();
    if (place === null) return; // This system cannot tell whether a process is alive.
    const job = await submitTest(db, new MemoryBroker(), 'test');
    const noProcess = 2 ** 22 + 1; // This id is above the largest process id.
    await sql`update job set status = 'RUNNING', lease_owner = ${`h:${noProcess}:${place}-00000000`},
      lease_expires_at = now() + interval '1 hour' where id = ${job.id}`.execute(db);
    const worker = await start();
    expect(await untilStatus(db, job.id, 'QUEUED')).toMatchObject({ lease_losses: 1, lease_owner: null });
    await worker.stop();
  });

  it('works in one process at a time', async () => {
    await inTransaction(db, async (first) => {
      expect(await lockSweep(first)).toBe(true);
      await inTransaction(db, async (second) => expect(await lockSweep(second)).toBe(false));
    });
    await inTransaction(db, async (third) => expect(await lockSweep(third)).toBe(true));
  });
});
