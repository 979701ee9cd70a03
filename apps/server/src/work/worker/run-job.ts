import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '@kindred/contracts';
import { pauseMs, pauseSeconds } from '../../ground/retry-policy.js';
import { publishJobs, publishReleased } from '../jobs/publish.js';
import { type BatchProduct, type OperationOutcome, RetryLater } from '../operation/operation.js';
import { inTransaction } from '../../store/postgres/db.js';
import { dispatchBatches } from '../../store/jobs/job-batches.repository.js';
import {
  type Claim,
  endLeaseOf,
  failJobs,
  giveBackJob,
  lockClaim,
  type Publishable,
  retryJobLater,
  succeedJob,
} from '../../store/jobs/job-transitions.repository.js';
import { insertJobEvent, type JobRow } from '../../store/jobs/jobs.repository.js';
import { jobContext } from './context.js';
import { describeFailure, isInfrastructureError, WorkAborted } from './failure.js';
import type { Isolation } from './isolation.js';
import type { WorkerRuntime } from './runtime.js';
import { countSettled, leaveToSweeper } from './settled.js';
import { computeSmall, storeSmall } from './small-batch.js';
import { markFailed } from './tracing.js';

/**
 * Runs a claimed job to its outcome. The function never throws: if the outcome cannot be written, the lease
 * expires and the reaper handles the job.
 */
export async function runClaimedJob(runtime: WorkerRuntime, job: JobRow): Promise<void> {
  const claim: Claim = { jobId: job.id, owner: runtime.owner, attempt: job.attempts };
  const handle = runtime.watch.add(job.id, job.attempts);
  try {
    if (runtime.isolate !== null && job.lease_losses > runtime.settings.retries.vanishedWorker.retries) {
      await runAlone(runtime, runtime.isolate, claim, handle.signal);
      return;
    }
    const settle = await operate(runtime, job, claim, handle.signal);
    await untilWritten(runtime, settle);
  } catch (error) {
    runtime.log.error(
      { err: error, job_id: job.id },
      'the outcome of a job could not be written; its lease will expire',
    );
  } finally {
    handle.release();
  }
}

/**
 * The isolated process itself writes the outcome. When it dies, the reaper requeues or fails the job at once.
 */
async function runAlone(
  runtime: WorkerRuntime,
  isolate: Isolation,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  await insertJobEvent(runtime.services.db, {
    jobId: claim.jobId,
    level: 'warning',
    event: 'job.isolated',
    message: 'Workers vanished during this job: it now runs alone in a process of its own.',
  });
  const end = await isolate({ kind: 'job', claim }, signal);
  if (end.kind === 'done') return;
  runtime.log.warn({ job_id: claim.jobId, how: end.how }, 'a job ended the process in which it ran alone');
  await endLeaseOf(runtime.services.db, claim);
}

/** Runs the operation, and returns a function that writes its outcome. */
async function operate(
  runtime: WorkerRuntime,
  job: JobRow,
  claim: Claim,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const { context, flush } = jobContext(runtime.services, claim, signal);
  try {
    const operation = await runtime.catalogue.operation(job.operation);
    if (!operation) {
      throw new ProblemError(
        'unknown_operation',
        `This worker has no operation ${job.operation}: update it.`,
      );
    }
    const outcome = await operation.run(operation.parse(job.payload), context);
    const product = await computeSmall(runtime, claim, outcome, signal);
    await flush();
    return () => settleOutcome(runtime, claim, outcome, product);
  } catch (error) {
    return () => settleError(runtime, job, claim, signal.aborted ? signal.reason : error);
  }
}

/** A settlement is one guarded statement or transaction, so it can be retried until the lease expires. */
async function untilWritten(runtime: WorkerRuntime, settle: () => Promise<void>): Promise<void> {
  const giveUpAt = Date.now() + runtime.settings.leaseSeconds * 1000;
  for (let n = 0; ; n++) {
    try {
      return await settle();
    } catch (error) {
      if (!isInfrastructureError(error) || Date.now() > giveUpAt) throw error;
      await sleep(pauseMs(runtime.settings.retries.outcome.pause, n));
    }
  }
}

async function settleOutcome(
  runtime: WorkerRuntime,
  claim: Claim,
  outcome: OperationOutcome,
  product: BatchProduct | null,
): Promise<void> {
  const { db } = runtime.services;
  if (outcome.kind === 'done' || outcome.batches.length === 0) {
    const settled = await succeedJob(db, claim, outcome.result);
    if (!settled) return;
    countSettled(runtime, [settled], 'SUCCEEDED');
    await leaveToSweeper(runtime, publishReleased({ db, broker: runtime.broker }, claim.jobId));
    return;
  }
  const batch = await runtime.catalogue.batch(outcome.batch);
  if (!batch) throw new Error(`no batch operation ${outcome.batch}`);
  if (product && (await storeSmall(runtime, claim, { operation: batch, outcome, product }))) return;
  const { dispatched } = await inTransaction(db, (trx) =>
    dispatchBatches(trx, claim, {
      operation: batch.name,
      queue: batch.queue,
      payloads: outcome.batches.map((request) => request.payload),
      result: outcome.result,
    }),
  );
  if (dispatched) await runtime.dispatcher.nudge(batch.queue);
}

async function settleError(runtime: WorkerRuntime, job: JobRow, claim: Claim, error: unknown): Promise<void> {
  const { db } = runtime.services;
  const { retries } = runtime.settings;
  if (error instanceof WorkAborted) {
    if (error.abortCause !== 'stopping') return; // The row already has the outcome of the job.
    await republish(runtime, await giveBackJob(db, claim, 'worker_stopped'), 0);
    return;
  }
  if (error instanceof RetryLater) {
    const pause = { ...retries.busy.pause, firstSeconds: error.baseDelayMs / 1000 };
    const delaySeconds = pauseSeconds(pause, job.retry_count);
    await republish(
      runtime,
      await retryJobLater(db, claim, delaySeconds, error.message),
      delaySeconds * 1000,
    );
    return;
  }
  // Claims that ended otherwise have their own counts.
  const lost = claim.attempt - 1 - job.retry_count - job.lease_losses;
  if (isInfrastructureError(error) && lost < retries.jobConnection.retries) {
    const fields = { job_id: job.id, operation: job.operation, attempt: claim.attempt };
    runtime.faults.failed('a job lost a connection and goes back to its queue', error, fields);
    const delaySeconds = pauseSeconds(retries.jobConnection.pause, lost);
    await republish(
      runtime,
      await giveBackJob(db, claim, 'connection_lost', delaySeconds),
      delaySeconds * 1000,
    );
    return;
  }
  const { code, message } = describeFailure(error);
  const settled = await inTransaction(db, async (trx) => {
    const fields = { err: error, job_id: job.id, operation: job.operation };
    if (!(await lockClaim(trx, claim))) {
      // A job that was cancelled meanwhile may fail because rows are gone; a job that was taken back may run
      // elsewhere.
      runtime.log.warn(fields, 'a job failed whose outcome is decided elsewhere: its claim was lost');
      return [];
    }
    runtime.log.error(fields, 'a job failed');
    markFailed(error);
    return failJobs(trx, [claim.jobId], code, message);
  });
  countSettled(runtime, settled, 'FAILED');
}

async function republish(
  runtime: WorkerRuntime,
  job: Publishable | undefined,
  delayMs: number,
): Promise<void> {
  if (!job) return;
  await leaveToSweeper(
    runtime,
    publishJobs({ db: runtime.services.db, broker: runtime.broker }, [job], delayMs),
  );
}
