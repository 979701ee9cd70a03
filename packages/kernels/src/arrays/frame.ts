/**
 * A frame is one binary message: a JSON header and named blocks of typed arrays.
 *
 *   bytes 0..3   "KFR1"
 *   bytes 4..7   length of the JSON in bytes, unsigned, little-endian
 *   bytes 8..    JSON {"header": ..., "blocks": [{"name": "score", "dtype": "float32", "length": 3}, ...]}, UTF-8
 *   then         each block, little-endian, starting at the next multiple of 8; zeros between
 *
 * The frame ends with the last byte of the last block (or of the JSON).
 */
const magic = [0x4b, 0x46, 0x52, 0x31];
const prefixBytes = 8;

const arrayTypes = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  float32: Float32Array,
  float64: Float64Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
} as const;
export type BlockType = keyof typeof arrayTypes;
export type FrameBlock = InstanceType<(typeof arrayTypes)[BlockType]>;

export interface Frame<Header = unknown> {
  header: Header;
  blocks: Record<string, FrameBlock>;
}

/** The error for bytes that are not a frame, or not a complete one. */
export class FrameError extends Error {
  constructor(reason: string) {
    super(`not a usable frame: ${reason}`);
    this.name = 'FrameError';
  }
}

/**
 * Packs a header (anything that JSON can hold) and blocks by name. A Buffer becomes a uint8 block; a float16 array is sent as uint16.
 * Cost: one copy of every block.
 * @throws TypeError for a block that is not a plain typed array (DataView, clamped), or a header that JSON cannot hold
 */
export function encodeFrame(header: unknown, named: Readonly<Record<string, ArrayBufferView>>): Uint8Array {
  const blocks = Object.values(named);
  const names = Object.keys(named);
  const described = blocks.map((block, i) => ({
    name: names[i],
    dtype: blockType(block, names[i]),
    length: (block as FrameBlock).length,
  }));
  if (JSON.stringify(header) === undefined)
    throw new TypeError('the header of a frame must be something JSON can hold');
  const json = new TextEncoder().encode(JSON.stringify({ header, blocks: described }));
  let size = prefixBytes + json.length;
  const offsets = blocks.map((block) => {
    const offset = aligned(size);
    size = offset + block.byteLength;
    return offset;
  });
  const bytes = new Uint8Array(size);
  bytes.set(magic, 0);
  new DataView(bytes.buffer).setUint32(4, json.length, true);
  bytes.set(json, prefixBytes);
  blocks.forEach((block, i) => {
    bytes.set(new Uint8Array(block.buffer, block.byteOffset, block.byteLength), offsets[i]);
  });
  return bytes;
}

/**
 * Unpacks a frame. A block is a view of `bytes` if it is aligned to its element size, otherwise a copy: do not change
 * `bytes` while you use the blocks.
 * @throws FrameError for a wrong magic number, missing or surplus bytes, two blocks of one name, a header that is not JSON or describes
 * impossible blocks
 */
export function decodeFrame<Header = unknown>(bytes: Uint8Array): Frame<Header> {
  if (bytes.length < prefixBytes)
    throw new FrameError(`${bytes.length} bytes are less than the ${prefixBytes} of its start`);
  if (magic.some((byte, i) => bytes[i] !== byte)) throw new FrameError('it does not start with "KFR1"');
  const jsonBytes = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(4, true);
  let end = prefixBytes + jsonBytes;
  if (end > bytes.length)
    throw new FrameError(`its header needs ${jsonBytes} bytes, ${bytes.length - prefixBytes} are there`);
  const { header, blocks: described } = parseHeader(bytes.subarray(prefixBytes, end));
  const entries = described.map(checkedBlock);
  const names = new Set(entries.map(({ name }) => name));
  if (names.size < entries.length) throw new FrameError('two blocks have one name');
  const blocks = entries.map(({ name, type, length }): [string, FrameBlock] => {
    const start = aligned(end);
    end = start + length * arrayTypes[type].BYTES_PER_ELEMENT;
    if (end > bytes.length)
      throw new FrameError(`block ${name} (${type} x ${length}) ends at byte ${end} of ${bytes.length}`);
    return [name, viewOf(bytes, type, start, length)];
  });
  if (end !== bytes.length) throw new FrameError(`${bytes.length - end} bytes follow its last block`);
  return { header: header as Header, blocks: Object.fromEntries(blocks) };
}

function parseHeader(json: Uint8Array): { header: unknown; blocks: unknown[] } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch (cause) {
    throw new FrameError(`its header is not JSON (${(cause as Error).message})`);
  }
  if (typeof parsed !== 'object' || parsed === null || !('header' in parsed) || !('blocks' in parsed)) {
    throw new FrameError('its JSON lacks "header" or "blocks"');
  }
  if (!Array.isArray(parsed.blocks)) throw new FrameError('its "blocks" are not a list');
  return { header: parsed.header, blocks: parsed.blocks };
}

function checkedBlock(entry: unknown, index: number): { name: string; type: BlockType; length: number } {
  const { name, dtype, length } = (entry ?? {}) as { name?: unknown; dtype?: unknown; length?: unknown };
  if (typeof name !== 'string') throw new FrameError(`block ${index} has no name`);
  if (typeof dtype !== 'string' || !Object.hasOwn(arrayTypes, dtype)) {
    throw new FrameError(
      `block ${index} has dtype ${JSON.stringify(dtype)}; known are ${Object.keys(arrayTypes).join(', ')}`,
    );
  }
  if (!(Number.isSafeInteger(length) && (length as number) >= 0)) {
    throw new FrameError(`block ${index} has length ${JSON.stringify(length)}`);
  }
  return { name, type: dtype as BlockType, length: length as number };
}

function viewOf(bytes: Uint8Array, type: BlockType, start: number, length: number): FrameBlock {
  const ArrayType = arrayTypes[type];
  const position = bytes.byteOffset + start;
  if (position % ArrayType.BYTES_PER_ELEMENT === 0)
    return new ArrayType(bytes.buffer as ArrayBuffer, position, length);
  const copy = bytes.slice(start, start + length * ArrayType.BYTES_PER_ELEMENT);
  return new ArrayType(copy.buffer, copy.byteOffset, length);
}

function blockType(block: ArrayBufferView, of: string): BlockType {
  for (const [name, ArrayType] of Object.entries(arrayTypes))
    if (block instanceof ArrayType) return name as BlockType;
  throw new TypeError(
    `block ${of} of a frame must be one of ${Object.keys(arrayTypes).join(', ')}, not ${block.constructor.name}`,
  );
}

/** Rounds up to the next multiple of 8. */
function aligned(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}
