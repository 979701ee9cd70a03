import { expect, it } from 'vitest';
import { wholeBytes } from './index.js';

it('gives all bytes up to the limit, and beyond it lets the stream go', async () => {
  let isClosed = false;
  async function* stream() {
    try {
      yield Uint8Array.of(1, 2);
      yield Uint8Array.of(3);
    } finally {
      isClosed = true;
    }
  }
  const tooMany = () => new Error('too many');
  expect([...(await wholeBytes(stream(), 3, tooMany))]).toEqual([1, 2, 3]);
  isClosed = false;
  await expect(wholeBytes(stream(), 2, tooMany)).rejects.toThrow('too many');
  expect(isClosed).toBe(true);
});
