import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { VectorBank } from '@kindred/kernels/knn';
import { type BankHeader, decodeHeader, headerBytes, type SectionName } from './format.js';

/** A bank in the memory of this process: the arrays for the plain search, and the caller's labels. */
export interface LoadedBank {
  header: BankHeader;
  bank: VectorBank;
  labels: Uint8Array;
}

/** Reads and checks the header of a bank. @throws RangeError if the file is not a complete bank of this version */
export function readBankHeader(path: string): BankHeader {
  return withFile(path, (file) => fileHeader(file));
}

/** Reads a bank into memory: 4 bytes for each number of its vectors. @throws RangeError as readBankHeader */
export function loadBank(path: string): LoadedBank {
  return withFile(path, (file) => {
    const header = fileHeader(file);
    const section = (name: SectionName): ArrayBuffer => readSection(file, header, name);
    return {
      header,
      bank: {
        dimension: header.dimension,
        vectors: new Float32Array(section('vectors')),
        reference: new Int32Array(section('reference')),
        sequence: new Int32Array(section('sequence')),
        rank: new Int32Array(section('rank')),
      },
      labels: new Uint8Array(section('labels')),
    };
  });
}

function fileHeader(file: number): BankHeader {
  const bytes = new Uint8Array(headerBytes);
  const got = readSync(file, bytes, 0, headerBytes, 0);
  return decodeHeader(bytes.subarray(0, got), fstatSync(file).size);
}

function readSection(file: number, header: BankHeader, name: SectionName): ArrayBuffer {
  const { offset, bytes } = header.sections[name];
  const out = new Uint8Array(new ArrayBuffer(bytes));
  // One read returns at most 2 GiB.
  for (let done = 0; done < bytes; ) {
    const got = readSync(file, out, done, Math.min(bytes - done, 1 << 30), offset + done);
    if (got === 0) throw new RangeError('reference bank is cut short');
    done += got;
  }
  return out.buffer;
}

function withFile<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}
