import { sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { grouped } from '../postgres/grouped.js';
import type { Publishable } from './job-transitions.repository.js';

const sweepLock = 0x6b696e64; // The number spells 'kind'; one sweeper or reaper at a time holds the lock over all processes.

/**
 * Returns true for the one transaction that may sweep now; the lock ends with it. A sweeper whose connection
 * is dead would hold the lock until the server notices, so the server ends the transaction after a minute
 * without a statement.
 */
export async function lockSweep(trx: Transaction): Promise<boolean> {
  const { rows } = await sql<{
    locked: boolean;
  }>`select pg_try_advisory_xact_lock(${sweepLock}) as locked,
    set_config('idle_in_transaction_session_timeout', '60s', true)`.execute(trx);
  return rows[0].locked;
}

/**
 * Finds QUEUED jobs that no broker took: due, waiting for nothing, and unpublished for at least `ageSeconds`.
 */
export async function unpublishedJobs(
  db: Queryable,
  ageSeconds: number,
  limit: number,
): Promise<Publishable[]> {
  const { rows } = await sql<Publishable>`
    select j.id, j.queue_name, j.traceparent, j.request_id from job j left join job w on w.id = j.waits_for_job_id
    where j.status = 'QUEUED' and j.published_at is null
      and greatest(j.created_at, j.not_before) < clock_timestamp() - make_interval(secs => ${ageSeconds})
      and (j.waits_for_job_id is null or w.status = 'SUCCEEDED')
    order by j.created_at limit ${limit}`.execute(db);
  return rows;
}

/** Finds QUEUED jobs of the queue that were published at least `ageSeconds` ago and are due. */
export async function stalledJobs(
  db: Queryable,
  queue: string,
  ageSeconds: number,
  limit: number,
): Promise<Publishable[]> {
  const { rows } = await sql<Publishable>`
    select id, queue_name, traceparent, request_id from job
    where status = 'QUEUED' and queue_name = ${queue}
      and greatest(published_at, not_before) < clock_timestamp() - make_interval(secs => ${ageSeconds})
      and published_at is not null
    order by created_at limit ${limit}`.execute(db);
  return rows;
}

/** Finds jobs that wait for the given one, and may be published once it has succeeded. */
export const jobsReleasedBy = grouped(async (db, jobIds: readonly string[]): Promise<Publishable[][]> => {
  const rows = await db
    .selectFrom('job')
    .select(['id', 'queue_name', 'traceparent', 'request_id', 'waits_for_job_id'])
    .where(sql<boolean>`waits_for_job_id = any(${jobIds}::uuid[])`)
    .where('status', '=', 'QUEUED')
    .where('published_at', 'is', null)
    .execute();
  return jobIds.map((id) =>
    rows.filter((row) => row.waits_for_job_id === id).map(({ waits_for_job_id: _, ...job }) => job),
  );
});

const markPublished = grouped(async (db, groups: readonly (readonly string[])[]): Promise<void[]> => {
  await sql`update job set published_at = clock_timestamp()
    where id = any(${groups.flat()}::uuid[]) and status = 'QUEUED'`.execute(db);
  return groups.map(() => {});
});

export function markJobsPublished(db: Queryable, ids: readonly string[]): Promise<void> {
  return markPublished(db, ids);
}

/**
 * Finds dispatched parents with pending published batches that published, began and stored nothing for
 * `ageSeconds`.
 */
export async function stalledParents(
  db: Queryable,
  ageSeconds: number,
  limit: number,
): Promise<{ id: string; queue_name: string }[]> {
  const { rows } = await sql<{ id: string; queue_name: string }>`
    select j.id, min(b.queue_name) as queue_name from job j join job_batch b on b.parent_job_id = j.id
    where j.status = 'RUNNING' and j.dispatched_at < clock_timestamp() - make_interval(secs => ${ageSeconds})
    group by j.id
    having bool_or(b.state = 'pending' and b.published_at is not null)
      and greatest(max(b.published_at), max(b.stored_at)) < clock_timestamp() - make_interval(secs => ${ageSeconds})
    limit ${limit}`.execute(db);
  return rows;
}

/** Makes the pending batches of a parent unpublished, so that they are sent again. */
export async function unpublishBatches(trx: Transaction, jobId: string): Promise<number> {
  const { numAffectedRows } = await sql`update job_batch set published_at = null
    where parent_job_id = ${jobId} and state = 'pending'`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}

/** Lists the processes that hold a lease now. */
export async function leaseOwners(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ lease_owner: string }>`
    select distinct lease_owner from job
    where status = 'RUNNING' and lease_owner is not null and lease_expires_at > clock_timestamp()`.execute(
    db,
  );
  return rows.map((row) => row.lease_owner);
}

/** Ends the leases of processes that are known to be gone. */
export async function endLeases(db: Queryable, owners: readonly string[]): Promise<void> {
  await sql`update job set lease_expires_at = clock_timestamp()
    where status = 'RUNNING' and lease_owner = any(${owners}::text[])`.execute(db);
}

/** Locks RUNNING jobs whose lease ran out; jobs that another process is settling are left out. */
export async function lockExpiredLeases(
  trx: Transaction,
  limit: number,
): Promise<(Publishable & { lease_losses: number })[]> {
  const { rows } = await sql<Publishable & { lease_losses: number }>`
    select id, queue_name, traceparent, request_id, lease_losses from job
    where status = 'RUNNING' and lease_expires_at < clock_timestamp() and dispatched_at is null
    order by lease_expires_at limit ${limit} for no key update skip locked`.execute(trx);
  return rows;
}

/** Moves jobs whose worker vanished from RUNNING to QUEUED; the sweeper or the caller publishes them. */
export async function requeueLostJobs(trx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    with lost as (
      update job set status = 'QUEUED', lease_losses = lease_losses + 1, published_at = null, started_at = null,
        lease_owner = null, lease_expires_at = null
      where id = any(${ids}::uuid[]) and status = 'RUNNING' returning id, lease_losses
    )
    insert into job_event (job_id, level, event, fields)
    select id, 'warning', 'job.requeued', jsonb_build_object('reason', 'lease_expired', 'lease_losses', lease_losses)
    from lost`.execute(trx);
}

/**
 * Finds jobs past their own deadline, or, without one, not finished `defaultHours` after they were created.
 */
export async function jobsPastDeadline(
  db: Queryable,
  limit: number,
  defaultHours: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from job where status in ('QUEUED', 'RUNNING')
      and coalesce(deadline_at, created_at + ${defaultHours}::float8 * interval '1 hour') < clock_timestamp()
    limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

/** Finds queued jobs whose awaited job ended without success while they were being written. */
export async function orphanedWaits(
  db: Queryable,
  limit: number,
): Promise<{ waits_for_job_id: string; id: string; status: string }[]> {
  const { rows } = await sql<{ waits_for_job_id: string; id: string; status: string }>`
    select j.id, j.waits_for_job_id, w.status from job j join job w on w.id = j.waits_for_job_id
    where j.status = 'QUEUED' and j.published_at is null and w.status in ('FAILED', 'CANCELLED')
    limit ${limit}`.execute(db);
  return rows;
}
