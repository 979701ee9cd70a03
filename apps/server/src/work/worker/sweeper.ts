import { type QueueName, trackedQueues } from '@kindred/contracts';
import { publishJobs } from '../jobs/publish.js';
import { queuesWithWaitingBatches } from '../../store/jobs/job-batches.repository.js';
import type { Transaction } from '../../store/postgres/db.js';
import {
  stalledJobs,
  stalledParents,
  unpublishBatches,
  unpublishedJobs,
} from '../../store/jobs/job-sweep.repository.js';
import { operationWriteQueues } from './queues.js';
import type { WorkerRuntime } from './runtime.js';

const chunk = 500;

/** Publishes committed but unpublished messages: jobs, then batches that have a place. */
export async function publishForgotten(runtime: WorkerRuntime): Promise<void> {
  const { services, broker, settings, log } = runtime;
  const jobs = await unpublishedJobs(services.db, settings.unpublishedAgeSeconds, chunk);
  if (jobs.length > 0) {
    await publishJobs({ db: services.db, broker }, jobs);
    log.info({ jobs: jobs.length }, 'jobs that no broker had taken were published');
  }
  for (const queue of await queuesWithWaitingBatches(services.db))
    await runtime.dispatcher.nudge(queue as QueueName);
}

/**
 * A published job that stays QUEUED while its queue is empty has lost its message; sending a second one is
 * harmless.
 */
export async function republishStalledJobs(runtime: WorkerRuntime): Promise<void> {
  const { services, broker, settings, log } = runtime;
  for (const queue of trackedQueues) {
    const jobs = await stalledJobs(services.db, queue, settings.stalledJobSeconds, chunk);
    if (jobs.length === 0 || (await broker.depth(queue)) > 0) continue;
    await publishJobs({ db: services.db, broker }, jobs);
    log.warn({ queue, jobs: jobs.length }, 'jobs whose message was lost were published again');
  }
}

/**
 * Publishes batches again that have made no progress for a long time, when both the batch queue and its write
 * queue are empty.
 */
export async function republishStalledBatches(runtime: WorkerRuntime, trx: Transaction): Promise<void> {
  const { broker, settings, log } = runtime;
  for (const parent of await stalledParents(trx, settings.stalledBatchSeconds, chunk)) {
    const queues = [parent.queue_name as QueueName, ...operationWriteQueues(parent.queue_name)];
    const depths = await Promise.all(queues.map((queue) => broker.depth(queue)));
    if (depths.some((depth) => depth > 0)) continue;
    const batches = await unpublishBatches(trx, parent.id);
    log.warn({ job_id: parent.id, batches }, 'batches whose message was lost will be published again');
  }
}
