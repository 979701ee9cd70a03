/** Lines of a stream; with `lineEnds`, each keeps its own. */
export async function* textLines(
  bytes: AsyncIterable<Uint8Array>,
  { lineEnds = false, encoding = 'utf-8' }: { lineEnds?: boolean; encoding?: 'utf-8' | 'latin1' } = {},
): AsyncIterable<string> {
  // TextDecoder reads latin1 as windows-1252, which changes bytes.
  const decoder = new TextDecoder();
  const decoded = (chunk?: Uint8Array): string => {
    if (encoding === 'latin1') return chunk === undefined ? '' : Buffer.from(chunk).toString('latin1');
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  };
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoded(chunk)).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) yield lineEnds ? `${line}\n` : line;
  }
  rest += decoded();
  if (rest !== '') yield rest;
}
