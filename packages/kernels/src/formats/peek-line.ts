import { utf8Chunks } from './text-encoding.js';

const maxHeadBytes = 1 << 20;

/**
 * Reads until a line matches, or the first MiB is read; of a line that is longer, the beginning is tried. Returns that line, and a stream
 * of all bytes with those that were read already, in UTF-8 where they were UTF-16 with a byte order mark.
 */
export async function peekLine(
  source: AsyncIterable<Uint8Array>,
  fits: (line: string) => boolean,
): Promise<{ head: string; bytes: AsyncIterable<Uint8Array> }> {
  const iterator = utf8Chunks(source)[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  /** The line that may continue in the next chunk. */
  let open = '';
  let head = '';
  let size = 0;
  for (let ended = false; !ended && head === '' && size < maxHeadBytes; ) {
    const next = await iterator.next();
    const text = next.done ? '\n' : Buffer.from(next.value).toString('latin1');
    if (next.done) ended = true;
    else {
      chunks.push(next.value);
      size += next.value.length;
    }
    if (!text.includes('\n')) {
      open += text;
      continue;
    }
    const lines = (open + text).split(/\r?\n/);
    open = lines.pop() as string;
    head = lines.find(fits) ?? '';
  }
  if (head === '' && fits(open)) head = open;
  return { head, bytes: joined(chunks, iterator) };
}

async function* joined(chunks: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    while (chunks.length > 0) yield chunks.shift() as Uint8Array;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
