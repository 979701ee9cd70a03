/** The blocks form a plain ustar archive as packs have it: no owner, no time, no extension. */
export const blockBytes = 512;
const octalLimit = 8 ** 11;

/** Makes the block before a file. Our names are short enough for it. */
export function headerBlock(name: string, sizeBytes: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.write(name, 0, 100, 'ascii');
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  if (sizeBytes < octalLimit) block.write(`${sizeBytes.toString(8).padStart(11, '0')} `, 124);
  else {
    // GNU tar writes sizes from 8 GiB on in this way: a mark, and the number in bytes.
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(sizeBytes), 128);
  }
  block.write('00000000000 ', 136);
  block.write('        0', 148);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** Zeros fill the last block of a file. */
export function padding(sizeBytes: number): Buffer {
  return Buffer.alloc((blockBytes - (sizeBytes % blockBytes)) % blockBytes);
}

export const archiveEnd: Buffer = Buffer.alloc(2 * blockBytes);

/** Reads the name and size in a header block; null if a writer of packs would not make this block. */
export function readHeader(block: Buffer): { name: string; sizeBytes: number } | null {
  const nameEnd = block.indexOf(0);
  const name = block.toString('ascii', 0, Math.min(nameEnd < 0 ? 100 : nameEnd, 100));
  const sizeBytes =
    block[124] === 0x80
      ? Number(block.readBigUInt64BE(128))
      : Number.parseInt(block.toString('ascii', 124, 135), 8);
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) return null;
  return headerBlock(name, sizeBytes).equals(block) ? { name, sizeBytes } : null;
}
