import { Readable } from 'node:stream';
import { toFloat16 } from '@kindred/kernels/arrays';
import { ZipFile } from 'yazl';
import { npyHeader } from './npy.js';
import type { KeyedVector } from './keyed-vector.js';

/**
 * Streams an .npz of two arrays: `ids` (texts, [n]) and `vectors` (float16, [n x dimension]), in the same
 * order. The vectors are pulled while the stream is read.
 * @throws Error (in the stream) if `batches` yields another number of rows than there are keys
 */
export function npzStream(
  keys: readonly string[],
  dimension: number,
  batches: AsyncIterable<readonly KeyedVector[]>,
): Readable {
  const zip = new ZipFile();
  const ids = idArray(keys);
  zip.addBuffer(ids, 'ids.npy', { compress: false });
  const header = npyHeader('<f2', [keys.length, dimension]);
  const sizeBytes = header.length + 2 * dimension * keys.length;
  const vectors = Readable.from(vectorBytes(header, keys.length, batches), { objectMode: false });
  zip.addReadStream(vectors, 'vectors.npy', { compress: false, size: sizeBytes });
  zip.end();
  const output = zip.outputStream as Readable;
  vectors.on('error', (error) => output.destroy(error));
  output.on('close', () => vectors.destroy());
  return output;
}

/** Encodes texts with a fixed width in UTF-32, as NumPy stores them. */
function idArray(keys: readonly string[]): Buffer {
  const points = keys.map((key) => Array.from(key, (character) => character.codePointAt(0) as number));
  const width = points.reduce((max, one) => Math.max(max, one.length), 1);
  const values = new Uint32Array(width * keys.length);
  points.forEach((one, i) => {
    values.set(one, i * width);
  });
  return Buffer.concat([npyHeader(`<U${width}`, [keys.length]), Buffer.from(values.buffer)]);
}

async function* vectorBytes(
  header: Buffer,
  rowCount: number,
  batches: AsyncIterable<readonly KeyedVector[]>,
): AsyncGenerator<Buffer> {
  yield header;
  let rows = 0;
  for await (const batch of batches) {
    rows += batch.length;
    for (const { vector } of batch) yield Buffer.from(toFloat16(vector).half.buffer);
  }
  if (rows !== rowCount) throw new Error(`${rows} vectors came for ${rowCount} keys`);
}
