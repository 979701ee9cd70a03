import { setTimeout as sleep } from 'node:timers/promises';

export class NoAnswer extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs / 1000} s`);
    this.name = 'NoAnswer';
  }
}

/** Rejects with NoAnswer when `work` takes longer; the work itself continues in the background. */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new NoAnswer(timeoutMs);
  });
  // The promise that loses must not become an unhandled rejection.
  late.catch(() => {});
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
