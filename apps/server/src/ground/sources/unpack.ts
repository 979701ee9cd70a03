import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import { packingOf, unpackCommand } from '@kindred/kernels/formats';

export interface UnpackLimits {
  /** Maximum number of bytes after unpacking. */
  maxBytes: number;
  /** Maximum unpacked bytes per packed byte, checked after `ratioFromBytes` bytes. */
  maxRatio: number;
  ratioFromBytes: number;
}

export const defaultLimits: UnpackLimits = {
  maxBytes: 2 ** 40,
  maxRatio: 200,
  ratioFromBytes: 64 * 2 ** 20,
};

/** A file may itself be gzip and be compressed again in transit. */
const maxLayers = 2;

/**
 * Unpacks gzip, detected by its first two bytes and not by the name; other data pass unchanged.
 * @throws ProblemError bad_file (truncated or corrupt gzip), decompressed_too_large
 */
export async function* unpack(
  bytes: AsyncIterable<Uint8Array>,
  limits: UnpackLimits,
  name: string,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of unpackLayers(bytes, limits, name, maxLayers)) {
    total += chunk.length;
    if (total > limits.maxBytes) throw tooLarge(name, `${limits.maxBytes} bytes`);
    yield chunk;
  }
}

/** Bytes that say how a file is packed. */
const headBytes = 6;

async function* unpackLayers(
  bytes: AsyncIterable<Uint8Array>,
  limits: UnpackLimits,
  name: string,
  layers: number,
): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  try {
    for (let length = 0; length < headBytes; ) {
      const next = await iterator.next();
      if (next.done) break;
      head.push(next.value);
      length += next.value.length;
    }
    const rest = joined(head, iterator);
    const packing = packingOf(Buffer.concat(head.map((chunk) => chunk.subarray(0, headBytes))));
    // A zip archive may be a file of vectors (npz).
    if (packing !== null && packing !== 'gzip' && packing !== 'zip')
      throw new ProblemError(
        'bad_file',
        `${name} is packed with ${packing}, which is not read here: unpack it first ("${unpackCommand(packing, 'FILE')} > unpacked"), or pack it with gzip.`,
      );
    if (layers === 0 || packing !== 'gzip') yield* rest;
    else yield* unpackLayers(gunzip(rest, limits, name), limits, name, layers - 1);
  } finally {
    await iterator.return?.();
  }
}

async function* joined(
  head: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* gunzip(
  packed: AsyncIterable<Uint8Array>,
  limits: UnpackLimits,
  name: string,
): AsyncGenerator<Uint8Array> {
  const unpacker = createGunzip({ chunkSize: 256 * 1024 });
  let packedBytes = 0;
  let unpackedBytes = 0;
  const counted = async function* () {
    for await (const chunk of packed) {
      packedBytes += chunk.length;
      yield chunk;
    }
  };
  // An error of the source destroys `unpacker` with the same error, which so reaches the reader below.
  const feeding = pipeline(Readable.from(counted()), unpacker).catch(() => {});
  try {
    for await (const chunk of unpacker as AsyncIterable<Buffer>) {
      unpackedBytes += chunk.length;
      if (unpackedBytes > limits.ratioFromBytes && unpackedBytes > limits.maxRatio * packedBytes) {
        throw tooLarge(name, `${limits.maxRatio} times its packed size`);
      }
      yield chunk;
    }
  } catch (error) {
    throw gzipError(error, name);
  } finally {
    unpacker.destroy();
    await feeding;
  }
}

function gzipError(error: unknown, name: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'Z_BUF_ERROR')
    return new ProblemError('bad_file', `${name} is cut short: its gzip data end early.`);
  if (code === 'Z_DATA_ERROR' || code === 'Z_NEED_DICT') {
    return new ProblemError('bad_file', `${name} has broken gzip data (${(error as Error).message}).`);
  }
  return error;
}

function tooLarge(name: string, bound: string): ProblemError {
  return new ProblemError(
    'decompressed_too_large',
    `${name} unpacks to more than ${bound}, which the service takes for a trap.`,
  );
}
