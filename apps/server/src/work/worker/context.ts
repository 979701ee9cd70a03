import type { EventLevel, JobId } from '@kindred/contracts';
import type { OperationContext, OperationServices } from '../operation/operation.js';
import {
  advanceProgress,
  type Claim,
  insertEventOfClaim,
  lockClaim,
} from '../../store/jobs/job-transitions.repository.js';
import { insertJobEvent, shareJobStatus } from '../../store/jobs/jobs.repository.js';
import { inTransaction } from '../../store/postgres/db.js';
import { WorkAborted } from './failure.js';

const progressPeriodMs = 500;
const progressEventPeriodMs = 5000;

/** Makes the context of a tracked job; `flush` writes the progress that is not yet written. */
export function jobContext(
  services: OperationServices,
  claim: Claim,
  signal: AbortSignal,
): { context: OperationContext; flush(): Promise<void> } {
  const progress = new ThrottledProgress(services, claim);
  const context: OperationContext = {
    ...services,
    jobId: claim.jobId as JobId,
    signal,
    emit: async (event, fields, level) => {
      if (!(await insertEventOfClaim(services.db, { claim, event: { event, fields, level } })))
        throw new WorkAborted('lease_lost');
    },
    progress: (current, total) => progress.report(current, total),
    whileHeld: (work) =>
      inTransaction(services.db, async (trx) => {
        if (!(await lockClaim(trx, claim))) throw new WorkAborted('lease_lost');
        return work(trx);
      }),
  };
  return { context, flush: () => progress.flush() };
}

/**
 * Makes the context of a batch: events appear on the parent as `child.<event>`, and its progress counts
 * stored batches only.
 */
export function batchContext(
  services: OperationServices,
  parentJobId: string,
  batchIndex: number,
  signal: AbortSignal,
): OperationContext {
  return {
    ...services,
    jobId: parentJobId as JobId,
    signal,
    emit: (event, fields, level) =>
      emit(services, parentJobId, {
        event: `child.${event}`,
        fields: { batch_index: batchIndex, ...fields },
        level,
      }),
    progress: async () => {},
    whileHeld: (work) =>
      inTransaction(services.db, async (trx) => {
        if ((await shareJobStatus(trx, parentJobId)) !== 'RUNNING') throw new WorkAborted('parent_ended');
        return work(trx);
      }),
  };
}

interface Emitted {
  event: string;
  fields?: Record<string, unknown>;
  level?: EventLevel;
}
async function emit(services: OperationServices, jobId: string, emitted: Emitted): Promise<void> {
  await insertJobEvent(services.db, { jobId, ...emitted });
}

/** Writes at most twice a second; `flush` writes the last value. */
class ThrottledProgress {
  #held: { current: number; total: number | null } | null = null;
  #writtenAt = 0;
  #eventAt = Date.now();
  readonly #services: OperationServices;
  readonly #claim: Claim;

  constructor(services: OperationServices, claim: Claim) {
    this.#services = services;
    this.#claim = claim;
  }

  async report(current: number, total: number | null): Promise<void> {
    this.#held = { current, total };
    if (Date.now() - this.#writtenAt >= progressPeriodMs) await this.flush();
  }

  async flush(): Promise<void> {
    if (!this.#held) return;
    const { current, total } = this.#held;
    this.#held = null;
    this.#writtenAt = Date.now();
    await advanceProgress(this.#services.db, this.#claim, current, total);
    if (this.#writtenAt - this.#eventAt < progressEventPeriodMs) return;
    this.#eventAt = this.#writtenAt;
    await emit(this.#services, this.#claim.jobId, { event: 'job.progress', fields: { current, total } });
  }
}
