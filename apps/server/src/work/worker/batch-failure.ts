import type { QueueName } from '@kindred/contracts';
import { pauseMs } from '../../ground/retry-policy.js';
import type { Delivery, Settlement } from '../broker/broker.js';
import { originHeaders } from '../jobs/publish.js';
import { inTransaction } from '../../store/postgres/db.js';
import { type BatchKey, markBatchFailed } from '../../store/jobs/job-batches.repository.js';
import { failJobs } from '../../store/jobs/job-transitions.repository.js';
import { insertJobEvent } from '../../store/jobs/jobs.repository.js';
import { describeFailure, isFinalRefusal } from './failure.js';
import { countSettled } from './settled.js';
import type { WorkerRuntime } from './runtime.js';

/** The header counts the failures of one batch message. */
export const retriesHeader = 'x-retries';

export interface FailedBatch {
  key: BatchKey;
  /** The operation has this name: compute_embeddings_batch, store_embeddings, ... */
  operation: string;
  error: unknown;
}

/** Sends the message again after a pause that grows; after the last retry, fails the batch and its parent. */
export async function retryOrFail(
  runtime: WorkerRuntime,
  delivery: Delivery,
  failed: FailedBatch,
): Promise<Settlement> {
  const { key, operation, error } = failed;
  const retries = Number(delivery.headers[retriesHeader] ?? 0);
  const rule = runtime.settings.retries.batchError;
  const log = { err: error, job_id: key.jobId, batch_index: key.batchIndex, operation, retries };
  if (retries >= rule.retries || isFinalRefusal(error)) {
    runtime.log.error(log, 'a batch failed');
    await failBatch(runtime, failed, retries + 1);
    return 'ack';
  }
  runtime.log.warn(log, 'a batch failed and will be retried');
  const delayMs = pauseMs(rule.pause, retries);
  await insertJobEvent(runtime.services.db, {
    jobId: key.jobId,
    level: 'warning',
    event: 'child.retry',
    fields: {
      operation,
      batch_index: key.batchIndex,
      error_code: describeFailure(error).code,
      delay_seconds: delayMs / 1000,
      retry_count: retries + 1,
    },
  });
  await sendAgain(runtime, delivery, delayMs, { [retriesHeader]: String(retries + 1) });
  return 'ack';
}

export async function sendAgain(
  runtime: WorkerRuntime,
  delivery: Delivery,
  delayMs: number,
  headers: Record<string, string>,
): Promise<void> {
  const message = {
    body: delivery.body,
    headers: { ...delivery.headers, ...originHeaders(), ...headers },
    delayMs,
  };
  await runtime.broker.publish(delivery.queue as QueueName, [message]);
}

/**
 * Marks the ledger row `failed`, emits `child.failed` on the parent, and fails the parent and all jobs that
 * wait for it.
 */
export async function failBatch(
  runtime: WorkerRuntime,
  failed: FailedBatch,
  attempts: number,
): Promise<void> {
  const { key, operation, error } = failed;
  const { code, message } = describeFailure(error);
  const publicMessage =
    code === 'internal_error' ? 'a fault of the service; the log has the details under the job id.' : message;
  const times = attempts === 1 ? '' : ` after ${attempts} attempts`;
  const parentMessage = `Batch ${key.batchIndex} (${operation}) failed${times}: ${publicMessage}`;
  const settled = await inTransaction(runtime.services.db, async (trx) => {
    if (!(await markBatchFailed(trx, key, parentMessage))) return [];
    const jobs = await failJobs(trx, [key.jobId], 'batch_failed', parentMessage);
    await insertJobEvent(trx, {
      jobId: key.jobId,
      level: 'error',
      event: 'child.failed',
      message,
      fields: { operation, error_code: code, batch_index: key.batchIndex, attempts },
    });
    return jobs;
  });
  countSettled(runtime, settled, 'FAILED');
}
