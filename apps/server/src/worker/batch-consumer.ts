import type { Delivery, Settlement } from '../broker/broker.js';
import { retryDelaySeconds } from '../jobs/job-state.js';
import { batchFrame, traceHeaders } from '../jobs/publish.js';
import { type BatchOperation, RetryLater } from '../operations/operation.js';
import { beginBatch, giveBackBatch } from '../store/jobs/job-batches.repository.js';
import { insertJobEvent } from '../store/jobs/jobs.repository.js';
import { ProblemError } from '@kindred/contracts';
import { failBatch, retryOrFail, sendAgain } from './batch-failure.js';
import { type ReadBatch, readBatch, settleUnwanted } from './batch-message.js';
import { batchContext } from './context.js';
import { isInfrastructureError, WorkAborted } from './failure.js';
import type { WorkerRuntime } from './runtime.js';
import { inMessageSpan } from './tracing.js';

const busyHeader = 'x-busy-retries';

/** Handles one message of a batch queue: compute, publish the result to the write queue, acknowledge. */
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
  const start = await beginBatch(runtime.services.db, batch.key);
  if (start.kind !== 'begun') return settleUnwanted(start);
  if (start.attempts > runtime.settings.batchStartLimit) {
    const times = start.attempts - 1;
    const error = new ProblemError('lease_expired', `Its worker vanished during it ${times} times.`);
    await failBatch(runtime, { key: batch.key, operation: operation.name, error }, times);
    return 'ack';
  }
  const handle = runtime.watch.add(batch.key.jobId, null, signal);
  try {
    const attributes = { 'kindred.job_id': batch.key.jobId, 'kindred.batch_index': batch.key.batchIndex };
    await inMessageSpan(operation.name, delivery.headers, attributes, () =>
      computeBatch(runtime, operation, batch, handle.signal),
    );
    return 'ack';
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
): Promise<void> {
  const startedAt = performance.now();
  const context = batchContext(runtime.services, key.jobId, key.batchIndex, signal);
  const product = await operation.compute(operation.payload.parse(header.payload), context);
  runtime.metrics.batchFinished(operation.name, (performance.now() - startedAt) / 1000);
  const body = batchFrame(key, operation.writeName, product.header, product.blocks);
  const headers = { 'content-type': 'application/octet-stream', ...traceHeaders() };
  await runtime.broker.publish(operation.writeQueue, [{ body, headers }]);
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
    throw error; // back to the queue, after a pause
  }
  if (!(error instanceof RetryLater)) {
    return retryOrFail(runtime, delivery, { key: batch.key, operation: operation.name, error });
  }
  const count = Number(delivery.headers[busyHeader] ?? 0);
  const delaySeconds = retryDelaySeconds(error.baseDelayMs / 1000, count);
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
