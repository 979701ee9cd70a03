import { describe, expect, it } from 'vitest';
import { endOfTurn, forEachYielding, itemsPerTurn, joinYielding, chunksYielding } from './event-loop.js';

const mebibyte = 1 << 20;

/** Counts the turns of the event loop that others had while the work ran. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let running = true;
  const count = () => {
    turns++;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  await work();
  running = false;
  return turns;
}

describe('work in turns', () => {
  it('ends a turn once it has lasted long enough, by the clock, and begins the next after others ran', async () => {
    let now = 0;
    const pause = endOfTurn(() => now);
    expect(pause()).toBeUndefined();
    now = 1.9;
    expect(pause()).toBeUndefined();
    now = 2;
    expect(await turnsDuring(async () => await pause())).toBeGreaterThanOrEqual(1);
    expect(pause()).toBeUndefined();
    now = 4;
    expect(pause()).toBeInstanceOf(Promise);
  });

  it('visits every item in order and lets others run between', async () => {
    const seen: number[] = [];
    const count = 3 * itemsPerTurn + 1;
    const turns = await turnsDuring(() => forEachYielding(count, (i) => seen.push(i)));
    expect(seen).toEqual(Array.from({ length: count }, (_, i) => i));
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('joins chunks to the same bytes', async () => {
    const chunks = [3, 0, 5 * mebibyte, 7, 4 * mebibyte].map((size, i) => Buffer.alloc(size, i + 1));
    let joined: Buffer = Buffer.alloc(0);
    const turns = await turnsDuring(async () => (joined = await joinYielding(chunks)));
    expect(joined.equals(Buffer.concat(chunks))).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(2);
    expect(await joinYielding([])).toHaveLength(0);
  });

  it('cuts bytes into pieces that are together the same', async () => {
    const bytes = Buffer.from('\u{1D7D9}a'.repeat(2 * mebibyte));
    const pieces: Uint8Array[] = [];
    const turns = await turnsDuring(async () => {
      for await (const piece of chunksYielding(bytes)) pieces.push(piece);
    });
    expect(pieces.length).toBeGreaterThan(2);
    expect(turns).toBeGreaterThanOrEqual(pieces.length);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  });
});
