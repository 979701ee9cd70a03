import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, cutConnections, pingDatabase } from '../../store/postgres/db.js';
import { NoAnswer, within } from '../broker/within.js';
import { renewLeases, type WatchedRow, watchJobs } from '../../store/jobs/job-transitions.repository.js';
import { type AbortCause, WorkAborted } from './failure.js';
import type { FaultLog } from '../../telemetry/fault-log.js';
import { Watchdog } from './watchdog.js';

interface WatchedWork {
  jobId: string;
  /** The claim of a tracked job has this number; null for a batch, whose job is the parent. */
  attempt: number | null;
  controller: AbortController;
}
export interface WatchHandle {
  signal: AbortSignal;
  /** The caller releases the handle when the work has ended. */
  release(): void;
}

interface WatchOptions {
  leaseSeconds: number;
  watchPeriodMs: number;
  faults: FaultLog;
  /** The flag is true if the process belongs to the worker alone, and may be ended. */
  ownProcess?: boolean;
}

/** The patience is at least this, even if leases are short: a busy machine may not answer within a second. */
const minPatienceMs = 3000;
const minWatchdogMs = 30_000;
const unchecked = 'running work could not be checked; retrying';

/**
 * Monitors the work of one process: renews leases, and aborts work whose job was cancelled, failed or lost. A
 * database connection that does not answer is cut. If work continues for another lease after its own has
 * ended, the process is ended.
 */
export class WorkWatch {
  readonly #work = new Set<WatchedWork>();
  readonly #stopped = new AbortController();
  readonly #loop: Promise<void>;
  /** The clock is monotonic, because a jump of the machine's clock must not look like a lost lease. */
  #renewedAt = performance.now();
  #heardAt = performance.now();
  readonly #watchdog: Watchdog | null;
  readonly #db: Database;
  readonly #owner: string;
  readonly #options: WatchOptions;

  constructor(db: Database, owner: string, options: WatchOptions) {
    this.#db = db;
    this.#owner = owner;
    this.#options = options;
    this.#watchdog = options.ownProcess ? new Watchdog(Math.max(this.#leaseMs, minWatchdogMs)) : null;
    this.#loop = this.#run();
  }

  /**
   * Watches until `release`. `more` are signals that stop the work for the same reason as a stopping process.
   */
  add(jobId: string, attempt: number | null, ...more: AbortSignal[]): WatchHandle {
    const entry: WatchedWork = { jobId, attempt, controller: new AbortController() };
    const onStop = () => entry.controller.abort(new WorkAborted('stopping'));
    for (const signal of more) {
      if (signal.aborted) onStop();
      signal.addEventListener('abort', onStop);
    }
    // A new claim counts as a renewal.
    if (this.#work.size === 0) this.#renewedAt = performance.now();
    this.#work.add(entry);
    return {
      signal: entry.controller.signal,
      release: () => {
        this.#work.delete(entry);
        for (const signal of more) signal.removeEventListener('abort', onStop);
      },
    };
  }

  abortAll(cause: AbortCause): void {
    for (const entry of this.#work) entry.controller.abort(new WorkAborted(cause));
  }

  /** Jobs and batches in work are counted here. */
  get working(): number {
    return this.#work.size;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
    await this.#watchdog?.stop();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await sleep(this.#options.watchPeriodMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
      if (this.#holdsNoLostWork()) this.#watchdog?.feed();
      try {
        await within(this.#patienceMs, this.#look());
        this.#options.faults.worked(unchecked);
      } catch (error) {
        this.#options.faults.failed(unchecked, error);
        if (error instanceof NoAnswer) cutConnections(this.#db);
        this.#dropLostLeases();
      }
    }
  }

  get #leaseMs(): number {
    return this.#options.leaseSeconds * 1000;
  }

  /**
   * A look at the database may take a quarter of the lease, so that a second try fits into it, but the time
   * is never too short.
   */
  get #patienceMs(): number {
    return Math.max(this.#leaseMs / 4, minPatienceMs);
  }

  #holdsNoLostWork(): boolean {
    const tracked = [...this.#work].some((entry) => entry.attempt !== null);
    return !tracked || performance.now() - this.#renewedAt < this.#leaseMs;
  }

  async #look(): Promise<void> {
    const now = performance.now();
    if (this.#work.size === 0) {
      if (now - this.#heardAt < this.#patienceMs) return;
      await pingDatabase(this.#db);
      this.#heardAt = now;
      return;
    }
    const tracked = [...this.#work].filter((entry) => entry.attempt !== null).map((entry) => entry.jobId);
    if (tracked.length > 0 && now - this.#renewedAt > this.#leaseMs / 4) {
      await renewLeases(this.#db, this.#owner, tracked, this.#options.leaseSeconds);
      this.#renewedAt = now;
    }
    const entries = [...this.#work];
    const rows = await watchJobs(this.#db, [...new Set(entries.map((entry) => entry.jobId))]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const entry of entries) {
      const cause = this.#causeToStop(entry, byId.get(entry.jobId));
      if (cause) entry.controller.abort(new WorkAborted(cause));
    }
  }

  #causeToStop(entry: WatchedWork, row: WatchedRow | undefined): AbortCause | null {
    if (!row || row.status === 'CANCELLED') return 'cancelled';
    if (entry.attempt === null) return row.status === 'RUNNING' ? null : 'parent_ended';
    const ours =
      row.status === 'RUNNING' && row.lease_owner === this.#owner && row.attempts === entry.attempt;
    return ours ? null : 'lease_lost';
  }

  /** The database was unreachable for longer than a lease, so another process may now run these jobs. */
  #dropLostLeases(): void {
    if (performance.now() - this.#renewedAt < this.#leaseMs) return;
    for (const entry of this.#work) {
      if (entry.attempt !== null) entry.controller.abort(new WorkAborted('lease_lost'));
    }
  }
}
