/** Yields to the event loop, so that other requests and heartbeats run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A turn of a large reply ends after this time, so that a small one waits a few of these at most. */
const turnMs = 2;

/**
 * Makes a function that long work calls between its steps. It yields if the turn has lasted long enough, and
 * otherwise returns at once.
 */
export function endOfTurn(now: () => number = () => performance.now()): () => Promise<void> | undefined {
  let endMs = now() + turnMs;
  return () => {
    if (now() < endMs) return undefined;
    return yieldToEventLoop().then(() => {
      endMs = now() + turnMs;
    });
  };
}

/** One statement, or one turn of the event loop, takes this many items of a long list. */
export const itemsPerTurn = 5000;

/** Calls `work(i)` for every i below `count`, in order, and yields after each `itemsPerTurn` items. */
export async function forEachYielding(count: number, work: (i: number) => void): Promise<void> {
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % itemsPerTurn === 0) await yieldToEventLoop();
    work(i);
  }
}

/** One turn copies or hashes this many bytes, which takes a few milliseconds. */
const bytesPerTurn = 4 << 20;

/** Joins the chunks into one buffer, and yields after each turn's share of bytes. */
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

/** Cuts the bytes into pieces of one turn each, so that a digest does not block the event loop. */
export async function* chunksYielding(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += bytesPerTurn) {
    yield bytes.subarray(start, start + bytesPerTurn);
    await yieldToEventLoop();
  }
}
