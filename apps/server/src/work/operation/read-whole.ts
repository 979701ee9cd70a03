import { ProblemError } from '@kindred/contracts';
import { wholeBytes } from '@kindred/kernels/formats';
import type { OperationContext } from './operation.js';

const maxBytes = 64 * 2 ** 20;
const maxAttempts = 4;

/**
 * Reads a small file (at most 64 MiB unpacked) from an address that the operator allows. If the transfer
 * breaks off, the file is read again.
 */
export async function readWhole(
  url: string,
  timeoutSeconds: number,
  { sources, signal }: OperationContext,
): Promise<Uint8Array> {
  const message = `${url} has more than ${maxBytes} bytes; is it the right file?`;
  for (let attempt = 1; ; attempt++) {
    // The opener itself retries failures before the first byte.
    const stream = await sources.open(url, { timeoutMs: 1000 * timeoutSeconds, signal });
    try {
      return await wholeBytes(stream.bytes, maxBytes, () => new ProblemError('bad_file', message));
    } catch (error) {
      const isBrokenOff = error instanceof ProblemError && error.code === 'fetch_failed';
      if (!isBrokenOff || attempt === maxAttempts) throw error;
    }
  }
}
