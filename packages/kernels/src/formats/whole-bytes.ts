/** All bytes of a stream in one piece. Beyond `mostBytes` it throws what `tooMany` makes, and the stream is let go. */
export async function wholeBytes(
  stream: AsyncIterable<Uint8Array>,
  mostBytes: number,
  tooMany: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > mostBytes) throw tooMany();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
