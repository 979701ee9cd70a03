import type { EventLevel, JobStatus, QueueName, Visibility } from '@kindred/contracts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { grouped } from '../postgres/grouped.js';
import { type Reader, visibleTo } from '../postgres/fragments/visibility.js';
import type { Tables } from '../postgres/tables.generated.js';

export type JobRow = Selectable<Tables['job']>;
export type JobEventRow = Selectable<Tables['job_event']>;
export type JobCommentRow = Selectable<Tables['job_comment']> & {
  /** The account of this user name wrote the comment; null means that no account did, or that it is gone. */
  account: string | null;
};

export interface NewJob {
  operation: string;
  queue_name: string;
  payload: Record<string, unknown>;
  meta: Record<string, unknown>;
  description: string | null;
  tags: string[];
  owner_user_id: string | null;
  parent_job_id: string | null;
  waits_for_job_id: string | null;
  deadline_at: string | null;
  traceparent: string | null;
  request_id: string | null;
}

export interface NewJobEvent {
  jobId: string;
  event: string;
  level?: EventLevel;
  message?: string | null;
  fields?: Record<string, unknown>;
}

export interface JobFilter {
  reader: Reader;
  status?: JobStatus;
  operation?: string;
  parentJobId?: string;
  ownerUserId?: string;
  requestId?: string;
}

/**
 * Inserts QUEUED rows, each as visible as the data that it works on; the caller commits, then publishes.
 *
 * @param published tells that the same transaction writes their messages
 * @returns the rows in the order of the jobs
 */
export async function insertJobs(
  trx: Transaction,
  jobs: readonly NewJob[],
  published = false,
): Promise<JobRow[]> {
  return trx
    .insertInto('job')
    .values(
      jobs.map((job) => ({
        ...job,
        payload: JSON.stringify(job.payload),
        meta: JSON.stringify(job.meta),
        visibility: visibilityOf(job),
        published_at: published ? sql<string>`clock_timestamp()` : null,
      })),
    )
    .returningAll()
    .execute();
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Work on the catalogue is listed. Work on an upload, or on its predictions, is as visible as the upload. */
function visibilityOf({ payload, parent_job_id }: NewJob): RawBuilder<Visibility> {
  const idAt = (key: string) => {
    const id = payload[key];
    return typeof id === 'string' && uuidPattern.test(id) ? id : null;
  };
  const querySet = idAt('query_set_id');
  const predictionSet = idAt('prediction_set_id');
  if (querySet === null && predictionSet === null && parent_job_id === null) return sql<Visibility>`'listed'`;
  return sql<Visibility>`coalesce(
    (select visibility from query_set where id = ${querySet}::uuid),
    (select visibility from prediction_set where id = ${predictionSet}::uuid),
    (select visibility from job where id = ${parent_job_id}::uuid),
    'listed')`;
}

export async function findJob(db: Queryable, id: string): Promise<JobRow | undefined> {
  return db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads the row and locks it until the end of the transaction. */
export async function lockJob(trx: Transaction, id: string): Promise<JobRow | undefined> {
  return trx.selectFrom('job').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/**
 * Reads the status of a job that another is to wait for; the job can't finish before the transaction ends.
 */
export async function shareJobStatus(trx: Transaction, id: string): Promise<JobStatus | undefined> {
  const row = await trx.selectFrom('job').select('status').where('id', '=', id).forShare().executeTakeFirst();
  return row?.status as JobStatus | undefined;
}

/** Lists the jobs that the reader may find, newest first. Jobs of unsaved uploads (`meta.ephemeral`) are never listed. */
export async function listJobs(
  db: Queryable,
  filter: JobFilter,
  limit: number,
  after?: Cursor,
): Promise<Page<JobRow>> {
  let query = db
    .selectFrom('job')
    .selectAll()
    .where(sql<boolean>`not (meta @> '{"ephemeral": true}')`)
    .where(visibleTo('job', filter.reader));
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.operation !== undefined) query = query.where('operation', '=', filter.operation);
  if (filter.parentJobId !== undefined) query = query.where('parent_job_id', '=', filter.parentJobId);
  if (filter.ownerUserId !== undefined) query = query.where('owner_user_id', '=', filter.ownerUserId);
  if (filter.requestId !== undefined) query = query.where('request_id', '=', filter.requestId);
  return pageOf(db, query, { table: 'job' }, { limit, after });
}

export async function removeJob(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom('job').where('id', '=', id).execute();
}

/** Inserts events in the given order, in one statement. */
export async function insertJobEvents(db: Queryable, events: readonly NewJobEvent[]): Promise<void> {
  const column = <T>(valueOf: (event: NewJobEvent) => T) => events.map(valueOf);
  await sql`
    insert into job_event (job_id, event, level, message, fields)
    select job_id, event, level, message, fields::jsonb
    from unnest(${column(({ jobId }) => jobId)}::uuid[], ${column(({ event }) => event)}::text[],
      ${column(({ level = 'info' }) => level)}::text[], ${column(({ message = null }) => message)}::text[],
      ${column(({ fields = {} }) => JSON.stringify(fields))}::text[])
      with ordinality as t (job_id, event, level, message, fields, position)
    order by position`.execute(db);
}

export const insertJobEvent = grouped(async (db, events: readonly NewJobEvent[]): Promise<void[]> => {
  await insertJobEvents(db, events);
  return events.map(() => {});
});

/** A page of events begins at this place. */
export interface EventPlace {
  after?: Cursor | undefined;
  before?: Cursor | undefined;
}

/** Lists the newest events first, also those before a cursor; events after a cursor come oldest first. */
export async function listJobEvents(
  db: Queryable,
  jobId: string,
  limit: number,
  { after, before }: EventPlace = {},
): Promise<Page<JobEventRow>> {
  const chosen = db.selectFrom('job_event').selectAll().where('job_id', '=', jobId);
  const order = after === undefined ? 'desc' : 'asc';
  return pageOf(db, chosen, { table: 'job_event', time: 'ts', order }, { limit, after: after ?? before });
}

/**
 * Lists events oldest first, from event number `afterId` on (0 means from the start), for a feed that is
 * followed.
 */
export async function followJobEvents(
  db: Queryable,
  jobId: string,
  afterId: number,
  limit: number,
): Promise<JobEventRow[]> {
  return db
    .selectFrom('job_event')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function insertJobComment(
  db: Queryable,
  comment: { job_id: string; author: string | null; body: string; account_id: string | null },
): Promise<JobCommentRow> {
  return db
    .insertInto('job_comment')
    .values(comment)
    .returningAll()
    .returning(usernameOfComment)
    .executeTakeFirstOrThrow();
}

const usernameOfComment = sql<string | null>`
  (select username from user_account where user_account.id = job_comment.account_id)`.as('account');

/** Lists comments oldest first; `after` is the cursor of the last row of the previous page. */
export async function listJobComments(
  db: Queryable,
  jobId: string,
  limit: number,
  after?: Cursor,
): Promise<Page<JobCommentRow>> {
  const query = db
    .selectFrom('job_comment')
    .selectAll()
    .select(usernameOfComment)
    .where('job_id', '=', jobId);
  return pageOf(db, query, { table: 'job_comment', order: 'asc' }, { limit, after });
}

/** Counts QUEUED jobs of the queue that were created before this one and wait for no other job. */
export async function countJobsAhead(db: Queryable, job: JobRow): Promise<number> {
  const row = await db
    .selectFrom('job')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('status', '=', 'QUEUED')
    .where('queue_name', '=', job.queue_name)
    .where(sql<boolean>`(created_at, id) < (${job.created_at}::timestamptz, ${job.id}::uuid)`)
    .where(sql<boolean>`(waits_for_job_id is null or published_at is not null)`)
    .executeTakeFirstOrThrow();
  return row.n;
}

/** Gives the mean seconds from start to end of the operation's last 20 successes; null if it never ran. */
export async function meanJobSeconds(db: Queryable, operation: string): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select avg(extract(epoch from finished_at - started_at))::float8 as seconds from (
      select started_at, finished_at from job where operation = ${operation} and status = 'SUCCEEDED'
      order by created_at desc limit 20) recent`.execute(db);
  return rows[0]?.seconds ?? null;
}

/** Gives the seconds that a job has been running, by the database's clock. */
export async function runningSeconds(db: Queryable, id: string): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from clock_timestamp() - started_at)::float8 as seconds from job where id = ${id}`.execute(
    db,
  );
  return rows[0]?.seconds ?? null;
}

/** Finds a job of the operation that has not ended and whose payload has this value. */
export async function openJobWith(
  db: Queryable,
  { operation, field, value }: { operation: string; field: string; value: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('job')
    .select('id')
    .where('status', 'in', ['QUEUED', 'RUNNING'])
    .where('operation', '=', operation)
    .where(sql`payload ->> ${field}`, '=', value)
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** Says whether a prediction waits or runs. */
export async function hasOpenPrediction(db: Queryable): Promise<boolean> {
  const queue: QueueName = 'svc.predictions';
  const row = await db
    .selectFrom('job')
    .select('id')
    .where('status', 'in', ['QUEUED', 'RUNNING'])
    .where('queue_name', '=', queue)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
