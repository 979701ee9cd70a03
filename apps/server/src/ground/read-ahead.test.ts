import { expect, it } from 'vitest';
import { readAhead } from './read-ahead.js';

it('yields the items in order and reads only one ahead', async () => {
  let read = 0;
  async function* source() {
    for (; read < 5; ) yield read++;
  }
  const seen: [number, number][] = [];
  for await (const item of readAhead(source())) {
    await new Promise(setImmediate);
    seen.push([item, read]);
  }
  expect(seen).toEqual([
    [0, 2],
    [1, 3],
    [2, 4],
    [3, 5],
    [4, 5],
  ]);
});

it('throws the fault of the source after the items before it, and closes the source when left early', async () => {
  async function* broken() {
    yield 1;
    throw new Error('cut off');
  }
  const seen: number[] = [];
  const reading = (async () => {
    for await (const item of readAhead(broken())) {
      await new Promise(setImmediate);
      seen.push(item);
    }
  })();
  await expect(reading).rejects.toThrow('cut off');
  expect(seen).toEqual([1]);

  let isClosed = false;
  async function* endless() {
    try {
      for (let i = 0; ; i++) yield i;
    } finally {
      isClosed = true;
    }
  }
  for await (const item of readAhead(endless())) if (item === 2) break;
  expect(isClosed).toBe(true);
});
