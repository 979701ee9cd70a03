import { ProblemError, requestIdHeader } from '@kindred/contracts';
import { inTransaction, type Transaction } from '../../store/postgres/db.js';
import {
  insertJobEvents,
  insertJobs,
  type JobRow,
  type NewJob,
  shareJobStatus,
} from '../../store/jobs/jobs.repository.js';
import { type JobDeps, publishJobs, originHeaders } from './publish.js';

/** The job is to be queued; its names and payload were checked before (operationRows). */
export interface JobRequest {
  operation: string;
  queueName: string;
  payload: Record<string, unknown>;
  meta?: Record<string, unknown>;
  description?: string | null;
  tags?: string[];
  ownerUserId?: string | null;
  parentJobId?: string | null;
  /** A job with this id must have SUCCEEDED before this one is published. */
  waitsForJobId?: string | null;
  /** The deadline is given as ISO 8601. A job that is not finished then FAILS with deadline_passed. */
  deadlineAt?: string | null;
}

/** A request waits this long for the broker's confirm, if it waits at all. */
const confirmPatienceMs = 2000;
/** When more committed jobs than this are on their way to a broker, requests wait. */
const unconfirmedMax = 1000;
const unconfirmedBy = new WeakMap<JobDeps['broker'], { jobs: number }>();

/**
 * Queues one job: domain rows, job row and `job.created` in one transaction, then the message. `request` may
 * be a function that writes the domain rows and returns the job. A broker that is down neither loses the job
 * nor fails the call, because the row is the outbox.
 */
export async function submitJob(
  deps: JobDeps,
  request: JobRequest | ((trx: Transaction) => Promise<JobRequest>),
): Promise<JobRow> {
  const job = await inTransaction(deps.db, async (trx) =>
    enqueueJob(trx, typeof request === 'function' ? await request(trx) : request),
  );
  await publishCommitted(deps, [job]);
  return job;
}

/**
 * Writes the QUEUED row and its first event in the caller's transaction, which may hold several jobs and
 * domain rows. After the commit, the caller calls `publishCommitted`.
 */
export async function enqueueJob(trx: Transaction, request: JobRequest): Promise<JobRow> {
  if (request.waitsForJobId) await requireOpenOrDone(trx, request.waitsForJobId);
  const [job] = await insertQueued(trx, [newJobOf(request)]);
  return job;
}

/** Makes the row to write, with the origin of the calling request. */
export function newJobOf(request: JobRequest): NewJob {
  const origin = originHeaders();
  return {
    operation: request.operation,
    queue_name: request.queueName,
    payload: request.payload,
    meta: request.meta ?? {},
    description: request.description ?? null,
    tags: request.tags ?? [],
    owner_user_id: request.ownerUserId ?? null,
    parent_job_id: request.parentJobId ?? null,
    waits_for_job_id: request.waitsForJobId ?? null,
    deadline_at: request.deadlineAt ?? null,
    traceparent: origin.traceparent ?? null,
    request_id: origin[requestIdHeader] ?? null,
  };
}

/**
 * Writes QUEUED rows with their first events, in the given order. `published` says that the same transaction
 * writes their messages.
 */
export async function insertQueued(
  trx: Transaction,
  newJobs: readonly NewJob[],
  published = false,
): Promise<JobRow[]> {
  const jobs = await insertJobs(trx, newJobs, published);
  await insertJobEvents(
    trx,
    jobs.map((job) => ({
      jobId: job.id,
      event: 'job.created',
      fields: { operation: job.operation, queue: job.queue_name },
    })),
  );
  return jobs;
}

/**
 * Publishes committed jobs; never throws. Waiting jobs stay where they are. The request does not wait for the
 * broker's confirm, which takes a RabbitMQ up to 200 ms, because the row holds the job. Only if a broker
 * confirms too slowly does the request wait, for at most two seconds.
 */
export async function publishCommitted(deps: JobDeps, jobs: readonly JobRow[]): Promise<void> {
  const ready = jobs.filter((job) => job.waits_for_job_id === null);
  if (ready.length === 0) return;
  const unconfirmed = unconfirmedBy.get(deps.broker) ?? { jobs: 0 };
  unconfirmedBy.set(deps.broker, unconfirmed);
  unconfirmed.jobs += ready.length;
  // A refusal is not an error of the request: published_at stays null, and the sweeper sends the job.
  const published = publishJobs(deps, ready)
    .catch(() => {})
    .finally(() => {
      unconfirmed.jobs -= ready.length;
    });
  if (unconfirmed.jobs <= unconfirmedMax) return;
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, confirmPatienceMs);
  });
  await Promise.race([published, patience]);
  clearTimeout(timer);
}

async function requireOpenOrDone(trx: Transaction, id: string): Promise<void> {
  const status = await shareJobStatus(trx, id);
  if (status === undefined) {
    throw new ProblemError('not_found', `Job ${id}, which the new job is to wait for, does not exist.`);
  }
  if (status === 'FAILED' || status === 'CANCELLED') {
    throw new ProblemError('dependency_failed', `Job ${id}, which the new job is to wait for, is ${status}.`);
  }
}
