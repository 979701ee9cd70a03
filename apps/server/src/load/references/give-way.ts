import { setTimeout as sleep } from 'node:timers/promises';
import { findJob, hasOpenPrediction } from '../../store/jobs/jobs.repository.js';
import type { OperationContext } from '../../work/operation/operation.js';

/** A step waits at most this long each time, so that a service that always predicts ends its builds, too. */
const longestWaitMs = 60_000;
const lookAgainMs = 250;

/**
 * Waits while predictions wait or run, if the job is a step that came with a build: people wait for predictions, and nobody for the step.
 * A job that somebody asked for goes on at once.
 */
export async function giveWay(
  { db, jobId, signal, emit }: Pick<OperationContext, 'db' | 'jobId' | 'signal' | 'emit'>,
  waitMs = longestWaitMs,
): Promise<void> {
  const job = await findJob(db, jobId);
  if (job === undefined || job.parent_job_id === null) return;
  const deadline = performance.now() + waitMs;
  for (let looks = 0; await hasOpenPrediction(db); looks++) {
    if (looks === 0) await emit(`${job.operation}.gives_way`);
    if (performance.now() >= deadline) return;
    await sleep(lookAgainMs, undefined, { signal });
  }
}
