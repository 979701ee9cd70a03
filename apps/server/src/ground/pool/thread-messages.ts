import { type ProblemCode, ProblemError } from '@kindred/contracts';
import type { PluginInputs } from '../settings/plugin-inputs.js';

/** A thread starts with this data (`workerData`). */
export interface ThreadData {
  plugins?: PluginInputs;
  /** Plugins are searched in these folders; if absent, where Node finds the server's modules. */
  pluginFolders?: readonly string[];
  /** SVC_NATIVE_KERNELS chooses the kernels. */
  native?: string;
}

/** The message asks a thread to run the task of the module at `url`. */
export interface TaskRequest {
  url: string;
  input: unknown;
  /** The flag is one Int32: it is not 0 once the caller has given up. */
  abortFlag: SharedArrayBuffer;
  reportProgress: boolean;
}

export type TaskReply =
  | { kind: 'progress'; done: number; total: number }
  /**
   * The limit holds from the message on: a task that takes longer fails with the fault. Null removes the
   * limit.
   */
  | { kind: 'limit'; limit: { ms: number; fault: SentError } | null }
  | { kind: 'output'; output: unknown }
  | { kind: 'error'; error: SentError };

/** An error crosses threads in this form, because structured clone would lose codes and classes. */
export interface SentError {
  name: string;
  message: string;
  stack: string | undefined;
  code: string | undefined;
  /** A ProblemError keeps these facts; null stands for another error. */
  problem: Pick<ProblemError, 'errors' | 'headers'> | null;
}

export function sendError(cause: unknown): SentError {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const code = (error as NodeJS.ErrnoException).code;
  // The name counts, and not only instanceof, because a plugin may bring its own copy of the contracts.
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
