import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A supervisor sends this question to its processes, and they send it back as the answer. */
const areYouThere = 'are you there?';

/**
 * Asks a process through the pipe whether it still works, and resolves with the answer. A request to the API
 * would not tell, because strangers may hold all its connections.
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
