import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { enqueueJob } from '../../work/jobs/submit.js';
import {
  closeDatabase,
  type Database,
  inTransaction,
  openDatabase,
} from '../../store/postgres/connection.js';
import { closeParent } from '../../store/jobs/job-batches.repository.js';
import { findJob } from '../../store/jobs/jobs.repository.js';
import { testDatabase } from '../../testing/test-database.js';
import { computeEmbeddingsBatch } from './compute-embeddings-batch.js';
import type { OperationContext } from '../../work/operation/operation.js';

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

it('puts what the backend measured of its model into the result of the job', async () => {
  const { id } = await inTransaction(db, (trx) =>
    enqueueJob(trx, { operation: 'compute_embeddings', queueName: 'svc.embeddings', payload: {}, tags: [] }),
  );
  await sql`update job set status = 'RUNNING', started_at = clock_timestamp(), result = '{"batches": 2}' where id = ${id}`.execute(
    db,
  );
  const store = (measured: Record<string, number>) =>
    inTransaction(db, (trx) =>
      computeEmbeddingsBatch.write(
        trx,
        {
          header: { config_number: 1, dimension: 4, replace: false, clipped: 0, measured },
          blocks: {
            sequenceIds: new Float64Array(0),
            chunkStart: new Int32Array(0),
            chunkEnd: new Int32Array(0),
            vectors: new Uint16Array(0),
          },
        },
        { jobId: id } as OperationContext,
      ),
    );
  await store({ int8_cosine: 0.9993, int8_neighbour_overlap: 0.98 });
  await store({});
  await inTransaction(db, (trx) => closeParent(trx, id, { vectors: 7 }));
  const job = await findJob(db, id);
  expect(job?.result).toEqual({ batches: 2, int8_cosine: 0.9993, int8_neighbour_overlap: 0.98, vectors: 7 });
});
