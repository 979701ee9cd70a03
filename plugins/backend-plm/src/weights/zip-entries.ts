import type { FileHandle } from 'node:fs/promises';
import { badModel } from '../bad-model.js';

/** The bytes of an entry within the file. */
export interface StoredEntry {
  offsetBytes: number;
  sizeBytes: number;
}

const endSignature = 0x06054b50;
const end64Signature = 0x06064b50;
const locator64Signature = 0x07064b50;
const centralSignature = 0x02014b50;
const localSignature = 0x04034b50;
const maxDirectoryBytes = 50_000_000;
const unknown32 = 0xffffffff;

/**
 * Finds the locations of the entries of an uncompressed zip file, as PyTorch writes it (also zip64). All offsets and sizes in the file
 * are checked against its size.
 *
 * @throws ProblemError bad_file
 */
export async function storedEntries(
  handle: FileHandle,
  name: string,
  fileBytes: number,
): Promise<Map<string, StoredEntry>> {
  const read = async (offset: number, count: number): Promise<Buffer> => {
    if (offset < 0 || offset + count > fileBytes) throw damaged(name);
    const bytes = Buffer.alloc(count);
    const { bytesRead } = await handle.read(bytes, 0, count, offset);
    if (bytesRead < count) throw damaged(name);
    return bytes;
  };
  const { offset, sizeBytes } = await findDirectory(name, fileBytes, read);
  const entries = new Map<string, StoredEntry>();
  for (const { path, headerOffset, size } of directoryRows(name, await read(offset, sizeBytes))) {
    const local = await read(headerOffset, 30);
    if (local.readUInt32LE(0) !== localSignature) throw damaged(name);
    const start = headerOffset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    if (start + size > fileBytes) throw damaged(name);
    entries.set(path, { offsetBytes: start, sizeBytes: size });
  }
  return entries;
}

const damaged = (name: string) => badModel(`${name} is cut short or no file of PyTorch`);

async function findDirectory(
  name: string,
  fileBytes: number,
  read: (offset: number, count: number) => Promise<Buffer>,
): Promise<{ offset: number; sizeBytes: number }> {
  const tailStart = Math.max(0, fileBytes - 65_557);
  const tail = await read(tailStart, fileBytes - tailStart);
  let at = tail.length - 22;
  while (at >= 0 && tail.readUInt32LE(at) !== endSignature) at--;
  if (at < 0) throw badModel(`${name} is not a zip file; files of PyTorch before 1.6 are not read`);
  let sizeBytes = tail.readUInt32LE(at + 12);
  let offset = tail.readUInt32LE(at + 16);
  if (at >= 20 && tail.readUInt32LE(at - 20) === locator64Signature) {
    const end64 = await read(Number(tail.readBigUInt64LE(at - 12)), 56);
    if (end64.readUInt32LE(0) !== end64Signature) throw damaged(name);
    sizeBytes = Number(end64.readBigUInt64LE(40));
    offset = Number(end64.readBigUInt64LE(48));
  }
  if (sizeBytes > maxDirectoryBytes) throw damaged(name);
  return { offset, sizeBytes };
}

interface DirectoryRow {
  path: string;
  headerOffset: number;
  size: number;
}

function directoryRows(name: string, directory: Buffer): DirectoryRow[] {
  const rows: DirectoryRow[] = [];
  try {
    for (let at = 0; at < directory.length; ) {
      if (directory.readUInt32LE(at) !== centralSignature) throw damaged(name);
      const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
      const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
      const path = directory.toString('utf8', at + 46, nameEnd);
      if (directory.readUInt16LE(at + 10) !== 0)
        throw badModel(`${name} is packed, which PyTorch never does`);
      const packed = directory.readUInt32LE(at + 20);
      const size = directory.readUInt32LE(at + 24);
      const headerOffset = directory.readUInt32LE(at + 42);
      rows.push({
        path,
        ...wide(directory.subarray(nameEnd, extraEnd), { size, packed, headerOffset }),
      });
      at = extraEnd + directory.readUInt16LE(at + 32);
    }
  } catch (error) {
    throw error instanceof RangeError ? damaged(name) : error;
  }
  return rows;
}

/**
 * Reads wide sizes: those that do not fit 32 bits are in extra field 1, in this order, each only if its 32-bit field has all bits set.
 */
function wide(
  extra: Buffer,
  short: { size: number; packed: number; headerOffset: number },
): { size: number; headerOffset: number } {
  let { size, headerOffset } = short;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let next = at + 4;
    const take = () => {
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    };
    if (size === unknown32) size = take();
    if (short.packed === unknown32) take();
    if (headerOffset === unknown32) headerOffset = take();
  }
  return { size, headerOffset };
}
