import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { badModel } from '../bad-model.js';

/** The location of a tensor's numbers: `sizeBytes` bytes from `offsetBytes` of `file`, little-endian, row-major. */
export interface TensorSpan {
  file: string;
  type: FloatType;
  shape: readonly number[];
  offsetBytes: number;
  sizeBytes: number;
}
export type FloatType = 'F32' | 'F16' | 'BF16';
export type Weights = ReadonlyMap<string, TensorSpan>;

const bytesOf: Readonly<Record<string, number>> = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
};
const maxHeaderBytes = 100_000_000;
const maxDimensions = 8;

/**
 * Reads the tensors of a safetensors file from its header alone, and checks that every span is within the file, has the size of its shape
 * and type, and does not overlap another. Tensors that are not floating-point weights (positions, masks) are left out.
 * The cost is that of reading the header and sorting its n entries.
 *
 * @throws ProblemError bad_file, which names the file and the tensor
 */
export async function readSafetensors(path: string): Promise<Map<string, TensorSpan>> {
  const name = basename(path);
  const handle = await open(path).catch(() => {
    throw badModel(`there is no file ${name}`);
  });
  try {
    const { size } = await handle.stat();
    if (size < 8) throw badModel(`${name} is not a safetensors file: it has ${size} bytes`);
    const start = Buffer.alloc(8);
    await handle.read(start, 0, 8, 0);
    const headerBytes = start.readBigUInt64LE(0);
    if (headerBytes > BigInt(Math.min(maxHeaderBytes, size - 8))) {
      throw badModel(
        `${name} is cut short or no safetensors file: its header is said to have ${headerBytes} bytes, the file has ${size}`,
      );
    }
    const header = Buffer.alloc(Number(headerBytes));
    const { bytesRead } = await handle.read(header, 0, header.length, 8);
    if (bytesRead !== header.length) throw badModel(`${name} ends within its header`);
    return spansOf(name, parseHeader(name, header), 8 + header.length, size);
  } finally {
    await handle.close();
  }
}

function parseHeader(name: string, header: Buffer): Map<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(header.toString('utf8'));
  } catch {
    throw badModel(`${name} is not a safetensors file: its header is not JSON`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw badModel(`${name} is not a safetensors file: its header is not an object`);
  const entries = new Map(Object.entries(parsed));
  entries.delete('__metadata__');
  return entries;
}

function spansOf(
  file: string,
  entries: Map<string, unknown>,
  dataStart: number,
  fileBytes: number,
): Map<string, TensorSpan> {
  const all = [...entries].map(([tensor, entry]) => ({
    tensor,
    ...spanOf(`tensor ${JSON.stringify(tensor.slice(0, 120))} of ${file}`, entry, fileBytes - dataStart),
  }));
  all.sort((a, b) => a.begin - b.begin || a.end - b.end);
  for (let i = 1; i < all.length; i++) {
    if (all[i].begin < all[i - 1].end)
      throw badModel(`the tensors ${all[i - 1].tensor} and ${all[i].tensor} of ${file} overlap`);
  }
  const spans = new Map<string, TensorSpan>();
  for (const { tensor, type, shape, begin, end } of all) {
    if (type === 'F32' || type === 'F16' || type === 'BF16')
      spans.set(tensor, { file, type, shape, offsetBytes: dataStart + begin, sizeBytes: end - begin });
  }
  return spans;
}

function spanOf(
  what: string,
  entry: unknown,
  dataBytes: number,
): { type: string; shape: number[]; begin: number; end: number } {
  const { dtype, shape, data_offsets } = (entry ?? {}) as Record<string, unknown>;
  if (typeof dtype !== 'string' || !Object.hasOwn(bytesOf, dtype))
    throw badModel(`${what} has an unknown type ${JSON.stringify(dtype)}`);
  if (!isSizes(shape) || shape.length > maxDimensions) throw badModel(`${what} has no usable shape`);
  if (!isSizes(data_offsets) || data_offsets.length !== 2) throw badModel(`${what} has no usable offsets`);
  const [begin, end] = data_offsets;
  if (begin > end || end > dataBytes)
    throw badModel(`${what} should be at bytes ${begin} to ${end}, but the file has ${dataBytes}`);
  const wanted = shape.reduce((product, size) => product * size, bytesOf[dtype]);
  if (wanted !== end - begin)
    throw badModel(`${what} has ${end - begin} bytes; its shape ${shape.join(' x ')} asks for ${wanted}`);
  return { type: dtype, shape, begin, end };
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}
