import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery, Settlement } from '../broker/broker.js';
import type { Claim } from '../../store/jobs/job-transitions.repository.js';

/**
 * The worker vanished more than once during this work. The work may be the cause, so it runs alone in a
 * separate process.
 */
export type SuspectWork =
  /** The ledger has counted the start of this batch. */
  | { kind: 'batch'; owner: string; delivery: Delivery }
  /** This worker has claimed the job. */
  | { kind: 'job'; claim: Claim };

/**
 * The process of the suspect sends this message at its end; `settlement` says what to do with the batch's
 * message.
 */
export interface IsolatedResult {
  settlement: Settlement;
}

export type IsolatedEnd = { kind: 'done'; settlement: Settlement } | { kind: 'died'; how: string };

/** Runs suspect work; the end of its process is an answer, not an error. */
export type Isolation = (work: SuspectWork, signal: AbortSignal) => Promise<IsolatedEnd>;

const stopGraceMs = 10_000;

/**
 * Starts `program` with `args`. The program gets the work as its first message (see isolated-work.ts) and
 * logs to our log.
 */
export function inOwnProcess(program: string, args: readonly string[]): Isolation {
  return (work, signal) => {
    const child = fork(program, args, {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ended = new Promise<IsolatedEnd>((resolve) => {
      let result: IsolatedResult | null = null;
      child.on('message', (message) => (result = message as IsolatedResult));
      child.once('error', (error) => resolve({ kind: 'died', how: error.message }));
      child.once('exit', (code, name) =>
        resolve(
          result === null
            ? { kind: 'died', how: name ?? `exit code ${code}` }
            : { kind: 'done', settlement: result.settlement },
        ),
      );
    });
    child.send(work, () => {});
    const stop = () => {
      child.kill('SIGTERM');
      void sleep(stopGraceMs, undefined, { ref: false }).then(() => child.kill('SIGKILL'));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    return ended.finally(() => signal.removeEventListener('abort', stop));
  };
}
