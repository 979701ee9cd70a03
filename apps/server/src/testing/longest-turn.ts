import { closeSync, openSync, readSync } from 'node:fs';

const everyMs = 5;

/**
 * Measures the longest time that the main thread computed between two turns of its event loop while `work`
 * ran, in milliseconds of its processor time. Time in which it waits, and the work of other threads and other
 * processes, does not count. A turn shorter than 5 ms may read as 5. It works on Linux only.
 */
export async function longestTurnOf<T>(work: () => Promise<T>): Promise<{ result: T; longestMs: number }> {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const text = Buffer.alloc(64);
  /** The first number of the file is the nanoseconds on a processor. */
  const now = () => Number(text.toString('latin1', 0, readSync(file, text, 0, 64, 0)).split(' ', 1)[0]) / 1e6;
  let longestMs = 0;
  let last = now();
  const tick = () => {
    const at = now();
    longestMs = Math.max(longestMs, at - last);
    last = at;
  };
  const timer = setInterval(tick, everyMs);
  try {
    const result = await work();
    // The last turn may still be running.
    await new Promise((resolve) => setTimeout(resolve, 2 * everyMs));
    tick();
    return { result, longestMs };
  } finally {
    clearInterval(timer);
    closeSync(file);
  }
}
