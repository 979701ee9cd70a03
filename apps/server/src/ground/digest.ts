import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

export async function sha256OfChunks(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

export function sha256OfFile(path: string): Promise<string> {
  return sha256OfChunks(createReadStream(path));
}
