/**
 * Reads a whole stream into one array. If it has more than `maxBytes`, closes the stream and throws the error from
 * `tooMany`.
 */
export async function wholeBytes(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooMany: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw tooMany();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
