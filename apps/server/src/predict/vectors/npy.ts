import { fromFloat16 } from '@kindred/kernels/arrays';
import { badVectorFile } from './keyed-vector.js';

export interface NpyArray {
  shape: number[];
  /** The values are numbers as float32, or texts; row-major. */
  values: Float32Array | string[];
}

/**
 * Reads one array of NumPy's format: little-endian floats of 2, 4 or 8 bytes, texts (`U`) or bytes (`S`),
 * row-major.
 * @throws ProblemError bad_file naming the unsupported part
 */
export function readNpy(bytes: Buffer, name: string): NpyArray {
  if (bytes.length < 10 || bytes.subarray(0, 6).toString('latin1') !== '\x93NUMPY')
    throw badVectorFile(`${name} is not a NumPy array`);
  const long = bytes[6] >= 2;
  const start = long ? 12 : 10;
  const end = start + (long ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8));
  const header = bytes.subarray(start, end).toString('latin1');
  const type = /'descr':\s*'([^']+)'/.exec(header)?.[1];
  const shape = /'shape':\s*\(([^)]*)\)/.exec(header)?.[1].match(/\d+/g)?.map(Number) ?? [];
  if (type === undefined) throw badVectorFile(`${name} has an unsupported type: ${header.slice(0, 80)}`);
  if (/'fortran_order':\s*True/.test(header) && shape.length > 1)
    throw badVectorFile(`${name} is stored column by column; save it with numpy.ascontiguousarray`);
  const count = shape.reduce((product, length) => product * length, 1);
  const data = bytes.subarray(end);
  const size = itemBytes(type, name);
  if (data.length < count * size)
    throw badVectorFile(`${name} ends early: ${data.length} bytes for ${count} values of ${type}`);
  return { shape, values: decode(type, size, { data, count }) };
}

function itemBytes(type: string, name: string): number {
  const [, kind, digits] = /^[<|]([fUS])(\d+)$/.exec(type) ?? [];
  const size = Number(digits);
  if (kind === 'U') return 4 * size;
  if (kind === 'S' || (kind === 'f' && [2, 4, 8].includes(size))) return size;
  throw badVectorFile(
    `${name} has values of type ${type}; expected float16, float32 or float64, little-endian`,
  );
}

function decode(
  type: string,
  size: number,
  { data, count }: { data: Buffer; count: number },
): Float32Array | string[] {
  const copy = data.buffer.slice(data.byteOffset, data.byteOffset + count * size);
  if (type[1] === 'f') {
    if (size === 2) return fromFloat16(new Uint16Array(copy));
    return size === 4 ? new Float32Array(copy) : Float32Array.from(new Float64Array(copy));
  }
  const item = (i: number) => data.subarray(i * size, (i + 1) * size);
  const text = (bytes: Buffer) =>
    type[1] === 'S'
      ? bytes.toString('utf8')
      : String.fromCodePoint(...new Uint32Array(Uint8Array.from(bytes).buffer));
  return Array.from({ length: count }, (_, i) => text(item(i)).split('\0', 1)[0]);
}

/** Makes the header of an array of `shape`, padded as NumPy does. */
export function npyHeader(type: string, shape: readonly number[]): Buffer {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${type}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const padded = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const head = Buffer.alloc(10);
  head.write('\x93NUMPY', 'latin1');
  head[6] = 1;
  head.writeUInt16LE(padded, 8);
  return Buffer.concat([head, Buffer.from(`${text.padEnd(padded - 1)}\n`, 'latin1')]);
}
