import { batchMessage, type QueueName, requestIdHeader } from '@kindred/contracts';
import { encodeFrame } from '@kindred/kernels/arrays';
import { context, propagation } from '@opentelemetry/api';
import type { Broker, OutgoingMessage } from '../broker/broker.js';
import { type Database, inTransaction, type Queryable, type Transaction } from '../../store/postgres/db.js';
import {
  type BatchKey,
  lockNextBatches,
  markBatchesPublished,
} from '../../store/jobs/job-batches.repository.js';
import { jobsReleasedBy, markJobsPublished } from '../../store/jobs/job-sweep.repository.js';
import { grouped } from '../../store/postgres/grouped.js';
import type { Publishable } from '../../store/jobs/job-transitions.repository.js';

/** Work is handed to workers with these parts. */
export interface JobDeps {
  db: Database;
  broker: Broker;
}

/**
 * Gives the headers for a message: the W3C trace context of the calling span and the id of the request that
 * it works for, if they exist.
 */
export function originHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/**
 * Publishes committed jobs and notes it in their rows. A job that is published twice does no harm, because
 * its claim is one statement.
 * @throws the broker's errors; the rows then stay unpublished and the sweeper sends them
 */
export async function publishJobs(
  { db, broker }: { db: Queryable; broker: Broker },
  jobs: readonly Publishable[],
  delayMs = 0,
): Promise<void> {
  for (const [queue, group] of byQueueOf(jobs)) {
    await broker.publish(
      queue,
      group.map((job) => trackedMessage(job, delayMs)),
    );
    await markTogether(
      db,
      group.map((job) => job.id),
    );
  }
}

/** A broker confirms many messages at once, so one statement notes them all. */
const markTogether = grouped(async (db, groups: readonly (readonly string[])[]): Promise<undefined[]> => {
  await markJobsPublished(db, groups.flat());
  return groups.map(() => undefined);
});

/**
 * Publishes jobs with the commit that makes them, if the broker can. Otherwise it does nothing, and the
 * caller publishes after the commit.
 */
export async function publishWithin(
  trx: Transaction,
  broker: Broker,
  jobs: readonly Publishable[],
): Promise<void> {
  for (const [queue, group] of byQueueOf(jobs)) {
    await broker.publishWithin?.(
      trx,
      queue,
      group.map((job) => trackedMessage(job, 0)),
    );
  }
}

function byQueueOf(jobs: readonly Publishable[]): Map<QueueName, Publishable[]> {
  const byQueue = new Map<QueueName, Publishable[]>();
  for (const job of jobs) {
    const queue = job.queue_name as QueueName;
    const group = byQueue.get(queue);
    if (group === undefined) byQueue.set(queue, [job]);
    else group.push(job);
  }
  return byQueue;
}

function trackedMessage(job: Publishable, delayMs: number): OutgoingMessage {
  return {
    body: Buffer.from(JSON.stringify({ job_id: job.id })),
    headers: { 'content-type': 'application/json', ...headersOf(job) },
    ...(delayMs > 0 ? { delayMs } : {}),
  };
}

/** A job belongs to the trace and the request that created it, whichever process publishes it. */
function headersOf(job: Publishable): Record<string, string> {
  const { [requestIdHeader]: _publisher, ...here } = originHeaders();
  const isHere = job.traceparent === null || job.traceparent === here.traceparent;
  return { ...(isHere ? here : {}), ...storedOrigin(job) };
}

/** Gives headers like `originHeaders`, from the row of the job. */
function storedOrigin(row: Pick<Publishable, 'traceparent' | 'request_id'>): Record<string, string> {
  const { traceparent, request_id: requestId } = row;
  return {
    ...(traceparent === null ? {} : { traceparent }),
    ...(requestId === null ? {} : { [requestIdHeader]: requestId }),
  };
}

/** Publishes the jobs that waited for `jobId`, which has succeeded. */
export async function publishReleased(deps: { db: Queryable; broker: Broker }, jobId: string): Promise<void> {
  const released = await jobsReleasedBy(deps.db, jobId);
  if (released.length > 0) await publishJobs(deps, released);
}

/**
 * Publishes the batches of a queue whose turn it is (see lockNextBatches) and notes it in the ledger. The
 * broker has only a few at a time, so that batches of other jobs get in between. A crash before the note
 * sends them twice, which the ledger expects.
 */
export function publishBatches(
  { db, broker }: JobDeps,
  queue: QueueName,
  placesPerProcess: number,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const batches = await lockNextBatches(trx, queue, placesPerProcess);
    if (batches.length === 0) return 0;
    await broker.publish(
      queue,
      batches.map(({ parent_job_id: jobId, batch_index: batchIndex, operation, payload, ...row }) => ({
        body: batchFrame({ jobId, batchIndex }, operation, payload),
        headers: { 'content-type': 'application/octet-stream', ...storedOrigin(row) },
      })),
    );
    await markBatchesPublished(trx, batches);
    return batches.length;
  });
}

/** Makes a message of a batch or write queue: the header of `batchMessage`, then named binary blocks. */
export function batchFrame(
  key: BatchKey,
  operation: string,
  payload: Record<string, unknown>,
  blocks: Readonly<Record<string, ArrayBufferView>> = {},
): Uint8Array {
  const header = { operation, job_id: key.jobId, batch_index: key.batchIndex, payload };
  return encodeFrame(batchMessage.parse(header), blocks);
}
