import { connectionFaultOf } from '../store/postgres/connection-fault.js';

/** After this time without the fault, its next occurrence counts as a new fault. */
const overAfterMs = 60_000;
/** A continuing fault is logged again after this long, with the number of its occurrences. */
const remindAfterMs = 600_000;

interface Fault {
  kind: string;
  loggedAt: number;
  lastAt: number;
  unlogged: number;
}

interface Log {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

/**
 * Logs a fault that repeats when it begins, when its kind changes, every ten minutes while it continues, and
 * when it ends.
 */
export class FaultLog {
  readonly #faults = new Map<string, Fault>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Notes that `what` was tried and failed. */
  failed(what: string, error: unknown, fields: object = {}): void {
    const now = performance.now();
    const kind = kindOf(error);
    const known = this.#faults.get(what);
    const sameFault = known?.kind === kind && now - known.lastAt < overAfterMs;
    if (sameFault && now - known.loggedAt < remindAfterMs) {
      known.lastAt = now;
      known.unlogged++;
      return;
    }
    const repeated = sameFault ? { repeated: known.unlogged + 1 } : {};
    this.#log.warn({ err: error, ...fields, ...repeated }, what);
    this.#faults.set(what, { kind, loggedAt: now, lastAt: now, unlogged: 0 });
  }

  /** Notes that `what` succeeded. */
  worked(what: string): void {
    const known = this.#faults.get(what);
    if (known === undefined) return;
    this.#faults.delete(what);
    this.#log.info({ repeated: known.unlogged }, `over: ${what}`);
  }
}

/** Faults of one kind are logged once; all ways in which the database is unreachable count as one kind. */
function kindOf(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  return connectionFaultOf(error) ?? code ?? `${name}: ${message}`;
}
