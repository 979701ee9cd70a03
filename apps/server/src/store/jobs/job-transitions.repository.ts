import { sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { grouped } from '../postgres/grouped.js';
import type { JobRow, NewJobEvent } from './jobs.repository.js';

/**
 * A claim is the right of a worker to a job; its attempt number distinguishes it from all other claims of the
 * job.
 */
export interface Claim {
  jobId: string;
  owner: string;
  attempt: number;
}
/** The job may be published now. */
export interface Publishable {
  id: string;
  queue_name: string;
  /** The job was created in this W3C trace context; null if it belongs to no trace. */
  traceparent: string | null;
  /** The job works for the request of this id. */
  request_id: string | null;
}
export interface SettledJob {
  id: string;
  queue_name: string;
  operation: string;
  error_code: string | null;
  seconds: number | null;
}

const held = (claim: Claim) => sql<boolean>`id = ${claim.jobId} and status = 'RUNNING'
  and lease_owner = ${claim.owner} and attempts = ${claim.attempt} and dispatched_at is null`;
const released = sql`lease_owner = null, lease_expires_at = null`;

interface Claiming {
  id: string;
  owner: string;
  leaseSeconds: number;
}

const claimJobs = grouped(async (db, wanted: readonly Claiming[]): Promise<(JobRow | undefined)[]> => {
  const { rows } = await sql<JobRow>`
    with wanted as (
      select * from unnest(${wanted.map(({ id }) => id)}::uuid[], ${wanted.map(({ owner }) => owner)}::text[],
        ${wanted.map(({ leaseSeconds }) => leaseSeconds)}::float8[]) as w (job_id, owner, lease_seconds)
    ), claimed as (
      update job set status = 'RUNNING', attempts = attempts + 1, lease_owner = wanted.owner,
        lease_expires_at = clock_timestamp() + make_interval(secs => wanted.lease_seconds),
        started_at = clock_timestamp(), published_at = coalesce(published_at, clock_timestamp()),
        not_before = null, progress_current = 0, progress_total = null
      from wanted
      where id = wanted.job_id and status = 'QUEUED'
        and (not_before is null or not_before <= clock_timestamp() + interval '1 second')
        and (waits_for_job_id is null
          or exists (select 1 from job w where w.id = job.waits_for_job_id and w.status = 'SUCCEEDED'))
      returning job.*
    ), event as (
      insert into job_event (job_id, event, fields)
      select id, 'job.started', jsonb_build_object('worker', lease_owner, 'attempt', attempts) from claimed
    )
    select * from claimed`.execute(db);
  const unclaimed = new Map(rows.map((row) => [`${row.id} ${row.lease_owner}`, row]));
  return wanted.map(({ id, owner }) => {
    const key = `${id} ${owner}`;
    const row = unclaimed.get(key);
    // Only one of two messages about one job may run it.
    unclaimed.delete(key);
    return row;
  });
});

/**
 * Moves a job from QUEUED to RUNNING in one statement. Undefined means that the job is missing, not QUEUED,
 * not due, or still waits.
 */
export function claimJob(
  db: Queryable,
  id: string,
  owner: string,
  leaseSeconds: number,
): Promise<JobRow | undefined> {
  return claimJobs(db, { id: id.toLowerCase(), owner, leaseSeconds });
}

/** Renews the leases that `owner` still holds. */
export async function renewLeases(
  db: Queryable,
  owner: string,
  jobIds: readonly string[],
  leaseSeconds: number,
): Promise<void> {
  await sql`
    update job set lease_expires_at = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where id = any(${jobIds}::uuid[]) and status = 'RUNNING' and lease_owner = ${owner}
      and dispatched_at is null`.execute(db);
}

/**
 * Ends the lease of a claim whose process is known to be gone; the reaper takes the job back in its next
 * round.
 */
export async function endLeaseOf(db: Queryable, claim: Claim): Promise<void> {
  await sql`
    update job set lease_expires_at = clock_timestamp(), lease_owner = null
    where id = ${claim.jobId} and status = 'RUNNING' and lease_owner = ${claim.owner} and attempts = ${claim.attempt}
      and dispatched_at is null`.execute(db);
}

export type WatchedRow = Pick<JobRow, 'id' | 'status' | 'lease_owner' | 'attempts'>;
export async function watchJobs(db: Queryable, jobIds: readonly string[]): Promise<WatchedRow[]> {
  return db
    .selectFrom('job')
    .select(['id', 'status', 'lease_owner', 'attempts'])
    .where('id', 'in', jobIds)
    .execute();
}

/**
 * Inserts an event that a job's own worker reports. If the claim is no longer held, nothing is written, and
 * the result is false.
 */
export const insertEventOfClaim = grouped(
  async (db, given: readonly { claim: Claim; event: Omit<NewJobEvent, 'jobId'> }[]): Promise<boolean[]> => {
    const column = <T>(valueOf: (one: (typeof given)[number]) => T) => given.map(valueOf);
    const { rows } = await sql<{ position: number }>`
      with given as (
        select * from unnest(${column(({ claim }) => claim.jobId)}::uuid[], ${column(({ claim }) => claim.owner)}::text[],
          ${column(({ claim }) => claim.attempt)}::integer[], ${column(({ event }) => event.event)}::text[],
          ${column(({ event }) => event.level ?? 'info')}::text[], ${column(({ event }) => event.message ?? null)}::text[],
          ${column(({ event }) => JSON.stringify(event.fields ?? {}))}::text[])
          with ordinality as t (job_id, owner, attempt, event, level, message, fields, position)
      ), of_claims as (
        select given.* from given join job on id = job_id and status = 'RUNNING' and lease_owner = owner
          and attempts = attempt and dispatched_at is null
      ), written as (
        insert into job_event (job_id, event, level, message, fields)
        select job_id, event, level, message, fields::jsonb from of_claims order by position
      )
      select position from of_claims`.execute(db);
    const written = new Set(rows.map(({ position }) => position));
    return given.map((_, i) => written.has(i + 1));
  },
);

/** Progress never goes back. False means that the worker has lost the claim. */
export async function advanceProgress(
  db: Queryable,
  claim: Claim,
  current: number,
  total: number | null,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update job set progress_current = greatest(progress_current, ${current}::bigint),
      progress_total = coalesce(${total}::bigint, progress_total)
    where ${held(claim)}`.execute(db);
  return numAffectedRows === 1n;
}

interface Success {
  claim: Claim;
  result: Record<string, unknown>;
}

const succeedJobs = grouped(async (db, ended: readonly Success[]): Promise<(SettledJob | undefined)[]> => {
  const { rows } = await sql<SettledJob & { owner: string; attempt: number }>`
    with ended as (
      select * from unnest(${ended.map(({ claim }) => claim.jobId)}::uuid[],
        ${ended.map(({ claim }) => claim.owner)}::text[], ${ended.map(({ claim }) => claim.attempt)}::integer[],
        ${ended.map(({ result }) => JSON.stringify(result))}::text[]) as e (job_id, owner, attempt, outcome)
    ), done as (
      update job set status = 'SUCCEEDED', result = ended.outcome::jsonb, finished_at = clock_timestamp(),
        progress_total = coalesce(progress_total, progress_current), ${released}
      from ended
      where id = ended.job_id and status = 'RUNNING' and lease_owner = ended.owner and attempts = ended.attempt
        and dispatched_at is null
      returning id, operation, queue_name, error_code, result, started_at, finished_at, ended.owner, ended.attempt
    ), event as (
      insert into job_event (job_id, event, fields)
      select id, 'job.succeeded', jsonb_build_object('result', result) from done
    )
    select id, operation, queue_name, error_code, extract(epoch from finished_at - started_at)::float8 as seconds,
      owner, attempt
    from done`.execute(db);
  const done = new Map(rows.map(({ owner, attempt, ...job }) => [`${job.id} ${owner} ${attempt}`, job]));
  return ended.map(({ claim }) => done.get(`${claim.jobId} ${claim.owner} ${claim.attempt}`));
});

/** Moves a job from RUNNING to SUCCEEDED. Undefined means that the worker has lost the claim. */
export function succeedJob(
  db: Queryable,
  claim: Claim,
  result: Record<string, unknown>,
): Promise<SettledJob | undefined> {
  return succeedJobs(db, { claim, result });
}

/**
 * Moves a job from RUNNING to QUEUED, counted as a retry. Undefined means that the worker has lost the claim.
 */
export async function retryJobLater(
  db: Queryable,
  claim: Claim,
  delaySeconds: number,
  reason: string,
): Promise<Publishable | undefined> {
  const { rows } = await sql<Publishable>`
    with later as (
      update job set status = 'QUEUED', retry_count = retry_count + 1, started_at = null, published_at = null,
        not_before = clock_timestamp() + make_interval(secs => ${delaySeconds}::float8),
        ${released}
      where ${held(claim)}
      returning id, queue_name, traceparent, request_id, retry_count
    ), event as (
      insert into job_event (job_id, level, event, message, fields)
      select id, 'warning', 'job.retry_later', ${reason}::text,
        jsonb_build_object('delay_seconds', ${delaySeconds}::float8, 'retry_count', retry_count) from later
    )
    select id, queue_name, traceparent, request_id from later`.execute(db);
  return rows[0];
}

/**
 * Moves a job from RUNNING to QUEUED, to be published at once or after a delay. Undefined means that the
 * claim is no longer held.
 */
export async function giveBackJob(
  db: Queryable,
  claim: Claim,
  reason: string,
  delaySeconds = 0,
): Promise<Publishable | undefined> {
  const { rows } = await sql<Publishable>`
    with back as (
      update job set status = 'QUEUED', started_at = null, published_at = null, ${released},
        not_before = case when ${delaySeconds}::float8 > 0
          then clock_timestamp() + make_interval(secs => ${delaySeconds}::float8) end
      where ${held(claim)} returning id, queue_name, traceparent, request_id
    ), event as (
      insert into job_event (job_id, level, event, fields)
      select id, 'warning', 'job.requeued', jsonb_build_object('reason', ${reason}::text) from back
    )
    select * from back`.execute(db);
  return rows[0];
}

/** Returns true while the claim is held; the row is then locked. */
export async function lockClaim(trx: Transaction, claim: Claim): Promise<boolean> {
  const { rows } = await sql`select 1 from job where ${held(claim)} for no key update`.execute(trx);
  return rows.length === 1;
}

/**
 * Moves QUEUED or RUNNING jobs to FAILED, with every queued job that waits for one of them
 * (`dependency_failed`), and returns all that failed.
 */
export async function failJobs(
  trx: Transaction,
  ids: readonly string[],
  code: string,
  sentence: string,
): Promise<SettledJob[]> {
  const { rows } = await sql<SettledJob>`
    with recursive doomed(id, cause) as (
      select id, null::uuid from job where id = any(${ids}::uuid[]) and status in ('QUEUED', 'RUNNING')
      union
      select j.id, d.id from job j join doomed d on j.waits_for_job_id = d.id where j.status = 'QUEUED'
    ), failed as (
      update job j set status = 'FAILED', finished_at = clock_timestamp(), ${released},
        error_code = case when d.cause is null then ${code}::text else 'dependency_failed' end,
        error_message = case when d.cause is null then ${sentence}::text
          else 'Job ' || d.cause || ', which this one waits for, failed: repair its cause and submit both again.' end
      from doomed d where j.id = d.id and j.status in ('QUEUED', 'RUNNING')
      returning j.id, j.operation, j.queue_name, j.error_code, j.error_message,
        extract(epoch from j.finished_at - j.started_at)::float8 as seconds
    ), event as (
      insert into job_event (job_id, level, event, message, fields)
      select id, 'error', 'job.failed', error_message, jsonb_build_object('error_code', error_code) from failed
    )
    select id, operation, queue_name, error_code, seconds from failed`.execute(trx);
  return rows;
}

/**
 * Moves QUEUED or RUNNING jobs to CANCELLED, with their children and all that wait for one of them, and
 * returns all that were cancelled.
 */
export async function cancelJobs(trx: Transaction, ids: readonly string[]): Promise<SettledJob[]> {
  const { rows } = await sql<SettledJob>`
    with recursive doomed(id, reason) as (
      select id, null::text from job where id = any(${ids}::uuid[]) and status in ('QUEUED', 'RUNNING')
      union
      select j.id, case when j.parent_job_id = d.id then 'parent_cancelled' else 'dependency_cancelled' end
      from job j join doomed d on j.parent_job_id = d.id or j.waits_for_job_id = d.id
      where j.status in ('QUEUED', 'RUNNING')
    ), cancelled as (
      update job j set status = 'CANCELLED', finished_at = clock_timestamp(), ${released}
      from (select id, min(reason) as reason from doomed group by id) d
      where j.id = d.id and j.status in ('QUEUED', 'RUNNING')
      returning j.id, j.operation, j.queue_name, j.error_code, d.reason,
        extract(epoch from j.finished_at - j.started_at)::float8 as seconds
    ), event as (
      insert into job_event (job_id, event, fields)
      select id, 'job.cancelled', jsonb_strip_nulls(jsonb_build_object('reason', reason)) from cancelled
    )
    select id, operation, queue_name, error_code, seconds from cancelled`.execute(trx);
  return rows;
}
