import { setTimeout as sleep } from 'node:timers/promises';
import { NoAnswer, within } from '../broker/within.js';
import { cutConnections, inTransaction, type Transaction } from '../../store/postgres/db.js';
import {
  deleteExpiredPredictionSets,
  deleteExpiredQuerySets,
  deleteOldIdempotencyKeys,
} from '../../store/maintenance/expiry.repository.js';
import { closeForsakenSets } from '../../store/predictions/prediction-sets.repository.js';
import { foldBankChanges } from '../../store/references/reference-bank.repository.js';
import { indexSearch } from '../../store/proteins/protein-search.repository.js';
import { lockSweep } from '../../store/jobs/job-sweep.repository.js';
import {
  listWorkerProcesses,
  lostWorkerSeconds,
  type NewWorkerProcess,
  removeSilentWorkers,
  removeWorkerProcess,
  reportWorkerProcess,
} from '../../store/jobs/worker-processes.repository.js';
import { runDailyChores } from './daily.js';
import { isGone } from './owner.js';
import { endLeasesOfTheDead, failOverdue, reapLostJobs, settleOrphanedWaits } from './reaper.js';
import { forgetOld } from './retention.js';
import type { WorkerRuntime } from './runtime.js';
import { publishForgotten, republishStalledBatches, republishStalledJobs } from './sweeper.js';

type Chore = (runtime: WorkerRuntime, trx: Transaction) => Promise<void>;
const chores: Record<string, Chore> = {
  'forget processes that are lost': forgetLostWorkers,
  'end leases of dead processes': endLeasesOfTheDead,
  'requeue jobs of lost workers': reapLostJobs,
  'settle jobs that wait for an ended one': settleOrphanedWaits,
  'fail jobs past their deadline': failOverdue,
  'publish forgotten rows': publishForgotten,
  'publish jobs whose message is lost': republishStalledJobs,
};
const slowChores: Record<string, Chore> = {
  'publish batches whose message is lost': republishStalledBatches,
  'close sets whose job has ended': closeSets,
  'delete expired rows': deleteExpired,
  'forget what is older than its retention': forget,
  'add up the noted changes of banks': (_runtime, trx) => foldBankChanges(trx),
};
/** GET /workers/status shows a lost process for this long. */
const shownLostSeconds = 60;
const slowPeriodMs = 30_000;
/** A chore is a few small statements, so if it takes longer, it waits on a dead connection. */
const choreLimitMs = 300_000;
/** Indexing may take this long after a load of millions of proteins. */
const indexLimitMs = 4 * 3_600_000;
/** A store with millions of objects is listed page by page, which takes long. */
const dailyLimitMs = 4 * 3_600_000;
const stopLimitMs = 2000;
const expiryLimits = { sets: 2000, rows: 200_000 };

/**
 * Runs sweeper and reaper in every worker process; an advisory lock lets one process work at a time. Failures
 * are logged and retried in the next round.
 */
export class Housekeeper {
  readonly #stopped = new AbortController();
  readonly #loop: Promise<void>;
  #slowAt = 0;
  #indexing: Promise<void> | null = null;
  #daily: Promise<void> | null = null;
  #draining = false;
  #drained: Promise<void> | null = null;
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
    const farewell = async () => {
      // A report that is still on its way would bring the row back.
      await Promise.all([this.#loop, this.#drained, this.#indexing, this.#daily]);
      await this.#attempt('report counts', () => this.#runtime.metrics.report());
      await removeWorkerProcess(this.#runtime.services.db, this.#worker.id);
    };
    // The database may be unreachable or hang; other processes then remove the row.
    await within(stopLimitMs, farewell()).catch(() => {});
  }

  /** Notes in the row of this process that it takes no more work. */
  drain(): Promise<void> {
    this.#draining = true;
    this.#drained = this.#reportProcess();
    return this.#drained;
  }

  #reportProcess(): Promise<void> {
    const state = {
      working: this.#runtime.watch.working,
      draining: this.#draining,
      unsettled: this.#runtime.broker.unsettled(),
    };
    return this.#attempt(
      'report this process',
      () => reportWorkerProcess(this.#runtime.services.db, { ...this.#worker, ...state }),
      this.#runtime.settings.leaseSeconds * 250,
    );
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#reportProcess();
      await this.#attempt('report counts', () => this.#runtime.metrics.report());
      await this.#round();
      // Indexing after a large load takes minutes, and the chores continue meanwhile.
      this.#indexing ??= this.#attempt(
        'index proteins for search',
        () => this.#indexProteins(),
        indexLimitMs,
      ).finally(() => {
        this.#indexing = null;
      });
      // The pause is random, so that the rounds of several processes spread out.
      const pauseMs = this.#runtime.settings.sweepPeriodMs * (0.8 + 0.4 * Math.random());
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  async #round(): Promise<void> {
    const slow = Date.now() - this.#slowAt >= Math.max(slowPeriodMs, this.#runtime.settings.sweepPeriodMs);
    if (slow) {
      this.#slowAt = Date.now();
      this.#daily ??= this.#attempt(
        'daily chores',
        () => runDailyChores(this.#runtime, this.#stopped.signal),
        dailyLimitMs,
      ).finally(() => {
        this.#daily = null;
      });
    }
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

  async #attempt(name: string, work: () => Promise<void>, limitMs = choreLimitMs): Promise<void> {
    const what = `a chore failed and comes again with the next round: ${name}`;
    try {
      await within(limitMs, work());
      this.#runtime.faults.worked(what);
    } catch (error) {
      this.#runtime.faults.failed(what, error);
      if (error instanceof NoAnswer) cutConnections(this.#runtime.services.db);
    }
  }
}

/**
 * Processes of this machine that have certainly ended are removed at once, others after a minute without a
 * report.
 */
async function forgetLostWorkers(_runtime: WorkerRuntime, trx: Transaction): Promise<void> {
  const gone = (await listWorkerProcesses(trx)).filter(({ id }) => isGone(id)).map(({ id }) => id);
  for (const id of gone) await removeWorkerProcess(trx, id);
  await removeSilentWorkers(trx, lostWorkerSeconds + shownLostSeconds);
}

async function forget(runtime: WorkerRuntime, trx: Transaction): Promise<void> {
  const forgotten = await forgetOld(trx, runtime.settings.retention);
  if (Object.values(forgotten).some((count) => count > 0))
    runtime.log.info(forgotten, 'old rows were deleted');
}

async function closeSets(runtime: WorkerRuntime, trx: Transaction): Promise<void> {
  const sets = await closeForsakenSets(trx, expiryLimits.sets);
  if (sets > 0) runtime.log.warn({ prediction_sets: sets }, 'sets whose job had ended were closed');
}

async function deleteExpired(runtime: WorkerRuntime, trx: Transaction): Promise<void> {
  const predictionSets = await deleteExpiredPredictionSets(trx, expiryLimits);
  const querySets = await deleteExpiredQuerySets(trx, expiryLimits);
  await deleteOldIdempotencyKeys(trx, runtime.settings.idempotencyKeyHours);
  if (predictionSets + querySets > 0) {
    runtime.log.info({ prediction_sets: predictionSets, query_sets: querySets }, 'expired sets were deleted');
  }
}
