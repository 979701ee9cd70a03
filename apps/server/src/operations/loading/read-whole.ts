import { ProblemError } from '@kindred/contracts';
import { wholeBytes } from '@kindred/kernels/formats';
import type { OperationContext } from '../operation.js';

const maxBytes = 64 * 2 ** 20;

/** Reads a small file (at most 64 MiB unpacked) from an address that the operator allows. */
export async function readWhole(
  url: string,
  timeoutSeconds: number,
  { sources, signal }: OperationContext,
): Promise<Uint8Array> {
  const stream = await sources.open(url, { timeoutMs: 1000 * timeoutSeconds, signal });
  const message = `${url} has more than ${maxBytes} bytes; is it the right file?`;
  return wholeBytes(stream.bytes, maxBytes, () => new ProblemError('bad_file', message));
}
