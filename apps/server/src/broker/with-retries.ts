import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 50;
const longestPauseMs = 1000;

/** Tries again while the database is away, for at most `patienceMs`. Faults of the statement itself are not retried. */
export async function withRetries<T>(work: () => Promise<T>, patienceMs: number): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || Date.now() + pauseMs > deadline) throw error;
    }
    await sleep(pauseMs);
  }
}

/** SQLSTATE classes: 08 connection, 53 resources, 57P the server stops or starts, 40 serialization. */
function isOutage(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string') return /connection|timeout/i.test((error as Error).message);
  return /^(08|53|57P|40)/.test(code) || /^E(CONN|PIPE|NOENT|TIMEDOUT|AI_AGAIN|HOSTUNREACH)/.test(code);
}
