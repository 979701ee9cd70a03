import { sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { deleteOrphansAmong } from './vacuum.repository.js';

export interface ExpiryLimits {
  sets: number;
  /**
   * The limit of rows, but at least one set is deleted: many small sets must not wait behind each other, and
   * a few large ones must not fill a transaction.
   */
  rows: number;
}

/**
 * Deletes prediction sets that have expired, with their rows in the large tables, the longest expired first,
 * and returns how many. A set that a job still writes stays until that job ends.
 */
export async function deleteExpiredPredictionSets(trx: Transaction, limits: ExpiryLimits): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    delete from prediction_set where id in (
      select id from (
        select id, sum(prediction_count) over (order by expires_at, id) - prediction_count as before from (
          select p.id, p.expires_at, p.prediction_count from prediction_set p where p.expires_at < clock_timestamp()
            and not exists (select 1 from job j where j.id = p.job_id and j.status in ('QUEUED', 'RUNNING'))
          order by p.expires_at, p.id limit ${limits.sets}) expired) counted
      where before < ${limits.rows})
    returning number`.execute(trx);
  const numbers = rows.map((row) => row.number);
  if (numbers.length === 0) return 0;
  await sql`delete from go_prediction where prediction_set_number = any(${numbers}::integer[])`.execute(trx);
  await sql`delete from go_prediction_pair_features where prediction_set_number = any(${numbers}::integer[])`.execute(
    trx,
  );
  await sql`delete from prediction_set_protein where prediction_set_number = any(${numbers}::integer[])`.execute(
    trx,
  );
  return numbers.length;
}

/**
 * Deletes expired query sets with their entries, and the sequences and vectors that nothing else refers to. A
 * set stays as long as a prediction set names it.
 */
export async function deleteExpiredQuerySets(trx: Transaction, limits: ExpiryLimits): Promise<number> {
  const { rows } = await sql<{ id: string; before: number }>`
    select id, sum(entry_count) over (order by expires_at, id) - entry_count as before from (
      select q.id, q.expires_at, q.entry_count from query_set q where q.expires_at < clock_timestamp()
        and not exists (select 1 from prediction_set p where p.query_set_id = q.id and p.expires_at is not null)
      order by q.expires_at, q.id limit ${limits.sets} for update skip locked) expired`.execute(trx);
  const ids = rows.filter(({ before }) => before < limits.rows).map((row) => row.id);
  if (ids.length === 0) return 0;
  const held = await sql<{ sequence_id: number }>`
    select distinct sequence_id from query_set_entry where query_set_id = any(${ids}::uuid[])`.execute(trx);
  await sql`delete from query_set where id = any(${ids}::uuid[])`.execute(trx);
  await deleteOrphansAmong(
    trx,
    held.rows.map((row) => row.sequence_id),
  );
  return ids.length;
}

export async function deleteOldIdempotencyKeys(db: Queryable, ageHours: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from idempotency_key
    where created_at < clock_timestamp() - make_interval(hours => ${ageHours})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
