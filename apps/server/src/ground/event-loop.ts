/** Yields to the event loop, so that other requests and heartbeats run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Items of a long list that one statement, or one turn of the event loop, takes. */
export const itemsPerTurn = 5000;

/** Calls `work(i)` for every i below `count`, in order, and yields after each `itemsPerTurn` items. */
export async function forEachYielding(count: number, work: (i: number) => void): Promise<void> {
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % itemsPerTurn === 0) await yieldToEventLoop();
    work(i);
  }
}

/** Bytes that one turn copies or hashes: a few milliseconds. */
const bytesPerTurn = 4 << 20;

/** Joins the chunks into one buffer. */
export async function joinYielding(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafe(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let at = 0;
  let turn = bytesPerTurn;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.byteLength;
    if (at < turn) continue;
    turn = at + bytesPerTurn;
    await yieldToEventLoop();
  }
  return joined;
}

/** Cuts the bytes into pieces of one turn each, for digests. */
export async function* chunksYielding(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += bytesPerTurn) {
    yield bytes.subarray(start, start + bytesPerTurn);
    await yieldToEventLoop();
  }
}
