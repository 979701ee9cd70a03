import type { Transaction } from '../../store/postgres/db.js';
import {
  endLeases,
  jobsPastDeadline,
  leaseOwners,
  lockExpiredLeases,
  orphanedWaits,
  requeueLostJobs,
} from '../../store/jobs/job-sweep.repository.js';
import { cancelJobs, failJobs } from '../../store/jobs/job-transitions.repository.js';
import { isGone } from './owner.js';
import { countSettled } from './settled.js';
import type { WorkerRuntime } from './runtime.js';

const chunk = 200;

/** Crashed workers of this machine need no waiting, so their leases end at once. */
export async function endLeasesOfTheDead(_runtime: WorkerRuntime, trx: Transaction): Promise<void> {
  const gone = (await leaseOwners(trx)).filter((owner) => isGone(owner));
  if (gone.length > 0) await endLeases(trx, gone);
}

/**
 * Puts RUNNING jobs with an expired lease back into the queue; a job that lost too many leases is FAILED. The
 * next chore publishes them, because a message that arrives before this transaction commits would be dropped.
 */
export async function reapLostJobs(runtime: WorkerRuntime, trx: Transaction): Promise<void> {
  const lost = await lockExpiredLeases(trx, chunk);
  if (lost.length === 0) return;
  runtime.metrics.leasesLost(lost.length);
  const { retries } = runtime.settings.retries.vanishedJob;
  const again = lost.filter((job) => job.lease_losses < retries);
  const over = lost.filter((job) => job.lease_losses >= retries).map((job) => job.id);
  await requeueLostJobs(
    trx,
    again.map((job) => job.id),
  );
  const failed = await failJobs(
    trx,
    over,
    'lease_expired',
    `The worker of this job vanished ${retries + 1} times; it may need more memory than the machine has. Look into the worker's log.`,
  );
  countSettled(runtime, failed, 'FAILED');
  runtime.log.warn({ requeued: again.length, failed: over.length }, 'jobs of lost workers were taken back');
}

/** A job may start to wait while its awaited job ends, and that job's transaction can miss it. */
export async function settleOrphanedWaits(runtime: WorkerRuntime, trx: Transaction): Promise<void> {
  for (const wait of await orphanedWaits(trx, chunk)) {
    if (wait.status === 'CANCELLED') {
      await cancelJobs(trx, [wait.id]);
      continue;
    }
    const message = `Job ${wait.waits_for_job_id}, which this one waits for, failed: repair its cause and submit both again.`;
    countSettled(runtime, await failJobs(trx, [wait.id], 'dependency_failed', message), 'FAILED');
  }
}

export async function failOverdue(runtime: WorkerRuntime, trx: Transaction): Promise<void> {
  const ids = await jobsPastDeadline(trx, chunk, runtime.settings.jobDeadlineHours);
  if (ids.length === 0) return;
  const message =
    'The job was not finished by its deadline: give it more time (SVC_JOB_DEADLINE_HOURS) or less work, then submit it again.';
  countSettled(runtime, await failJobs(trx, ids, 'deadline_passed', message), 'FAILED');
}
