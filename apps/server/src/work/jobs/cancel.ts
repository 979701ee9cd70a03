import { absent, type JobStatus, ProblemError } from '@kindred/contracts';
import { type Database, inTransaction } from '../../store/postgres/db.js';
import { cancelJobs } from '../../store/jobs/job-transitions.repository.js';
import { findJob, type JobRow, lockJob, removeJob } from '../../store/jobs/jobs.repository.js';
import { nextStatus } from './job-state.js';

/**
 * Moves a job from QUEUED or RUNNING to CANCELLED, with its children and all jobs that wait for it; the
 * workers notice within about a second. A job that is CANCELLED already comes back unchanged.
 * @throws ProblemError not_found; conflict when it is SUCCEEDED or FAILED
 */
export async function cancelJob(db: Database, id: string): Promise<JobRow> {
  return inTransaction(db, async (trx) => {
    const job = await lockJob(trx, id);
    if (!job) throw absent('job', id);
    if (job.status === 'CANCELLED') return job;
    if (nextStatus(job.status as JobStatus, 'cancel') === null) {
      throw new ProblemError(
        'conflict',
        `Job ${id} is ${job.status}: only a QUEUED or RUNNING job can be cancelled.`,
      );
    }
    await cancelJobs(trx, [id]);
    return (await findJob(trx, id)) as JobRow;
  });
}

/**
 * Deletes a job that is not RUNNING, with its events, comments and ledger. A QUEUED job is cancelled first,
 * so that jobs that wait for it are not released.
 * @throws ProblemError not_found; conflict when it is RUNNING
 */
export async function deleteJob(db: Database, id: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const job = await lockJob(trx, id);
    if (!job) throw absent('job', id);
    refuseRunning(job);
    if (job.status === 'QUEUED') await cancelJobs(trx, [id]);
    await removeJob(trx, id);
  });
}

/** @throws ProblemError conflict */
export function refuseRunning({ id, status }: JobRow): void {
  if (status !== 'RUNNING') return;
  throw new ProblemError('conflict', `Job ${id} is RUNNING: cancel it first, then delete it.`);
}
