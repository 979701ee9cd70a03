import { type ProblemCode, ProblemError } from '@kindred/contracts';
import type { PluginInputs } from '../settings/plugin-inputs.js';

/** Data that a thread is started with (`workerData`). */
export interface ThreadData {
  plugins?: PluginInputs;
  /** Folders of plugins; absent: where Node finds the server's modules. */
  pluginFolders?: readonly string[];
  /** Choice of the native kernels. */
  native?: string;
}

/** Message to a thread: run the task of the module at `url`. */
export interface TaskRequest {
  url: string;
  input: unknown;
  /** One Int32: not 0 once the caller has given up. */
  abortFlag: SharedArrayBuffer;
  reportProgress: boolean;
}

/** Message from a thread. */
export type TaskReply =
  | { kind: 'progress'; done: number; total: number }
  /** From now on the task may take this long, else it failed with the fault; null: as long as it takes. */
  | { kind: 'limit'; limit: { ms: number; fault: SentError } | null }
  | { kind: 'output'; output: unknown }
  | { kind: 'error'; error: SentError };

/** An error as it crosses threads: structured clone would lose codes and classes. */
export interface SentError {
  name: string;
  message: string;
  stack: string | undefined;
  code: string | undefined;
  /** Facts of a ProblemError; null: another error. */
  problem: Pick<ProblemError, 'errors' | 'headers'> | null;
}

export function sendError(cause: unknown): SentError {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const code = (error as NodeJS.ErrnoException).code;
  // The name counts, not only instanceof: a plugin may bring its own copy of the contracts.
  const isProblem = error.name === 'ProblemError' && typeof code === 'string';
  const { errors, headers } = error as ProblemError;
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    code: typeof code === 'string' ? code : undefined,
    problem: isProblem ? { errors, headers } : null,
  };
}

export function receiveError(sent: SentError): Error {
  if (sent.problem !== null) return new ProblemError(sent.code as ProblemCode, sent.message, sent.problem);
  const error = new Error(sent.message);
  error.name = sent.name;
  if (sent.stack !== undefined) error.stack = sent.stack;
  return sent.code === undefined ? error : Object.assign(error, { code: sent.code });
}
