import { type EventLevel, finalStatuses, type JobStatus } from '@kindred/contracts';
import type {
  commentReply,
  eventReply,
  jobDetailReply,
  jobReply,
  submittedReply,
} from '@kindred/contracts/resources/jobs';
import type { z } from 'zod';
import { mayChange, type Principal } from '../../../accounts/principal.js';
import type { QueueFeedback } from '../../../work/jobs/queries.js';
import type { JobCommentRow, JobEventRow, JobRow } from '../../../store/jobs/jobs.repository.js';

export function presentJob(job: JobRow, principal: Principal): z.infer<typeof jobReply> {
  return {
    id: job.id,
    operation: job.operation,
    queue_name: job.queue_name,
    status: job.status as JobStatus,
    parent_job_id: job.parent_job_id,
    waits_for_job_id: job.waits_for_job_id,
    progress_current: job.progress_current,
    progress_total: job.progress_total,
    description: job.description,
    findings: job.findings,
    tags: job.tags,
    visibility: job.visibility,
    error_code: job.error_code,
    error_message: job.error_message,
    attempts: job.attempts,
    request_id: job.request_id,
    may_change: mayChange(principal, job.owner_user_id),
    created_at: job.created_at,
    started_at: job.started_at,
    finished_at: job.finished_at,
  };
}

export function presentSubmitted(job: JobRow, principal: Principal): z.infer<typeof submittedReply> {
  return { ...presentJob(job, principal), payload: job.payload, meta: job.meta };
}

export function presentJobDetail(
  job: JobRow,
  feedback: QueueFeedback,
  principal: Principal,
): z.infer<typeof jobDetailReply> {
  const ended = finalStatuses.includes(job.status as JobStatus);
  return {
    ...presentSubmitted(job, principal),
    result: job.result,
    ...feedback,
    may_cancel: !ended && mayChange(principal, job.owner_user_id),
  };
}

export function presentEvent(row: JobEventRow): z.infer<typeof eventReply> {
  const { id, job_id, ts, event, message, fields } = row;
  return { id, job_id, ts, level: row.level as EventLevel, event, message, fields };
}

/** Only people with an account see the names of accounts. */
export function presentComment(
  { id, job_id, account, author, body, created_at }: JobCommentRow,
  { kind }: Principal,
): z.infer<typeof commentReply> {
  return { id, job_id, account: kind === 'anonymous' ? null : account, author, body, created_at };
}
