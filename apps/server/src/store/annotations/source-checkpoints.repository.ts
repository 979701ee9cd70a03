import { sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';

export interface SourceCheckpoint {
  checkpoint: string;
  counts: Record<string, number>;
}

/**
 * Finds how far a job had read its source when it died; undefined for a job that starts for the first time.
 */
export async function findCheckpoint(db: Queryable, jobId: string): Promise<SourceCheckpoint | undefined> {
  return db
    .selectFrom('source_checkpoint')
    .select(['checkpoint', 'counts'])
    .where('job_id', '=', jobId)
    .executeTakeFirst();
}

/** Saves a checkpoint in the transaction that stores the rows that it covers. */
export async function saveCheckpoint(
  trx: Transaction,
  jobId: string,
  { checkpoint, counts }: SourceCheckpoint,
): Promise<void> {
  await sql`
    insert into source_checkpoint (job_id, checkpoint, counts) values (${jobId}, ${checkpoint}, ${JSON.stringify(counts)}::jsonb)
    on conflict (job_id) do update set checkpoint = excluded.checkpoint, counts = excluded.counts, updated_at = clock_timestamp()`.execute(
    trx,
  );
}

/** Deletes the checkpoint at the end of a job, and the checkpoints of jobs that failed long ago. */
export async function dropCheckpoint(db: Queryable, jobId: string): Promise<void> {
  await sql`delete from source_checkpoint
    where job_id = ${jobId} or updated_at < clock_timestamp() - interval '30 days'`.execute(db);
}
