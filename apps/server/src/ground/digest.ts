import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** SHA-256 in hexadecimal digits of bytes that arrive in chunks. */
export async function sha256OfChunks(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

/** SHA-256 in hexadecimal digits of a file. */
export function sha256OfFile(path: string): Promise<string> {
  return sha256OfChunks(createReadStream(path));
}
