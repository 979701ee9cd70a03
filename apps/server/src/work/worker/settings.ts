import { defaultsOf } from '../../ground/settings/setting-row.js';
import { type RetentionSlice, retentionSettingRows } from '../../ground/settings/retention.js';
import { type WorkerSlice, workerSettingRows } from '../../ground/settings/worker.js';

const { leaseSeconds, sweepPeriodMs, jobDeadlineHours } = defaultsOf(workerSettingRows);

/** Settings of a worker process; production uses `defaultWorkerSettings`. */
export interface WorkerSettings
  extends Pick<WorkerSlice, 'leaseSeconds' | 'sweepPeriodMs' | 'jobDeadlineHours'> {
  /** Interval between checks for cancelled work. */
  watchPeriodMs: number;
  /** A row unpublished for this long was forgotten by its publisher. */
  unpublishedAgeSeconds: number;
  /** A published job whose queue is empty for this long has lost its message. */
  stalledJobSeconds: number;
  /** A dispatched parent without progress and with empty queues for this long has lost messages. */
  stalledBatchSeconds: number;
  /** Retries of a batch after its first failure, and the pause before the first of them (doubled each time). */
  batchRetries: number;
  batchRetryBaseMs: number;
  /** Workers that vanished during one batch or job, after which it runs alone in a process of its own. */
  suspectAfterLosses: number;
  /** Number of isolated processes that a suspect batch may end before it counts as the cause. */
  isolatedTries: number;
  /** Number of starts with a vanished worker after which a batch fails even without this proof. */
  batchStartLimit: number;
  /** Number of lost leases after which a job is still requeued. */
  leaseLossLimit: number;
  /** Attempts of one job after which failures of database or broker fail it. */
  attemptLimit: number;
  /** Time that a stopping worker gives running work to finish before it aborts it. */
  stopFinishMs: number;
  /** Time after which it exits in any case. */
  stopLimitMs: number;
  idempotencyKeyHours: number;
  /** How long rows are kept that only grow. */
  retention: RetentionSlice;
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
  suspectAfterLosses: 2,
  isolatedTries: 2,
  batchStartLimit: 20,
  leaseLossLimit: 3,
  attemptLimit: 20,
  stopFinishMs: 10_000,
  stopLimitMs: 28_000,
  idempotencyKeyHours: 48,
  retention: defaultsOf(retentionSettingRows),
};
