import { ProblemError, problemCodes } from '@kindred/contracts';

/** Why work was told to stop; the reason of its AbortSignal. */
export type AbortCause = 'cancelled' | 'parent_ended' | 'lease_lost' | 'stopping';
export class WorkAborted extends Error {
  readonly abortCause: AbortCause;
  constructor(cause: AbortCause) {
    super(`the work was stopped: ${cause}`);
    this.name = 'AbortError';
    this.abortCause = cause;
  }
}

const systemCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH']);
/** Connection lost, server shutting down or starting, too many connections, serialization failure, deadlock. */
const sqlStates = /^(08...|57P0[1235]|53300|40001|40P01)$/;
const driverSentences =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Cannot use a pool after/;

/**
 * True for failures of the database's or the broker's connection: not the work's fault, so it is given back. Errors
 * that an operation understood itself (ProblemError) are its own, but for a part of the service that is not reachable.
 */
export function isInfrastructureError(error: unknown): boolean {
  if (error instanceof ProblemError) return error.code === 'service_unavailable';
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') {
    if (systemCodes.has(code) || sqlStates.test(code)) return true;
    if (code === 'ENOENT' && syscall === 'connect') return true;
  }
  if (error instanceof AggregateError) return error.errors.some(isInfrastructureError);
  return driverSentences.test(error.message);
}

/** A refusal that would come out the same again: no retry helps. */
export function isFinalRefusal(error: unknown): boolean {
  return error instanceof ProblemError && error.status < 500 && error.code !== 'fetch_failed';
}

/** Stable code and one sentence for the user; what an unforeseen error says is for the log alone. */
export function describeFailure(error: unknown): { code: string; sentence: string } {
  if (error instanceof ProblemError) {
    return { code: error.code, sentence: error.message || problemCodes[error.code][1] };
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === '53100') {
    return { code: 'out_of_resources', sentence: 'The disk is full: free space, then submit the job again.' };
  }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY' || code === '53200') {
    return {
      code: 'out_of_resources',
      sentence:
        'Memory ran out: use smaller batches or a machine with more memory, then submit the job again.',
    };
  }
  return {
    code: 'internal_error',
    sentence:
      'A fault of the service stopped the job; its log has the details under the job id. Submitting it again may help.',
  };
}
