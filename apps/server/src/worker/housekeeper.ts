import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, type Transaction } from '../store/postgres/db.js';
import {
  deleteExpiredPredictionSets,
  deleteExpiredQuerySets,
  deleteOldIdempotencyKeys,
} from '../store/records/expiry.repository.js';
import { indexSearch } from '../store/proteins/protein-search.repository.js';
import { lockSweep } from '../store/jobs/job-sweep.repository.js';
import {
  type NewWorkerProcess,
  removeSilentWorkers,
  removeWorkerProcess,
  reportWorkerProcess,
} from '../store/jobs/worker-processes.repository.js';
import { endLeasesOfTheDead, failOverdue, reapLostJobs, settleOrphanedWaits } from './reaper.js';
import type { WorkerRuntime } from './runtime.js';
import { publishForgotten, republishStalledBatches, republishStalledJobs } from './sweeper.js';

type Chore = (runtime: WorkerRuntime, trx: Transaction) => Promise<void>;
const chores: Record<string, Chore> = {
  'end leases of dead processes': endLeasesOfTheDead,
  'requeue jobs of lost workers': reapLostJobs,
  'settle jobs that wait for an ended one': settleOrphanedWaits,
  'fail jobs past their deadline': failOverdue,
  'publish forgotten rows': publishForgotten,
  'publish jobs whose message is lost': republishStalledJobs,
};
const slowChores: Record<string, Chore> = {
  'publish batches whose message is lost': republishStalledBatches,
  'delete expired rows': deleteExpired,
};
const slowPeriodMs = 30_000;
const silentWorkerSeconds = 300;
const expiryChunk = 20;

/**
 * Runs sweeper and reaper in every worker process; an advisory lock lets one process work at a time. Failures are
 * logged and retried in the next round.
 */
export class Housekeeper {
  readonly #stopped = new AbortController();
  readonly #loop: Promise<void>;
  #slowAt = 0;
  #indexing: Promise<void> | null = null;
  readonly #runtime: WorkerRuntime;
  readonly #worker: NewWorkerProcess;

  constructor(runtime: WorkerRuntime, worker: NewWorkerProcess) {
    this.#runtime = runtime;
    this.#worker = worker;
    this.#loop = this.#run();
  }

  /** Ends the loop, reports the last counts and removes the row of this process. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
    await this.#indexing;
    await this.#attempt('report counts', () => this.#runtime.metrics.report());
    await removeWorkerProcess(this.#runtime.services.db, this.#worker.id).catch(() => {});
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#attempt('report this process', () =>
        reportWorkerProcess(this.#runtime.services.db, this.#worker),
      );
      await this.#attempt('report counts', () => this.#runtime.metrics.report());
      await this.#round();
      // After a large load it takes minutes, and the chores go on.
      this.#indexing ??= this.#attempt('index proteins for search', () => this.#indexProteins()).finally(
        () => {
          this.#indexing = null;
        },
      );
      // Random pause, so that the rounds of several processes spread out.
      const pauseMs = this.#runtime.settings.sweepPeriodMs * (0.8 + 0.4 * Math.random());
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  async #round(): Promise<void> {
    const slow = Date.now() - this.#slowAt >= Math.max(slowPeriodMs, this.#runtime.settings.sweepPeriodMs);
    if (slow) this.#slowAt = Date.now();
    for (const [name, chore] of Object.entries(slow ? { ...chores, ...slowChores } : chores)) {
      if (this.#stopped.signal.aborted) return;
      await this.#attempt(name, () =>
        inTransaction(this.#runtime.services.db, async (trx) => {
          if (await lockSweep(trx)) await chore(this.#runtime, trx);
        }),
      );
    }
  }

  async #indexProteins(): Promise<void> {
    while (!this.#stopped.signal.aborted && (await indexSearch(this.#runtime.services.db)) > 0);
  }

  async #attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#runtime.log.warn({ err: error, chore: name }, 'a chore failed; the next round retries it');
    }
  }
}

async function deleteExpired(runtime: WorkerRuntime, trx: Transaction): Promise<void> {
  const predictionSets = await deleteExpiredPredictionSets(trx, expiryChunk);
  const querySets = await deleteExpiredQuerySets(trx, expiryChunk);
  await deleteOldIdempotencyKeys(trx, runtime.settings.idempotencyKeyHours);
  await removeSilentWorkers(trx, silentWorkerSeconds);
  if (predictionSets + querySets > 0) {
    runtime.log.info({ prediction_sets: predictionSets, query_sets: querySets }, 'expired sets were deleted');
  }
}
