import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ProblemError } from '@kindred/contracts/problems';
import { EvaluationInputError } from '@kindred/kernels/evaluation';
import { FormatError, packingOf, unpackCommand } from '@kindred/kernels/formats';
import { whyUnreadable } from '../ground/sources/file-fault.js';

/** Reads a file's bytes in pieces and returns the result at the end. */
export interface ByteReader<T> {
  push(chunk: Uint8Array): void;
  end(): T;
}

/**
 * Streams a file, plain or gzip (detected by its first bytes), into a reader.
 * @throws ProblemError bad_file naming the file and, if known, the line
 */
export async function readFileInto<T>(path: string, reader: ByteReader<T>): Promise<T> {
  return readFileWith(path, async (bytes) => {
    for await (const chunk of bytes) reader.push(chunk);
    return reader.end();
  });
}

/** Reads a file with a function that reads a stream. A chunk is valid until the next one is requested. */
export async function readFileWith<T>(
  path: string,
  read: (bytes: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  try {
    return await read(unpackedBytes(path));
  } catch (cause) {
    throw faultIn(path, cause);
  }
}

/** Puts the file name before the message of a bad file; other errors pass unchanged. */
export function faultIn(path: string, cause: unknown): unknown {
  if (cause instanceof FormatError)
    return new ProblemError('bad_file', `${path}, ${cause.message}`, { cause });
  if (cause instanceof EvaluationInputError) {
    const place = cause.line === null ? path : `${path}, line ${cause.line}`;
    return new ProblemError('bad_file', `${place}: ${cause.message}`, { cause });
  }
  const code = (cause as NodeJS.ErrnoException).code;
  if (typeof code !== 'string') return cause;
  const reason = code.startsWith('Z_')
    ? `damaged gzip data (${(cause as Error).message})`
    : `cannot be read: ${whyUnreadable(cause as Error)}`;
  return new ProblemError('bad_file', `${path}: ${reason}`, { cause });
}

/** All pieces share one buffer, so a reader that keeps bytes must copy them. */
async function* packedBytes(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const buffer = new Uint8Array(1 << 19);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function* unpackedBytes(path: string): AsyncGenerator<Uint8Array> {
  const chunks = packedBytes(path);
  const first = await chunks.next();
  if (first.done) return;
  const packing = packingOf(first.value);
  if (packing !== null && packing !== 'gzip')
    throw new ProblemError(
      'bad_file',
      `${path} is packed with ${packing}, which is not read here: unpack it first, "${unpackCommand(packing, path)} > unpacked".`,
    );
  if (packing === null) {
    yield first.value;
    yield* chunks;
    return;
  }
  async function* copies(): AsyncGenerator<Uint8Array> {
    yield (first.value as Uint8Array).slice();
    for await (const chunk of chunks) yield chunk.slice();
  }
  // The callback is empty because pipeline requires one; a fault reaches the loop through the last stream.
  yield* pipeline(
    Readable.from(copies()),
    createGunzip({ chunkSize: 1 << 18 }),
    () => {},
  ) as AsyncIterable<Uint8Array>;
}
