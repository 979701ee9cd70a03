import { pauseSeconds } from '../../ground/retry-policy.js';
import type { Delivery, Settlement } from '../broker/broker.js';
import { batchFrame, originHeaders } from '../jobs/publish.js';
import { type BatchOperation, RetryLater } from '../operation/operation.js';
import { beginBatch, giveBackBatch } from '../../store/jobs/job-batches.repository.js';
import { insertJobEvent } from '../../store/jobs/jobs.repository.js';
import { ProblemError } from '@kindred/contracts';
import { failBatch, retryOrFail, sendAgain } from './batch-failure.js';
import { computedBatch, type ReadBatch, readBatch } from './batch-message.js';
import { batchContext } from './context.js';
import { isInfrastructureError, WorkAborted } from './failure.js';
import type { Isolation } from './isolation.js';
import type { WorkerRuntime } from './runtime.js';
import { inBatchSpan } from './tracing.js';
import { storeComputed } from './write-consumer.js';

const busyHeader = 'x-busy-retries';

/**
 * Handles one message of a batch queue: computes it, stores the result or publishes it to the write queue,
 * and acknowledges.
 */
export async function handleBatch(
  runtime: WorkerRuntime,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<Settlement> {
  const batch = readBatch(delivery);
  const operation = batch ? await runtime.catalogue.batch(batch.header.operation) : undefined;
  if (!batch || !operation) {
    runtime.log.warn({ queue: delivery.queue }, 'a message that is not a known batch was rejected');
    return 'reject';
  }
  const attempts = await beginBatch(runtime.services.db, batch.key);
  if (attempts === null) {
    void runtime.dispatcher.nudge(operation.queue);
    // Leftovers of stored, cancelled and deleted work would hide the dead letters that someone must look at.
    return 'ack';
  }
  // Only starts whose worker vanished remain counted, because every other end takes its start back.
  const losses = attempts - 1;
  if (losses > 0) await reportLoss(runtime, operation, batch, losses);
  if (losses > runtime.settings.retries.vanishedBatch.retries) {
    const error = new ProblemError('lease_expired', `Its worker vanished during it ${losses} times.`);
    await failBatch(runtime, { key: batch.key, operation: operation.name, error }, losses);
    return 'reject';
  }
  if (runtime.isolate !== null && losses > runtime.settings.retries.vanishedWorker.retries)
    return runAlone(runtime, runtime.isolate, { operation, batch, delivery, losses, signal });
  return compute(runtime, delivery, { operation, batch, signal });
}

/** Runs a batch that `handleBatch` of another process has begun. */
export async function runBegunBatch(
  runtime: WorkerRuntime,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<Settlement> {
  const batch = readBatch(delivery);
  const operation = batch ? await runtime.catalogue.batch(batch.header.operation) : undefined;
  if (!batch || !operation) return 'reject';
  return compute(runtime, delivery, { operation, batch, signal });
}

interface BegunBatch {
  operation: BatchOperation;
  batch: ReadBatch;
  signal: AbortSignal;
}

async function reportLoss(
  runtime: WorkerRuntime,
  operation: BatchOperation,
  { key }: ReadBatch,
  losses: number,
): Promise<void> {
  const alone = runtime.isolate !== null && losses > runtime.settings.retries.vanishedWorker.retries;
  runtime.log.warn(
    { job_id: key.jobId, batch_index: key.batchIndex, losses, alone },
    'a batch begins again because its worker vanished',
  );
  await insertJobEvent(runtime.services.db, {
    jobId: key.jobId,
    level: 'warning',
    event: 'child.worker_lost',
    message: alone
      ? 'Workers vanished during this batch: it now runs alone in a process of its own.'
      : 'The worker of this batch vanished: the batch begins again.',
    fields: { operation: operation.name, batch_index: key.batchIndex, losses, alone },
  });
}

/**
 * A batch that ends its own process every time is at fault: it fails with its parent and becomes a dead
 * letter.
 */
async function runAlone(
  runtime: WorkerRuntime,
  isolate: Isolation,
  suspect: BegunBatch & { delivery: Delivery; losses: number },
): Promise<Settlement> {
  const { operation, batch, delivery, losses, signal } = suspect;
  const handle = runtime.watch.add(batch.key.jobId, null, signal);
  const tries = 1 + runtime.settings.retries.isolatedBatch.retries;
  let how = '';
  try {
    for (let n = 0; n < tries; n++) {
      const end = await isolate({ kind: 'batch', owner: runtime.owner, delivery }, handle.signal);
      if (end.kind === 'done') return end.settlement;
      if (handle.signal.aborted)
        return await settleBatchError(runtime, delivery, { batch, operation, error: handle.signal.reason });
      how = end.how;
    }
  } finally {
    handle.release();
  }
  const error = new ProblemError(
    'lease_expired',
    `It ends every process that computes it (${how}), also one of its own: it may need more memory than the machine has. ` +
      "Look into the worker's log, and make the batches smaller or leave the sequences out.",
  );
  await failBatch(runtime, { key: batch.key, operation: operation.name, error }, losses + tries);
  return 'reject';
}

async function compute(
  runtime: WorkerRuntime,
  delivery: Delivery,
  { operation, batch, signal }: BegunBatch,
): Promise<Settlement> {
  const handle = runtime.watch.add(batch.key.jobId, null, signal);
  try {
    return await inBatchSpan(operation.name, delivery.headers, batch.key, () =>
      computeBatch(runtime, operation, batch, handle.signal),
    );
  } catch (error) {
    const cause = handle.signal.aborted ? handle.signal.reason : error;
    return await settleBatchError(runtime, delivery, { batch, operation, error: cause });
  } finally {
    handle.release();
  }
}

async function computeBatch(
  runtime: WorkerRuntime,
  operation: BatchOperation,
  { header, key }: ReadBatch,
  signal: AbortSignal,
): Promise<Settlement> {
  const startedAt = performance.now();
  const context = batchContext(runtime.services, key.jobId, key.batchIndex, signal);
  const product = await operation.compute(operation.payload.parse(header.payload), context);
  runtime.metrics.batchFinished(operation.name, (performance.now() - startedAt) / 1000);
  const headers = originHeaders();
  const wanted = { operation, batch: computedBatch(operation, key, product), signal };
  const settlement = await storeComputed(runtime, headers, wanted);
  if (settlement !== null) return settlement;
  const body = batchFrame(key, operation.writeName, product.header, product.blocks);
  await runtime.broker.publish(operation.writeQueue, [
    { body, headers: { 'content-type': 'application/octet-stream', ...headers } },
  ]);
  return 'ack';
}

async function settleBatchError(
  runtime: WorkerRuntime,
  delivery: Delivery,
  { batch, operation, error }: { batch: ReadBatch; operation: BatchOperation; error: unknown },
): Promise<Settlement> {
  const { db } = runtime.services;
  if (error instanceof WorkAborted) {
    if (error.abortCause !== 'stopping') return 'ack';
    await giveBackBatch(db, batch.key);
    return 'requeue';
  }
  if (isInfrastructureError(error)) {
    await giveBackBatch(db, batch.key).catch(() => {});
    throw error; // The message goes back to the queue, after a pause.
  }
  if (!(error instanceof RetryLater)) {
    // The header of the message counts failures; the ledger counts vanished workers.
    await giveBackBatch(db, batch.key);
    return retryOrFail(runtime, delivery, { key: batch.key, operation: operation.name, error });
  }
  const count = Number(delivery.headers[busyHeader] ?? 0);
  const { pause } = runtime.settings.retries.busy;
  const delaySeconds = pauseSeconds({ ...pause, firstSeconds: error.baseDelayMs / 1000 }, count);
  await giveBackBatch(db, batch.key);
  await insertJobEvent(db, {
    jobId: batch.key.jobId,
    level: 'warning',
    event: 'child.retry_later',
    message: error.message,
    fields: {
      operation: operation.name,
      batch_index: batch.key.batchIndex,
      delay_seconds: delaySeconds,
      retry_count: count + 1,
    },
  });
  await sendAgain(runtime, delivery, delaySeconds * 1000, { [busyHeader]: String(count + 1) });
  return 'ack';
}
