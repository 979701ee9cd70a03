/**
 * A frame: magic, length of the JSON header, the header, and binary blocks at multiples of eight bytes. Vectors never
 * travel as JSON number lists.
 */
const magic = 0x3152464b; // KFR1

const kinds = {
  Uint8Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  Uint16Array,
  BigInt64Array,
} as const;
type BlockKind = keyof typeof kinds;
interface Envelope {
  header: unknown;
  blocks: { kind: BlockKind; sizeBytes: number }[];
}
const aligned = (size: number) => Math.ceil(size / 8) * 8;

export function encodeFrame(header: unknown, blocks: readonly ArrayBufferView[]): Uint8Array {
  const envelope: Envelope = {
    header,
    blocks: blocks.map((block) => ({
      kind: (block.constructor.name in kinds ? block.constructor.name : 'Uint8Array') as BlockKind,
      sizeBytes: block.byteLength,
    })),
  };
  const text = Buffer.from(JSON.stringify(envelope));
  const start = aligned(8 + text.length);
  const frame = new Uint8Array(blocks.reduce((size, block) => size + aligned(block.byteLength), start));
  const view = new DataView(frame.buffer);
  view.setUint32(0, magic, true);
  view.setUint32(4, text.length, true);
  frame.set(text, 8);
  let offset = start;
  for (const block of blocks) {
    frame.set(new Uint8Array(block.buffer, block.byteOffset, block.byteLength), offset);
    offset += aligned(block.byteLength);
  }
  return frame;
}

export function decodeFrame(bytes: Uint8Array): { header: unknown; blocks: ArrayBufferView[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 8 || view.getUint32(0, true) !== magic) throw new Error('not a frame');
  const textLength = view.getUint32(4, true);
  const envelope = JSON.parse(
    Buffer.from(bytes.buffer, bytes.byteOffset + 8, textLength).toString(),
  ) as Envelope;
  let offset = aligned(8 + textLength);
  const blocks = envelope.blocks.map(({ kind, sizeBytes }) => {
    if (offset + sizeBytes > bytes.byteLength) throw new Error('the frame is cut off');
    const copy = bytes.slice(offset, offset + sizeBytes).buffer;
    offset += aligned(sizeBytes);
    return new kinds[kind](copy as ArrayBuffer);
  });
  return { header: envelope.header, blocks };
}
