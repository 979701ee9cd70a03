import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../work/broker/within.js';
import type { Log } from '../run/compose.js';
import type { Settings } from '../run/env.js';
import {
  type NewProcessReport,
  processReportSeconds,
  removeProcessReport,
  reportProcess,
} from '../store/jobs/process-reports.repository.js';
import type { Database } from '../store/postgres/db.js';
import { FaultLog } from '../telemetry/fault-log.js';
import { productVersion } from '../ground/version.js';
import { fingerprintsOf } from './shared-settings.js';

const answerLimitMs = 10_000;
const stopLimitMs = 1000;

/** Keeps the report of this process in the database until it stops. */
export class ProcessReport {
  readonly #stopped = new AbortController();
  readonly #report: NewProcessReport;
  readonly #db: Database;
  readonly #faults: FaultLog;
  readonly #loop: Promise<void>;

  constructor(db: Database, log: Log, role: 'http' | 'worker', settings: Settings) {
    this.#db = db;
    this.#faults = new FaultLog(log);
    this.#report = {
      id: randomUUID(),
      role,
      host: hostname(),
      pid: process.pid,
      version: productVersion,
      fingerprints: fingerprintsOf(settings),
    };
    this.#loop = this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    const what = 'this process could not report itself to kindred doctor';
    while (!signal.aborted) {
      try {
        await within(answerLimitMs, reportProcess(this.#db, this.#report));
        this.#faults.worked(what);
      } catch (error) {
        this.#faults.failed(what, error);
      }
      await sleep(processReportSeconds * 1000, undefined, { signal }).catch(() => {});
    }
  }

  /** Removes the report; if the database does not answer, the report becomes outdated by itself. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    const farewell = async () => {
      await this.#loop;
      await removeProcessReport(this.#db, this.#report.id);
    };
    await within(stopLimitMs, farewell()).catch(() => {});
  }
}
