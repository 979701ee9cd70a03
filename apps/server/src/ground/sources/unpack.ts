import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import { packingOf, unpackCommand } from '@kindred/kernels/formats';

export interface UnpackLimits {
  /** The number of bytes after unpacking is at most this. */
  maxBytes: number;
  /**
   * Each packed byte may give at most this many unpacked bytes; the check begins after `ratioFromBytes`
   * bytes.
   */
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
 * Unpacks gzip, which is detected by its first two bytes and not by the name, and Brotli, which has no mark
 * and is detected by the ending `.br`. Other data pass unchanged.
 * @throws ProblemError bad_file (truncated or corrupt data), decompressed_too_large
 */
export async function* unpack(
  bytes: AsyncIterable<Uint8Array>,
  limits: UnpackLimits,
  name: string,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  const unpacked = name.endsWith('.br')
    ? through({ unpacker: createBrotliDecompress(unpackerOptions), form: 'Brotli' }, bytes, limits, name)
    : unpackLayers(bytes, limits, name, maxLayers);
  for await (const chunk of unpacked) {
    total += chunk.length;
    if (total > limits.maxBytes) throw tooLarge(name, `${limits.maxBytes} bytes`);
    yield chunk;
  }
}

/** The first bytes of a file, this many, say how it is packed. */
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
    // A zip archive passes, because it may be a file of vectors (npz).
    if (packing !== null && packing !== 'gzip' && packing !== 'zip')
      throw new ProblemError(
        'bad_file',
        `${name} is packed with ${packing}, which is not read here: unpack it first ("${unpackCommand(packing, 'FILE')} > unpacked"), or pack it with gzip.`,
      );
    if (layers === 0 || packing !== 'gzip') yield* rest;
    else {
      const gzip = { unpacker: createGunzip(unpackerOptions), form: 'gzip' };
      yield* unpackLayers(through(gzip, rest, limits, name), limits, name, layers - 1);
    }
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

const unpackerOptions = { chunkSize: 256 * 1024 };

async function* through(
  { unpacker, form }: { unpacker: Transform; form: string },
  packed: AsyncIterable<Uint8Array>,
  limits: UnpackLimits,
  name: string,
): AsyncGenerator<Uint8Array> {
  let packedBytes = 0;
  let unpackedBytes = 0;
  const counted = async function* () {
    for await (const chunk of packed) {
      packedBytes += chunk.length;
      yield chunk;
    }
  };
  // An error of the source destroys `unpacker` with the same error, so the reader below receives it.
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
    throw faultOf(error, form, name);
  } finally {
    unpacker.destroy();
    await feeding;
  }
}

function faultOf(error: unknown, form: string, name: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'Z_BUF_ERROR')
    return new ProblemError('bad_file', `${name} is cut short: its ${form} data end early.`);
  if (code === 'Z_DATA_ERROR' || code === 'Z_NEED_DICT' || /^ERR_+(ERROR_FORMAT|BROTLI)/.test(code)) {
    return new ProblemError('bad_file', `${name} has broken ${form} data (${(error as Error).message}).`);
  }
  return error;
}

function tooLarge(name: string, bound: string): ProblemError {
  return new ProblemError(
    'decompressed_too_large',
    `${name} unpacks to more than ${bound}, which the service takes for a trap.`,
  );
}
