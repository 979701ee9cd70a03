const maxHeadBytes = 1 << 20;

/**
 * Reads until a line matches (or the first MiB is read). Returns that line, and a stream of all bytes including those
 * already read.
 */
export async function peekLine(
  source: AsyncIterable<Uint8Array>,
  fits: (line: string) => boolean,
): Promise<{ head: string; bytes: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let text = '';
  let head = '';
  for (let ended = false; !ended && head === '' && text.length < maxHeadBytes; ) {
    const next = await iterator.next();
    if (next.done) ended = true;
    else {
      chunks.push(next.value);
      text += Buffer.from(next.value).toString('latin1');
    }
    const lines = text.split(/\r?\n/);
    // The last line may continue in the next chunk.
    head = (ended ? lines : lines.slice(0, -1)).find(fits) ?? '';
  }
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
