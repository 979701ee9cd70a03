import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import { EvaluationInputError } from '@kindred/kernels/evaluation';

/** Takes a file's bytes in pieces and gives the result at the end. */
export interface ByteReader<T> {
  push(chunk: Uint8Array): void;
  end(): T;
}

/**
 * Streams a file, plain or gzip (told by its first bytes), into a reader.
 * @throws ProblemError bad_file naming the file, and the line where a line is at fault
 */
export async function readFileInto<T>(path: string, reader: ByteReader<T>): Promise<T> {
  try {
    for await (const chunk of unpackedBytes(path)) reader.push(chunk);
    return reader.end();
  } catch (cause) {
    throw faultIn(path, cause);
  }
}

/** Names the file in front of what is wrong with it; other errors pass unchanged. */
export function faultIn(path: string, cause: unknown): unknown {
  if (cause instanceof EvaluationInputError) {
    const place = cause.line === null ? path : `${path}, line ${cause.line}`;
    return new ProblemError('bad_file', `${place}: ${cause.message}`, { cause });
  }
  const code = (cause as NodeJS.ErrnoException).code;
  if (typeof code !== 'string') return cause;
  const reason = code.startsWith('Z_')
    ? `damaged gzip data (${(cause as Error).message})`
    : `cannot be read (${code})`;
  return new ProblemError('bad_file', `${path}: ${reason}`, { cause });
}

async function* unpackedBytes(path: string): AsyncGenerator<Uint8Array> {
  const chunks = createReadStream(path, { highWaterMark: 1 << 18 })[Symbol.asyncIterator]();
  const first: IteratorResult<Uint8Array> = await chunks.next();
  if (first.done) return;
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all();
    return;
  }
  // The callback is there because pipeline wants one; a fault reaches the loop through the last stream.
  yield* pipeline(
    Readable.from(all()),
    createGunzip({ chunkSize: 1 << 18 }),
    () => {},
  ) as AsyncIterable<Uint8Array>;
}
