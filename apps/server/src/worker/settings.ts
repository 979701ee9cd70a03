import { defaultsOf } from '../settings/setting-row.js';
import { type WorkerSlice, workerSettingRows } from '../settings/worker.js';

const { leaseSeconds, sweepPeriodMs, jobDeadlineHours } = defaultsOf(workerSettingRows);

/** How a worker process behaves; `defaultWorkerSettings` is what production runs with. */
export interface WorkerSettings
  extends Pick<WorkerSlice, 'leaseSeconds' | 'sweepPeriodMs' | 'jobDeadlineHours'> {
  /** How often cancellations of running work are looked for. */
  watchPeriodMs: number;
  /** A row that is unpublished for so long was forgotten by its publisher. */
  unpublishedAgeSeconds: number;
  /** A published job whose queue is empty for so long has lost its message. */
  stalledJobSeconds: number;
  /** A dispatched parent with no sign of life and empty queues for so long has lost messages. */
  stalledBatchSeconds: number;
  /** Retries of a batch after its first failure, and the pause before the first of them (doubled each time). */
  batchRetries: number;
  batchRetryBaseMs: number;
  /** Starts of one batch without an end (its worker vanished) before it is taken for the cause. */
  batchStartLimit: number;
  /** Losses of a lease that are forgiven. */
  leaseLossLimit: number;
  /** Attempts of one job before failures of database or broker are no longer forgiven. */
  attemptLimit: number;
  /** A worker that stops lets work finish for so long, then aborts it ... */
  stopFinishMs: number;
  /** ... and is gone after so long in all. */
  stopLimitMs: number;
  idempotencyKeyHours: number;
}

export const defaultWorkerSettings: WorkerSettings = {
  leaseSeconds,
  sweepPeriodMs,
  jobDeadlineHours,
  watchPeriodMs: 500,
  unpublishedAgeSeconds: 5,
  stalledJobSeconds: 60,
  stalledBatchSeconds: 600,
  batchRetries: 3,
  batchRetryBaseMs: 2000,
  batchStartLimit: 20,
  leaseLossLimit: 3,
  attemptLimit: 20,
  stopFinishMs: 10_000,
  stopLimitMs: 28_000,
  idempotencyKeyHours: 48,
};
