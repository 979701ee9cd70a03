/** Reads a whole stream into one array. If the stream has more than `maxBytes`, it is closed, and the error from `tooMany` is thrown. */
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
