import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../store/postgres/db.js';
import { renewLeases, type WatchedRow, watchJobs } from '../store/jobs/job-transitions.repository.js';
import { type AbortCause, WorkAborted } from './failure.js';
import type { WorkerLog } from './log.js';

interface WatchedWork {
  jobId: string;
  /** Attempt of the claim for a tracked job; null for a batch, whose job is the parent. */
  attempt: number | null;
  controller: AbortController;
}
export interface WatchHandle {
  signal: AbortSignal;
  /** Must be called when the work has ended. */
  release(): void;
}

interface WatchOptions {
  leaseSeconds: number;
  watchPeriodMs: number;
  log: WorkerLog;
}

/** Monitors the work of one process: renews leases, and aborts work whose job was cancelled, failed or lost. */
export class WorkWatch {
  readonly #work = new Set<WatchedWork>();
  readonly #stopped = new AbortController();
  readonly #loop: Promise<void>;
  #renewedAt = Date.now();
  readonly #db: Database;
  readonly #owner: string;
  readonly #options: WatchOptions;

  constructor(db: Database, owner: string, options: WatchOptions) {
    this.#db = db;
    this.#owner = owner;
    this.#options = options;
    this.#loop = this.#run();
  }

  /** Watches until `release`. `more` are signals that stop the work for the same reason as a stopping process. */
  add(jobId: string, attempt: number | null, ...more: AbortSignal[]): WatchHandle {
    const entry: WatchedWork = { jobId, attempt, controller: new AbortController() };
    const onStop = () => entry.controller.abort(new WorkAborted('stopping'));
    for (const signal of more) {
      if (signal.aborted) onStop();
      signal.addEventListener('abort', onStop);
    }
    // A new claim counts as a renewal.
    if (this.#work.size === 0) this.#renewedAt = Date.now();
    this.#work.add(entry);
    return {
      signal: entry.controller.signal,
      release: () => {
        this.#work.delete(entry);
        for (const signal of more) signal.removeEventListener('abort', onStop);
      },
    };
  }

  /** Aborts all running work. */
  abortAll(cause: AbortCause): void {
    for (const entry of this.#work) entry.controller.abort(new WorkAborted(cause));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await sleep(this.#options.watchPeriodMs, undefined, { signal }).catch(() => {});
      if (signal.aborted || this.#work.size === 0) continue;
      try {
        await this.#look();
      } catch (error) {
        this.#options.log.warn({ err: error }, 'running work could not be checked; retrying');
        this.#dropLostLeases();
      }
    }
  }

  async #look(): Promise<void> {
    const tracked = [...this.#work].filter((entry) => entry.attempt !== null).map((entry) => entry.jobId);
    if (tracked.length > 0 && Date.now() - this.#renewedAt > (this.#options.leaseSeconds * 1000) / 4) {
      const now = Date.now();
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

  /** The database was unreachable for longer than a lease: another process may now run these jobs. */
  #dropLostLeases(): void {
    if (Date.now() - this.#renewedAt < this.#options.leaseSeconds * 1000) return;
    for (const entry of this.#work) {
      if (entry.attempt !== null) entry.controller.abort(new WorkAborted('lease_lost'));
    }
  }
}
