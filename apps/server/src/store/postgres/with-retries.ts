import { setTimeout as sleep } from 'node:timers/promises';
import { connectionFaultOf } from './connection-fault.js';

const firstPauseMs = 50;
const maxPauseMs = 1000;

/** Retries connection faults of the database for up to `timeoutMs`. Errors of the statement itself are not retried. */
export async function withRetries<T>(work: () => Promise<T>, timeoutMs: number): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || Date.now() + pauseMs > deadline) throw error;
    }
    await sleep(pauseMs);
  }
}

/** A closed pool stays closed: this process is stopping. */
function mayPass(error: unknown): boolean {
  const fault = connectionFaultOf(error);
  return fault !== null && fault !== 'closed';
}
