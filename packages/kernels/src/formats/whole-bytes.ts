/** All bytes of a stream in one piece. Beyond `maxBytes` it throws what `tooMany` makes and closes the stream. */
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
