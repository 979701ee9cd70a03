import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { retryPolicy } from '../../ground/retry-policy.js';
import { ConnectionLostError, PoolClosedError, withRetries } from './connection-fault.js';

vi.mock('node:timers/promises', () => ({ setTimeout: (ms: number) => vi.advanceTimersByTimeAsync(ms) }));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const within = (seconds: number) => ({ ...retryPolicy.sentMessage, withinSeconds: seconds });
const lost = new ConnectionLostError({ cause: null });

it('tries again until the database is back', async () => {
  const work = vi.fn().mockRejectedValueOnce(lost).mockRejectedValueOnce(lost).mockResolvedValueOnce('done');
  expect(await withRetries(work, within(60))).toBe('done');
  expect(work).toHaveBeenCalledTimes(3);
});

it('gives up after the time, with the last fault', async () => {
  const work = vi.fn().mockRejectedValue(lost);
  await expect(withRetries(work, within(10))).rejects.toBe(lost);
  expect(work.mock.calls.length).toBeGreaterThan(5);
});

it('repeats neither a bad statement nor work on a pool that this process has closed', async () => {
  const bad = Object.assign(new Error('bad'), { code: '42601' });
  const wrong = vi.fn().mockRejectedValue(bad);
  await expect(withRetries(wrong, within(60))).rejects.toBe(bad);
  const closed = new PoolClosedError({ cause: null });
  const late = vi.fn().mockRejectedValue(closed);
  await expect(withRetries(late, within(60))).rejects.toBe(closed);
  expect([wrong, late].map((work) => work.mock.calls.length)).toEqual([1, 1]);
});
