import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The question that a supervisor sends to its processes, and their answer. */
const areYouThere = 'are you there?';

/**
 * Asks a process whether it goes on, through the pipe between the two: strangers may hold all connections of the API, so that a request
 * to it says nothing. Resolves with the answer.
 */
export function askProcess(child: ChildProcess, signal: AbortSignal): Promise<unknown> {
  const answered = once(child, 'message', { signal });
  child.send(areYouThere, () => {});
  return answered;
}

/** Lets the supervisor know that this process does not hang. */
export function answerSupervisor(): void {
  process.on('message', (message) => message === areYouThere && process.send?.(areYouThere, () => {}));
}
