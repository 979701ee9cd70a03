import type { BatchOperation, BatchProduct, OperationOutcome } from '../operation/operation.js';
import { dispatchBatches } from '../../store/jobs/job-batches.repository.js';
import type { Claim } from '../../store/jobs/job-transitions.repository.js';
import { inTransaction } from '../../store/postgres/db.js';
import { computedBatch } from './batch-message.js';
import { batchContext } from './context.js';
import { isInfrastructureError } from './failure.js';
import type { WorkerRuntime } from './runtime.js';
import { inBatchSpan } from './tracing.js';
import { announceStored, storeBatch } from './write-consumer.js';

type Deferred = Extract<OperationOutcome, { kind: 'deferred' }>;

/**
 * Computes the only batch of a small job where the job was claimed, under its lease, so that it waits for no
 * batch of a large job. Null means that the batch must take the usual way: it is too large, this worker
 * computes no batches, or it failed (only the batch queues handle retries and suspects).
 */
export async function computeSmall(
  runtime: WorkerRuntime,
  claim: Claim,
  outcome: OperationOutcome,
  signal: AbortSignal,
): Promise<BatchProduct | null> {
  if (outcome.kind !== 'deferred' || !outcome.small || outcome.batches.length !== 1) return null;
  const operation = await runtime.catalogue.batch(outcome.batch);
  if (!operation || !runtime.queues.includes(operation.queue)) return null;
  const startedAt = performance.now();
  const context = batchContext(urgent(runtime.services), claim.jobId, 0, signal);
  try {
    const payload = operation.payload.parse(outcome.batches[0].payload);
    const product = await inBatchSpan(operation.name, {}, onlyBatch(claim), () =>
      operation.compute(payload, context),
    );
    runtime.metrics.batchFinished(operation.name, (performance.now() - startedAt) / 1000);
    return product;
  } catch (error) {
    if (signal.aborted) throw error;
    runtime.log.warn({ err: error, job_id: claim.jobId }, 'a small batch failed and goes to its queue');
    return null;
  }
}

const onlyBatch = ({ jobId }: Claim) => ({ jobId, batchIndex: 0 });

/** Writes ledger, rows and outcome in one transaction. False means that the batch must take the usual way. */
export async function storeSmall(
  runtime: WorkerRuntime,
  claim: Claim,
  { operation, outcome, product }: { operation: BatchOperation; outcome: Deferred; product: BatchProduct },
): Promise<boolean> {
  const key = onlyBatch(claim);
  const dispatch = {
    operation: operation.name,
    queue: operation.queue,
    payloads: outcome.batches.map(({ payload }) => payload),
    result: outcome.result,
  };
  const batch = computedBatch(operation, key, product);
  const startedAt = performance.now();
  try {
    const stored = await inBatchSpan(operation.writeName, {}, key, () =>
      inTransaction(runtime.services.db, async (trx) => {
        if (!(await dispatchBatches(trx, claim, dispatch)).dispatched) return null;
        return storeBatch(runtime, trx, { operation, batch, signal: new AbortController().signal });
      }),
    );
    if (stored) await announceStored(runtime, operation, stored, startedAt);
    return true;
  } catch (error) {
    if (isInfrastructureError(error)) throw error;
    runtime.log.warn({ err: error, job_id: claim.jobId }, 'a small batch failed and goes to its queue');
    return false;
  }
}

function urgent(services: WorkerRuntime['services']): WorkerRuntime['services'] {
  const { compute } = services;
  return {
    ...services,
    compute: {
      size: compute.size,
      run: (task, input, options) => compute.run(task, input, { ...options, urgent: true }),
      close: () => compute.close(),
    },
  };
}
