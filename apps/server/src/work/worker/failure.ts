import { type ProblemCode, ProblemError, problemCodes, problemSlugs } from '@kindred/contracts';
import { connectionFaultOf } from '../../store/postgres/connection-fault.js';
import type { FaultLog } from '../../telemetry/fault-log.js';

/** The reason of the AbortSignal says why work must stop. */
export type AbortCause = 'cancelled' | 'parent_ended' | 'lease_lost' | 'stopping';
export class WorkAborted extends Error {
  readonly abortCause: AbortCause;
  constructor(cause: AbortCause) {
    super(`the work was stopped: ${cause}`);
    this.name = 'AbortError';
    this.abortCause = cause;
  }
}

/** Reads the error as a problem of the catalogue; a plugin may bring its own copy of the class. */
function problemOf(error: unknown): { code: ProblemCode; message: string } | null {
  if (error instanceof ProblemError) return error;
  if (!(error instanceof Error) || error.name !== 'ProblemError') return null;
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && Object.hasOwn(problemCodes, code)
    ? { code: code as ProblemCode, message: error.message }
    : null;
}

/**
 * Returns true for failures of the connection to database, broker, artifact store or name server. The work is
 * not at fault, so it is requeued. A ProblemError that an operation throws is its own fault, except
 * service_unavailable.
 */
export function isInfrastructureError(error: unknown): boolean {
  const problem = problemOf(error);
  if (problem?.code === 'artifact_store_failed') return isStoreAway((error as Error).cause);
  if (problem) return problem.code === 'service_unavailable';
  const fault = connectionFaultOf(error);
  return fault !== null && fault !== 'exhausted';
}

/**
 * Returns true if the store does not answer or its server has a fault, but not for a refusal, which every
 * retry would repeat.
 */
function isStoreAway(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const status = (cause as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  return connectionFaultOf(cause) === 'unreachable' || cause.name === 'TimeoutError' || (status ?? 0) >= 500;
}

/** Returns true for a refusal that every retry would repeat. */
export function isFinalRefusal(error: unknown): boolean {
  const problem = problemOf(error);
  if (!problem || problem.code === 'fetch_failed') return false;
  return problemSlugs[problemCodes[problem.code][0]].status < 500;
}

/** Gives a stable code and a message for the user; the text of an unforeseen error goes to the log only. */
export function describeFailure(error: unknown): { code: string; message: string } {
  const problem = problemOf(error);
  if (problem) return { code: problem.code, message: problem.message || problemCodes[problem.code][1] };
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  // PostgreSQL uses this code for a full disk, too.
  if (code === '53100' && (error as Error).message.includes('shared memory segment')) {
    return {
      code: 'out_of_resources',
      message:
        '/dev/shm, where PostgreSQL shares memory, is full: give it 256 MB or more (in a container: --shm-size=256m), then submit the job again.',
    };
  }
  if (code === 'ENOSPC' || code === '53100') {
    return { code: 'out_of_resources', message: 'The disk is full: free space, then submit the job again.' };
  }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY' || code === '53200') {
    return {
      code: 'out_of_resources',
      message:
        'Memory ran out: use smaller batches or a machine with more memory, then submit the job again.',
    };
  }
  return {
    code: 'internal_error',
    message:
      'A fault of the service stopped the job; its log has the details under the job id. Submitting it again may help.',
  };
}

/**
 * A delivery that cannot be settled goes back to its queue. The broker does that silently, so the failure is
 * logged.
 */
export async function loggingFailure<T>(
  runtime: { faults: FaultLog },
  queue: string,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    runtime.faults.failed(`a delivery of ${queue} could not be settled and goes back`, error);
    throw error;
  }
}
