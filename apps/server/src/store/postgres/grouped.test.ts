import { describe, expect, it } from 'vitest';
import type { Queryable } from './connection.js';
import { ConnectionLostError } from './connection-fault.js';
import { grouped } from './grouped.js';

const pool = {} as Queryable;
const transaction = { client: {} } as unknown as Queryable;

/**
 * Doubles numbers and notes the groups. A negative number fails its statement, Infinity loses the connection.
 */
function doubling() {
  const groups: number[][] = [];
  let free = () => {};
  const held = new Promise<void>((resolve) => {
    free = resolve;
  });
  const call = grouped(async (_db, items: readonly number[]) => {
    groups.push([...items]);
    if (groups.length === 1) await held;
    if (items.some((item) => item === Number.POSITIVE_INFINITY))
      throw new ConnectionLostError({ cause: null });
    if (items.some((item) => item < 0)) throw new Error('a bad item');
    return items.map((item) => 2 * item);
  });
  return { groups, call, free };
}

describe('grouped calls', () => {
  it('share the statement after the one that runs, and each gets its own result', async () => {
    const { groups, call, free } = doubling();
    const first = call(pool, 1);
    while (groups.length === 0) await new Promise(setImmediate);
    const later = [2, 3, 4].map((item) => call(pool, item));
    free();
    expect(await first).toBe(2);
    expect(await Promise.all(later)).toEqual([4, 6, 8]);
    expect(groups).toEqual([[1], [2, 3, 4]]);
    expect(await call(pool, 5)).toBe(10);
  });

  it('fail alone when their item is bad', async () => {
    const { call, free } = doubling();
    free();
    const ends = await Promise.allSettled([1, -1, 2].map((item) => call(pool, item)));
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason.message))).toEqual([
      2,
      'a bad item',
      4,
    ]);
  });

  it('all fail with a lost connection, of which nobody knows what was committed', async () => {
    const { groups, call, free } = doubling();
    free();
    const ends = await Promise.allSettled([1, Number.POSITIVE_INFINITY, 2].map((item) => call(pool, item)));
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(groups).toHaveLength(1);
  });

  it('take no more than one statement carries', async () => {
    const { groups, call, free } = doubling();
    free();
    await Promise.all(Array.from({ length: 300 }, (_, item) => call(pool, item)));
    expect(groups.map((group) => group.length)).toEqual([128, 128, 44]);
  });

  it('stay alone in a transaction, and do not mix databases', async () => {
    const { groups, call, free } = doubling();
    free();
    await Promise.all([call(transaction, 1), call(transaction, 2), call(pool, 3), call({} as Queryable, 4)]);
    expect(groups).toEqual([[1], [2], [3], [4]]);
  });
});
