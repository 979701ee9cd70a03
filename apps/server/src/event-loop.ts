/** Gives the event loop a turn: other requests and heartbeats come in between. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Items of a long list that a single statement or turn takes. */
export const itemsPerTurn = 5000;

/** Calls `work(i)` for every i below `count`, in order; others get a turn after each `itemsPerTurn`, none for a short list. */
export async function forEachYielding(count: number, work: (i: number) => void): Promise<void> {
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % itemsPerTurn === 0) await yieldToEventLoop();
    work(i);
  }
}

/** Bytes that a single turn copies, checks or hashes: some milliseconds. */
const bytesPerTurn = 4 << 20;

/** One buffer of all chunks. */
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

/** The bytes in pieces of one turn each, for checks and digests. With `wholeCharacters` no piece ends inside a UTF-8 character. */
export async function* chunksYielding(
  bytes: Uint8Array,
  { wholeCharacters = false } = {},
): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; ) {
    let end = Math.min(start + bytesPerTurn, bytes.byteLength);
    // Bytes 10xxxxxx continue a character, at most three of them.
    for (let back = 0; wholeCharacters && back < 3 && (bytes[end] & 0xc0) === 0x80; back++) end--;
    yield bytes.subarray(start, end);
    start = end;
    await yieldToEventLoop();
  }
}
