import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { seedIndexFormat, type SeedIndex } from '@kindred/kernels/homology';
import { allocateShared } from '../compute/seed-index-memory.js';

/** The arrays of an index in the order of the file. */
const arrayTypes = {
  codes: Uint8Array,
  start: Int32Array,
  prefixes: Uint8Array,
  occupied: Uint32Array,
  places: Int32Array,
} as const satisfies Record<string, new (memory: SharedArrayBuffer) => unknown>;
type ArrayName = keyof typeof arrayTypes;
const arrayNames = Object.keys(arrayTypes) as ArrayName[];

const magic = 'KINDWORD';
const headerBytes = 64;
/** A system call moves at most this many bytes. */
const stepBytes = 1 << 26;

/** The folder of the words of banks, in the folder that has the folder `banks`: a bank's own folder never changes. */
export const wordsFolder = 'words';

/** Returns the file of the words of the bank in this folder. */
export const wordsFile = (bankFolder: string): string =>
  join(dirname(dirname(bankFolder)), wordsFolder, basename(bankFolder));

function headerOf(lengths: readonly number[]): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write(magic, 0, 'latin1');
  header.writeUInt32LE(seedIndexFormat, 8);
  lengths.forEach((bytes, n) => header.writeBigUInt64LE(BigInt(bytes), 16 + 8 * n));
  return header;
}

/**
 * Writes the index of a bank's words, so that the next process reads what took far longer to make. The file appears whole or not at all,
 * and is on the disk before it has its name.
 */
export async function writeWords(file: string, index: SeedIndex): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.draft`;
  try {
    const out = await open(draft, 'w');
    try {
      await out.writeFile(headerOf(arrayNames.map((name) => index[name].byteLength)));
      for (const name of arrayNames) {
        const { buffer, byteOffset, byteLength } = index[name];
        for (let at = 0; at < byteLength; at += stepBytes)
          await out.writeFile(new Uint8Array(buffer, byteOffset + at, Math.min(stepBytes, byteLength - at)));
      }
      await out.sync();
    } finally {
      await out.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * Reads the index of a bank's words into memory that all threads see.
 * @param sequences the number of sequences that the bank has
 * @returns null if there is no file, or if it is cut or damaged, or belongs to another version or other sequences
 */
export async function readWords(file: string, sequences: number): Promise<SeedIndex | null> {
  const from = await open(file).catch(() => null);
  if (from === null) return null;
  try {
    const header = Buffer.alloc(headerBytes);
    await from.read(header, 0, headerBytes, 0);
    const lengths = arrayNames.map((_, n) => Number(header.readBigUInt64LE(16 + 8 * n)));
    const whole = lengths.reduce((sum, bytes) => sum + bytes, headerBytes);
    if ((await from.stat()).size !== whole || !header.equals(headerOf(lengths))) return null;
    if (lengths[arrayNames.indexOf('start')] !== 4 * (sequences + 1)) return null;
    const index = {} as Record<ArrayName, unknown>;
    let place = headerBytes;
    for (const [n, name] of arrayNames.entries()) {
      const memory = allocateShared(lengths[n]);
      const bytes = new Uint8Array(memory);
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await from.read(bytes, at, Math.min(stepBytes, bytes.length - at), place + at);
        if (bytesRead === 0) return null;
        at += bytesRead;
      }
      place += lengths[n];
      const Type: new (memory: SharedArrayBuffer) => unknown = arrayTypes[name];
      index[name] = new Type(memory);
    }
    return index as unknown as SeedIndex;
  } finally {
    await from.close();
  }
}
