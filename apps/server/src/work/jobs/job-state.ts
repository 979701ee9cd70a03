import type { JobStatus } from '@kindred/contracts';

/**
 * The table lists the transitions of a job's state. Every statement that changes `job.status` implements one
 * of these rows, and the tests drive each of them on the real database.
 */
export type JobTrigger = 'claim' | 'succeed' | 'fail' | 'cancel' | 'retry_later' | 'give_back';

const transitions: Record<JobTrigger, Partial<Record<JobStatus, JobStatus>>> = {
  claim: { QUEUED: 'RUNNING' },
  succeed: { RUNNING: 'SUCCEEDED' },
  // A queued job fails when the job that it waits for failed, or when its deadline passes.
  fail: { RUNNING: 'FAILED', QUEUED: 'FAILED' },
  cancel: { QUEUED: 'CANCELLED', RUNNING: 'CANCELLED' },
  retry_later: { RUNNING: 'QUEUED' },
  // The worker stops, or loses its lease or the database, so the job itself is not to blame.
  give_back: { RUNNING: 'QUEUED' },
};

/** Gives the state after `trigger`; null if the table has no such row. */
export function nextStatus(status: JobStatus, trigger: JobTrigger): JobStatus | null {
  return transitions[trigger][status] ?? null;
}

/** Returns true for statuses in which a job no longer changes. */
export function isFinal(status: JobStatus): boolean {
  return Object.values(transitions).every((row) => row[status] === undefined);
}
