import { setTimeout as sleep } from 'node:timers/promises';
import { type Pause, pauseMs } from '../../ground/retry-policy.js';

/**
 * A statement failed through no fault of its own: the database is not reachable, another transaction got in
 * the way, the server ran out of disk or memory, or this process has closed its pool.
 */
export type ConnectionFault = 'unreachable' | 'contended' | 'exhausted' | 'closed';

/** The pool was closed before the statement: this process is stopping, and no retry helps. */
export class PoolClosedError extends Error {
  readonly code = 'POOL_CLOSED';
  constructor(options: { cause: unknown }) {
    super('the pool of connections is closed', options);
    this.name = 'PoolClosedError';
  }
}

/**
 * The driver has no connection, or lost it in the middle of a statement. Its own errors have no code for
 * this.
 */
export class ConnectionLostError extends Error {
  readonly code = 'CONNECTION_LOST';
  constructor(options: { cause: unknown }) {
    super('the connection to the database is lost', options);
    this.name = 'ConnectionLostError';
  }
}

/**
 * A standby answered, but Kindred writes. As long as no server takes writes, the database counts as
 * unreachable.
 */
export class ReadOnlyServerError extends Error {
  readonly code = 'READ_ONLY_SERVER';
  constructor() {
    super('the server is a standby, or set to read only');
    this.name = 'ReadOnlyServerError';
  }
}

const unreachableCodes = new Set([
  'CONNECTION_LOST',
  'READ_ONLY_SERVER',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The first row whose pattern matches the SQLSTATE counts (PostgreSQL manual, appendix A). */
const sqlStates: [RegExp, ConnectionFault][] = [
  // The SQLSTATE class 08 is connection exception.
  [/^08...$/, 'unreachable'],
  // The SQLSTATEs are admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout.
  [/^57P0[1235]$/, 'unreachable'],
  // The SQLSTATE is read_only_sql_transaction: the server became a standby, or was set to read only.
  [/^25006$/, 'unreachable'],
  // The SQLSTATE is too_many_connections.
  [/^53300$/, 'unreachable'],
  // The SQLSTATEs are serialization_failure and deadlock_detected.
  [/^(40001|40P01)$/, 'contended'],
  // The SQLSTATE class 53 is insufficient resources (disk_full, out_of_memory).
  [/^53...$/, 'exhausted'],
];

/**
 * Decides alone which error is a connection fault: routes, workers and the broker ask this function. The
 * SQLSTATE or error code counts, never a message. Null stands for every other error, in which the work itself
 * failed.
 */
export function connectionFaultOf(error: unknown): ConnectionFault | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') {
    if (code === 'POOL_CLOSED') return 'closed';
    // An ENOENT of `connect` means the socket file of a server that is not running; any other ENOENT is about
    // a file of the work.
    if (unreachableCodes.has(code) || (code === 'ENOENT' && syscall === 'connect')) return 'unreachable';
    const known = sqlStates.find(([pattern]) => pattern.test(code));
    if (known) return known[1];
  }
  if (!(error instanceof AggregateError)) return null;
  for (const part of error.errors) {
    const fault = connectionFaultOf(part);
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * Retries connection faults of the database, within the time that its rule gives. Errors of the statement
 * itself are not retried.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  { pause, withinSeconds }: { pause: Pause; withinSeconds: number },
): Promise<T> {
  const deadline = Date.now() + 1000 * withinSeconds;
  for (let n = 0; ; n++) {
    const waitMs = pauseMs(pause, n);
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || Date.now() + waitMs > deadline) throw error;
    }
    await sleep(waitMs);
  }
}

/** A closed pool stays closed, because this process is stopping. */
function mayPass(error: unknown): boolean {
  const fault = connectionFaultOf(error);
  return fault !== null && fault !== 'closed';
}
