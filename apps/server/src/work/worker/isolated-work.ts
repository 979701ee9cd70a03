import { findJob } from '../../store/jobs/jobs.repository.js';
import { runBegunBatch } from './batch-consumer.js';
import type { IsolatedResult, SuspectWork } from './isolation.js';
import { runClaimedJob } from './run-job.js';
import { context } from '@opentelemetry/api';
import { forRequestOf, inRequest } from '../../telemetry/request-id.js';
import type { WorkerRuntime } from './runtime.js';

/**
 * Runs one batch or job in a process that takes nothing else; `inOwnProcess` starts that process. `runtime`
 * has the owner of the claim, so leases are renewed and outcomes written in the name of the worker that
 * started this process.
 */
export async function runSuspect(
  runtime: WorkerRuntime,
  work: SuspectWork,
  signal: AbortSignal,
): Promise<IsolatedResult> {
  if (work.kind === 'batch') {
    const settlement = await forRequestOf(work.delivery.headers, () =>
      runBegunBatch(runtime, work.delivery, signal),
    );
    return { settlement };
  }
  const job = await findJob(runtime.services.db, work.claim.jobId);
  const ours =
    job?.status === 'RUNNING' && job.lease_owner === work.claim.owner && job.attempts === work.claim.attempt;
  if (ours) {
    signal.addEventListener('abort', () => runtime.watch.abortAll('stopping'));
    await context.with(inRequest(context.active(), job.request_id), () =>
      runClaimedJob({ ...runtime, isolate: null }, job),
    );
  }
  return { settlement: 'ack' };
}
