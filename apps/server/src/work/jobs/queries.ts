import { absent, ProblemError } from '@kindred/contracts';
import type { Cursor, Page } from '../../store/postgres/cursor.js';
import type { Queryable } from '../../store/postgres/db.js';
import {
  countJobsAhead,
  findJob,
  insertJobComment,
  type JobCommentRow,
  type JobEventRow,
  type JobRow,
  listJobComments,
  type EventPlace,
  listJobEvents,
  meanJobSeconds,
  runningSeconds,
} from '../../store/jobs/jobs.repository.js';

/** @throws ProblemError not_found */
export async function requireJob(db: Queryable, id: string): Promise<JobRow> {
  const job = await findJob(db, id);
  if (!job) throw absent('job', id);
  return job;
}

/**
 * Reads the events of a job, newest first; after a cursor, oldest first.
 * @throws ProblemError not_found
 */
export async function jobEvents(
  db: Queryable,
  id: string,
  limit: number,
  place?: EventPlace,
): Promise<Page<JobEventRow>> {
  const page = await listJobEvents(db, id, limit, place);
  if (page.rows.length === 0) await requireJob(db, id);
  return page;
}

/**
 * Reads the comments of a job, oldest first.
 * @throws ProblemError not_found
 */
export async function jobComments(
  db: Queryable,
  id: string,
  limit: number,
  after?: Cursor,
): Promise<Page<JobCommentRow>> {
  const page = await listJobComments(db, id, limit, after);
  if (page.rows.length === 0) await requireJob(db, id);
  return page;
}

/** @throws ProblemError not_found, validation_failed (an empty body) */
export async function addJobComment(
  db: Queryable,
  id: string,
  comment: { body: string; author?: string | null; accountId: string | null },
): Promise<JobCommentRow> {
  const body = comment.body.trim();
  if (body === '') {
    throw new ProblemError('validation_failed', 'A comment needs a text.', {
      errors: [{ path: '/body', message: 'expected a text that is not empty', code: 'too_small' }],
    });
  }
  await requireJob(db, id);
  const { author = null, accountId } = comment;
  return insertJobComment(db, { job_id: id, author, body, account_id: accountId });
}

export interface QueueFeedback {
  /** The position is 1 for the next job, and null when the job is not QUEUED. */
  queue_position: number | null;
  /** The job is probably finished after so many seconds; null if unknown. */
  eta_seconds: number | null;
}

/**
 * Gives the position and the progress of a job. A running job's remaining time follows from its progress. For
 * a job without progress, the mean of the operation's last 20 successes counts. It is unknown once the job
 * has taken longer, or before the first of several parts is done. A queued job waits for the jobs ahead of
 * it, one after the other.
 */
export async function queueFeedback(db: Queryable, job: JobRow): Promise<QueueFeedback> {
  if (job.status === 'QUEUED') {
    const position = 1 + (await countJobsAhead(db, job));
    const mean = await meanJobSeconds(db, job.operation);
    return { queue_position: position, eta_seconds: mean === null ? null : round(mean * position) };
  }
  if (job.status !== 'RUNNING') return { queue_position: null, eta_seconds: null };
  const elapsed = (await runningSeconds(db, job.id)) ?? 0;
  const total = job.progress_total ?? 0;
  if (total > 0 && job.progress_current > 0) {
    const remaining = (elapsed * Math.max(total - job.progress_current, 0)) / job.progress_current;
    return { queue_position: null, eta_seconds: round(remaining) };
  }
  const mean = total > 1 ? null : await meanJobSeconds(db, job.operation);
  const remaining = mean === null ? null : round(mean - elapsed);
  return { queue_position: null, eta_seconds: remaining === null || remaining <= 0 ? null : remaining };
}

const round = (seconds: number) => Math.round(seconds * 10) / 10;
