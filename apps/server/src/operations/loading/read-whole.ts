import { ProblemError } from '@kindred/contracts';
import type { OperationContext } from '../operation.js';

const maxBytes = 64 * 2 ** 20;

/** A small file (at most 64 MiB unpacked) from an address that the operator allows. */
export async function readWhole(
  url: string,
  timeoutSeconds: number,
  { sources, signal }: OperationContext,
): Promise<Uint8Array> {
  const stream = await sources.open(url, { timeoutMs: 1000 * timeoutSeconds, signal });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream.bytes) {
    size += chunk.length;
    if (size > maxBytes)
      throw new ProblemError('bad_file', `${url} has more than ${maxBytes} bytes; is it the right file?`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
