import type { SettledJob } from '../../store/jobs/job-transitions.repository.js';
import type { WorkerRuntime } from './runtime.js';

/** The sweeper publishes committed messages that were not sent, so the failure is only logged. */
export async function leaveToSweeper(runtime: WorkerRuntime, publishing: Promise<unknown>): Promise<void> {
  await publishing.catch((error: unknown) => {
    runtime.faults.failed('the broker did not take a message; the sweeper will send it', error);
  });
}

export function countSettled(
  runtime: WorkerRuntime,
  jobs: readonly SettledJob[],
  status: 'SUCCEEDED' | 'FAILED',
): void {
  for (const job of jobs) runtime.metrics.jobFinished(job.operation, status, job.seconds);
}
