import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { garbagePercent } from './heap-budget.js';

const mebibyte = 2 ** 20;

describe('garbagePercent', () => {
  it('fills the heap up to 100 MiB, whatever is in use', () => {
    expect(garbagePercent(50 * mebibyte)).toBe(100);
    expect(garbagePercent(62.5 * mebibyte)).toBe(60);
  });

  it('is half of what is in use where that goes beyond the budget, and never more than all of it', () => {
    expect([80, 100, 2000].map((inUse) => garbagePercent(inUse * mebibyte))).toEqual([50, 50, 50]);
    expect([1, 10, 49].map((inUse) => garbagePercent(inUse * mebibyte))).toEqual([100, 100, 100]);
  });
});

describe('keepHeapWithinBudget', () => {
  it('collects at the same size of the heap with 50 MiB in use as with 64', async () => {
    const [less, more] = await Promise.all([heapAtCollection(50), heapAtCollection(64)]);
    // V8 adds the young objects to its limit, and ends a collection some time after it began.
    expect(less).toBeGreaterThan(90);
    expect(more).toBeLessThan(130);
    expect(more / less).toBeLessThan(1.15);
  });
});

/**
 * Measures the middle of the MiB of old objects just before each full collection, in a process that has
 * `inUse` MiB and replaces a part of it all the time.
 */
async function heapAtCollection(inUse: number): Promise<number> {
  const budget = new URL('heap-budget.js', import.meta.url.replace('/src/', '/dist/'));
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { setImmediate } from 'node:timers/promises';
    import { keepHeapWithinBudget } from '${budget}';
    keepHeapWithinBudget();
    // 8 KiB each, replaced in turns so that they live long enough to become old.
    const make = () => new Array(1024).fill(0.5);
    const held = Array.from({ length: ${inUse} * 128 }, make);
    const atCollection = [];
    let last = 0;
    for (let round = 0; atCollection.length < 21; round++) {
      for (let index = round % 16; index < held.length; index += 16) held[index] = make();
      await setImmediate();
      const old = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space');
      if (old.space_used_size < last - 5e6) atCollection.push(last);
      last = old.space_used_size;
    }
    console.log(atCollection.slice(1).sort((a, b) => a - b)[10]);`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return Number((await run).stdout) / mebibyte;
}
