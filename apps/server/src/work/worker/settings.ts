import { defaultsOf } from '../../ground/settings/setting-row.js';
import { type RetryPolicy, retryPolicy } from '../../ground/retry-policy.js';
import { type RetentionSlice, retentionSettingRows } from '../../ground/settings/retention.js';
import { type WorkerSlice, workerSettingRows } from '../../ground/settings/worker.js';

const { leaseSeconds, sweepPeriodMs, jobDeadlineHours } = defaultsOf(workerSettingRows);

/** Production uses `defaultWorkerSettings`; tests change some of them. */
export interface WorkerSettings
  extends Pick<WorkerSlice, 'leaseSeconds' | 'sweepPeriodMs' | 'jobDeadlineHours'> {
  /** The worker looks for cancelled work at this interval. */
  watchPeriodMs: number;
  /** A row that is unpublished for this long was forgotten by its publisher. */
  unpublishedAgeSeconds: number;
  /** A published job whose queue is empty for this long has lost its message. */
  stalledJobSeconds: number;
  /** A dispatched parent without progress and with empty queues for this long has lost messages. */
  stalledBatchSeconds: number;
  /** The policy says how often a failure is tried again, and after which pauses. */
  retries: RetryPolicy;
  /** A stopping worker gives running work this long to finish before it aborts it. */
  stopFinishMs: number;
  /** The worker exits after this time in any case. */
  stopLimitMs: number;
  idempotencyKeyHours: number;
  /** The settings say how long rows are kept that only grow. */
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
  retries: retryPolicy,
  stopFinishMs: 10_000,
  stopLimitMs: 28_000,
  idempotencyKeyHours: 48,
  retention: defaultsOf(retentionSettingRows),
};
