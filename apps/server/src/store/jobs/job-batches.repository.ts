import { type Selectable, sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Claim, SettledJob } from './job-transitions.repository.js';
import type { Tables } from '../postgres/tables.generated.js';
import { lostWorkerSeconds } from './worker-processes.repository.js';

export type JobBatchRow = Selectable<Tables['job_batch']>;
export interface BatchKey {
  jobId: string;
  batchIndex: number;
}
export interface Dispatch {
  operation: string;
  queue: string;
  payloads: Record<string, unknown>[];
  result: Record<string, unknown>;
}

/**
 * Hands a coordinator's work over to the ledger: batches, totals and the event in the caller's transaction.
 */
export async function dispatchBatches(
  trx: Transaction,
  claim: Claim,
  dispatch: Dispatch,
): Promise<{ dispatched: boolean }> {
  const { numAffectedRows } = await sql`
    update job set dispatched_at = clock_timestamp(), progress_current = 0, progress_total = ${dispatch.payloads.length},
      result = ${JSON.stringify(dispatch.result)}::jsonb, lease_owner = null, lease_expires_at = null
    where id = ${claim.jobId} and status = 'RUNNING' and lease_owner = ${claim.owner}
      and attempts = ${claim.attempt} and dispatched_at is null`.execute(trx);
  if (numAffectedRows !== 1n) return { dispatched: false };
  await sql`
    insert into job_batch (parent_job_id, batch_index, queue_name, operation, payload)
    select ${claim.jobId}::uuid, (position - 1)::integer, ${dispatch.queue}, ${dispatch.operation}, payload
    from jsonb_array_elements(${JSON.stringify(dispatch.payloads)}::jsonb) with ordinality as b (payload, position)`.execute(
    trx,
  );
  await sql`
    insert into job_event (job_id, event, fields) values (${claim.jobId}, 'job.dispatched',
      jsonb_build_object('batches', ${dispatch.payloads.length}::integer, 'result', ${JSON.stringify(dispatch.result)}::jsonb))`.execute(
    trx,
  );
  return { dispatched: true };
}

export type NextBatch = Pick<JobBatchRow, 'parent_job_id' | 'batch_index' | 'operation' | 'payload'> & {
  /** The parent job belongs to this trace. */
  traceparent: string | null;
  request_id: string | null;
};

/**
 * Finds the batches of a queue whose turn it is, in order. Each owner has the same number of places for
 * batches in work (`placesPerProcess` for each process that takes from the queue); all jobs without an owner
 * count as one owner. An owner's jobs take turns; in a tie, the job with the fewest batches left comes first.
 * The queue's lock is held until the transaction ends: others wait, and then count what it has published.
 */
export async function lockNextBatches(
  trx: Transaction,
  queue: string,
  placesPerProcess: number,
): Promise<NextBatch[]> {
  // A process that hangs while it holds the lock must not stop all others.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`batches of ${queue}`}, 0)),
    set_config('idle_in_transaction_session_timeout', '60s', true)`.execute(trx);
  const { rows } = await sql<NextBatch>`
    with allowed as (
      select ${placesPerProcess}::integer * greatest(1, count(*)) as places from worker_process
      where ${queue} = any(queues) and not draining
        and last_seen_at > clock_timestamp() - make_interval(secs => ${lostWorkerSeconds})
    ), parent as (
      select j.id, coalesce(j.owner_user_id::text, '') as owner, j.traceparent, j.request_id, j.dispatched_at,
        (select count(*) from job_batch b
          where b.parent_job_id = j.id and b.state = 'pending' and b.published_at is not null) as outstanding,
        (select count(*) from (select from job_batch b
          where b.parent_job_id = j.id and b.state = 'pending' and b.published_at is null limit 1000) w) as waiting
      from job j where j.status = 'RUNNING' and j.dispatched_at is not null and ${queue} =
        (select b.queue_name from job_batch b where b.parent_job_id = j.id limit 1)
    ), share as (
      select owner, places - sum(outstanding) as free from parent, allowed group by owner, places
    ), candidate as (
      select p.*, b.*, p.outstanding + row_number() over (partition by p.id order by b.batch_index) as turn
      from parent p, allowed, lateral (
        select parent_job_id, batch_index, operation, payload from job_batch
        where parent_job_id = p.id and state = 'pending' and published_at is null
        order by batch_index limit allowed.places) b
    ), ranked as (
      select *, row_number() over (partition by owner order by turn, waiting, dispatched_at, id) as place from candidate
    )
    select parent_job_id, batch_index, operation, payload, traceparent, request_id
    from ranked join share using (owner) where place <= free order by turn, waiting, dispatched_at, id`.execute(
    trx,
  );
  return rows;
}

export async function markBatchesPublished(trx: Transaction, batches: readonly NextBatch[]): Promise<void> {
  await sql`update job_batch b set published_at = clock_timestamp()
    from unnest(${batches.map((batch) => batch.parent_job_id)}::uuid[],
      ${batches.map((batch) => batch.batch_index)}::integer[]) as sent (parent_job_id, batch_index)
    where b.parent_job_id = sent.parent_job_id and b.batch_index = sent.batch_index`.execute(trx);
}

/** Finds queues with batches of running parents that no broker took yet. */
export async function queuesWithWaitingBatches(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ queue_name: string }>`
    select distinct b.queue_name from job j, lateral (select queue_name from job_batch
      where parent_job_id = j.id and state = 'pending' and published_at is null limit 1) b
    where j.status = 'RUNNING' and j.dispatched_at is not null`.execute(db);
  return rows.map((row) => row.queue_name);
}

/**
 * Counts the start of a batch's computation, and gives how often it was begun. Null means that no work is
 * left: the batch is stored, or its parent has ended or is gone.
 */
export async function beginBatch(db: Queryable, key: BatchKey): Promise<number | null> {
  const { rows } = await sql<{ attempts: number }>`
    update job_batch b set attempts = b.attempts + 1 from job j
    where b.parent_job_id = ${key.jobId} and b.batch_index = ${key.batchIndex} and b.state = 'pending'
      and j.id = b.parent_job_id and j.status = 'RUNNING'
    returning b.attempts`.execute(db);
  return rows[0]?.attempts ?? null;
}

/** Takes back the count of a start that was interrupted through no fault of the batch. */
export async function giveBackBatch(db: Queryable, key: BatchKey): Promise<void> {
  await sql`update job_batch set attempts = greatest(attempts - 1, 0)
    where parent_job_id = ${key.jobId} and batch_index = ${key.batchIndex} and state = 'pending'`.execute(db);
}

/** Locks the ledger row for storing; false if the batch no longer needs storing. */
export async function lockBatch(trx: Transaction, key: BatchKey): Promise<boolean> {
  const { rows } = await sql<{ state: string; status: string }>`
    select b.state, j.status from job_batch b join job j on j.id = b.parent_job_id
    where b.parent_job_id = ${key.jobId} and b.batch_index = ${key.batchIndex} for update of b`.execute(trx);
  return rows[0]?.state === 'pending' && rows[0].status === 'RUNNING';
}

export interface BatchCount {
  stored: number;
  total: number;
}
/**
 * Marks the locked row stored and advances the parent, whose row stays locked until the commit: writers of
 * one parent take turns here, so the last one sees the total. Undefined means that the parent no longer runs.
 */
export async function countStoredBatch(trx: Transaction, key: BatchKey): Promise<BatchCount | undefined> {
  await sql`update job_batch set state = 'stored', stored_at = clock_timestamp(), error_message = null
    where parent_job_id = ${key.jobId} and batch_index = ${key.batchIndex}`.execute(trx);
  const { rows } = await sql<BatchCount>`
    update job set progress_current = progress_current + 1 where id = ${key.jobId} and status = 'RUNNING'
    returning progress_current as stored, progress_total as total`.execute(trx);
  return rows[0];
}

/** Adds the findings of a batch to the result of its running parent; an existing name is replaced. */
export async function addToJobResult(
  trx: Transaction,
  jobId: string,
  fields: Record<string, number>,
): Promise<void> {
  await sql`update job set result = coalesce(result, '{}'::jsonb) || ${JSON.stringify(fields)}::jsonb
    where id = ${jobId} and status = 'RUNNING'`.execute(trx);
}

/**
 * Adds the recall of a batch to the result of its running parent: `recall_sample` queries,
 * `recall_neighbours` of theirs, `recall_found` of these, and `recall_at_k`, the quotient (null without
 * neighbours).
 */
export async function addRecallToJobResult(
  trx: Transaction,
  jobId: string,
  recall: { queries: number; neighbours: number; found: number },
): Promise<void> {
  const sum = (name: string, more: number) =>
    sql`(coalesce((result->>${sql.lit(name)})::bigint, 0) + ${more}::bigint)`;
  const found = sum('recall_found', recall.found);
  const neighbours = sum('recall_neighbours', recall.neighbours);
  await sql`update job set result = coalesce(result, '{}'::jsonb) || jsonb_build_object(
      'recall_sample', ${sum('recall_sample', recall.queries)}, 'recall_neighbours', ${neighbours},
      'recall_found', ${found}, 'recall_at_k', ${found}::float8 / nullif(${neighbours}, 0))
    where id = ${jobId} and status = 'RUNNING'`.execute(trx);
}

/**
 * Moves a parent from RUNNING to SUCCEEDED when its last batch is stored; `result` is added to what the
 * coordinator left.
 */
export async function closeParent(
  trx: Transaction,
  jobId: string,
  result: Record<string, unknown>,
): Promise<SettledJob> {
  const { rows } = await sql<SettledJob>`
    with done as (
      update job set status = 'SUCCEEDED', finished_at = clock_timestamp(), lease_owner = null, lease_expires_at = null,
        result = coalesce(result, '{}'::jsonb) || ${JSON.stringify(result)}::jsonb
      where id = ${jobId} and status = 'RUNNING'
      returning id, operation, queue_name, error_code, result, started_at, finished_at
    ), event as (
      insert into job_event (job_id, event, fields)
      select id, 'job.succeeded', jsonb_build_object('via', 'last_batch_stored', 'result', result) from done
    )
    select id, operation, queue_name, error_code, extract(epoch from finished_at - started_at)::float8 as seconds
    from done`.execute(trx);
  if (!rows[0]) throw new Error(`job ${jobId} was no longer RUNNING while its row was locked`);
  return rows[0];
}

/** Marks a pending batch failed. False means that it is not pending, or that its parent no longer runs. */
export async function markBatchFailed(trx: Transaction, key: BatchKey, sentence: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update job_batch b set state = 'failed', error_message = ${sentence} from job j
    where b.parent_job_id = ${key.jobId} and b.batch_index = ${key.batchIndex} and b.state = 'pending'
      and j.id = b.parent_job_id and j.status = 'RUNNING'`.execute(trx);
  return numAffectedRows === 1n;
}

export async function listBatches(db: Queryable, jobId: string): Promise<JobBatchRow[]> {
  return db
    .selectFrom('job_batch')
    .selectAll()
    .where('parent_job_id', '=', jobId)
    .orderBy('batch_index')
    .execute();
}
