import type { Delivery, Settlement } from '../broker/broker.js';
import { publishReleased } from '../jobs/publish.js';
import type { BatchOperation } from '../operation/operation.js';
import { inTransaction, type Transaction } from '../../store/postgres/db.js';
import { closeParent, countStoredBatch, lockBatch } from '../../store/jobs/job-batches.repository.js';
import type { SettledJob } from '../../store/jobs/job-transitions.repository.js';
import { insertJobEvent } from '../../store/jobs/jobs.repository.js';
import { retryOrFail } from './batch-failure.js';
import { type ReadBatch, readBatch } from './batch-message.js';
import { batchContext } from './context.js';
import { isInfrastructureError, WorkAborted } from './failure.js';
import { countSettled, leaveToSweeper } from './settled.js';
import type { WorkerRuntime } from './runtime.js';
import { inBatchSpan } from './tracing.js';

/** The error ends the transaction if the parent has ended, so that nothing of the batch is stored. */
class ParentEnded extends Error {}

export interface Stored {
  settlement: Settlement;
  closed: SettledJob | null;
}

/**
 * Handles one message of a write queue: rows, ledger and progress in one transaction, then the
 * acknowledgement.
 */
export async function handleWrite(
  runtime: WorkerRuntime,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<Settlement> {
  const batch = readBatch(delivery);
  const operation = batch ? await runtime.catalogue.batchByWriteName(batch.header.operation) : undefined;
  if (!batch || !operation) {
    runtime.log.warn({ queue: delivery.queue }, 'a message that is not a known batch was rejected');
    return 'reject';
  }
  const handle = runtime.watch.add(batch.key.jobId, null, signal);
  try {
    return await storeAndAnnounce(runtime, delivery.headers, { operation, batch, signal: handle.signal });
  } catch (error) {
    return await settleWriteError(runtime, delivery, {
      batch,
      operation,
      error: handle.signal.aborted ? handle.signal.reason : error,
    });
  } finally {
    handle.release();
  }
}

interface WantedStore {
  operation: BatchOperation;
  batch: ReadBatch;
  signal: AbortSignal;
}

/** Stores the product of a batch, in the trace of `headers`, and starts what may follow. */
async function storeAndAnnounce(
  runtime: WorkerRuntime,
  headers: Record<string, string>,
  wanted: WantedStore,
): Promise<Settlement> {
  const { operation, batch } = wanted;
  const startedAt = performance.now();
  const stored = await inBatchSpan(operation.writeName, headers, batch.key, () =>
    inTransaction(runtime.services.db, (trx) => storeBatch(runtime, trx, wanted)),
  );
  await announceStored(runtime, operation, stored, startedAt);
  void runtime.dispatcher.nudge(operation.queue);
  return stored.settlement;
}

/**
 * Stores a product in the process that computed it, if that process takes from the write queue, too, so that
 * the broker need not carry it. Null means that the product must take the usual way: this process does not
 * write, or storing failed (the write queue handles retries).
 */
export async function storeComputed(
  runtime: WorkerRuntime,
  headers: Record<string, string>,
  wanted: WantedStore,
): Promise<Settlement | null> {
  const { operation, batch, signal } = wanted;
  if (!runtime.queues.includes(operation.writeQueue)) return null;
  try {
    return await storeAndAnnounce(runtime, headers, wanted);
  } catch (error) {
    if (error instanceof ParentEnded) return 'ack';
    if (signal.aborted) throw error;
    const { jobId: job_id, batchIndex: batch_index } = batch.key;
    runtime.log.warn(
      { err: error, job_id, batch_index },
      'a batch could not be stored and goes to the write queue',
    );
    return null;
  }
}

/** Counts after the commit, and publishes the jobs that waited for a parent that this batch closed. */
export async function announceStored(
  runtime: WorkerRuntime,
  operation: BatchOperation,
  { settlement, closed }: Stored,
  startedAt: number,
): Promise<void> {
  if (closed) {
    countSettled(runtime, [closed], 'SUCCEEDED');
    const deps = { db: runtime.services.db, broker: runtime.broker };
    await leaveToSweeper(runtime, publishReleased(deps, closed.id));
  }
  if (settlement === 'ack')
    runtime.metrics.batchFinished(operation.writeName, (performance.now() - startedAt) / 1000);
}

export async function storeBatch(
  runtime: WorkerRuntime,
  trx: Transaction,
  { operation, batch, signal }: WantedStore,
): Promise<Stored> {
  const { key, header, blocks } = batch;
  if (!(await lockBatch(trx, key))) return { settlement: 'ack', closed: null };
  const context = batchContext(runtime.services, key.jobId, key.batchIndex, signal);
  const fields = await operation.write(trx, { header: header.payload, blocks }, context);
  const count = await countStoredBatch(trx, key);
  if (!count) throw new ParentEnded();
  await insertJobEvent(trx, {
    jobId: key.jobId,
    event: `child.${operation.writeName}.done`,
    fields: { batch_index: key.batchIndex, stored: count.stored, total: count.total, ...fields },
  });
  if (count.stored < count.total) return { settlement: 'ack', closed: null };
  const totals = (await operation.finish?.(trx, { jobId: context.jobId })) ?? {};
  return { settlement: 'ack', closed: await closeParent(trx, key.jobId, totals) };
}

async function settleWriteError(
  runtime: WorkerRuntime,
  delivery: Delivery,
  { batch, operation, error }: { batch: ReadBatch; operation: BatchOperation; error: unknown },
): Promise<Settlement> {
  if (error instanceof ParentEnded) return 'ack';
  if (error instanceof WorkAborted) return error.abortCause === 'stopping' ? 'requeue' : 'ack';
  if (isInfrastructureError(error)) throw error; // The message goes back to the queue, after a pause.
  return retryOrFail(runtime, delivery, { key: batch.key, operation: operation.writeName, error });
}
