import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeKernelsForTests } from '../native-for-tests.js';
import { bankFileBytes } from './format.js';
import { loadBank, readBankHeader } from './reader.js';
import { type BankShape, BankWriter } from './writer.js';

const natives = nativeKernelsForTests();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-bank-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function shapeOf(rows: number, dimension: number, labels?: Uint8Array): BankShape {
  const ascending = Int32Array.from({ length: rows }, (_, row) => row);
  return {
    dimension,
    rows,
    reference: ascending,
    sequence: ascending,
    rank: ascending.slice().reverse(),
    labels,
  };
}

function vectorsOf(rows: number, dimension: number): Float32Array {
  return Float32Array.from({ length: rows * dimension }, (_, i) => Math.sin(i * i) + 2);
}

function write(name: string, shape: BankShape, vectors: Float32Array, blockRows: number) {
  const path = join(folder, name);
  const writer = new BankWriter(path, shape);
  const step = blockRows * shape.dimension;
  for (let at = 0; at < vectors.length; at += step) writer.append(vectors.subarray(at, at + step));
  return { path, header: writer.finish() };
}

describe('reference bank file', () => {
  it('gives back what was written, whatever the blocks, under one content hash', () => {
    const labels = new TextEncoder().encode('P1\nP2\n');
    const shape = shapeOf(1100, 7, labels);
    const vectors = vectorsOf(1100, 7);
    const { path, header } = write('a.bank', shape, vectors, 1100);
    const other = write('b.bank', shape, vectors, 13);
    expect(readFileSync(other.path).equals(readFileSync(path))).toBe(true);
    expect(readBankHeader(path)).toEqual(header);
    expect(header.contentHash).toMatch(/^[0-9a-f]{64}$/);
    const { bank, labels: read } = loadBank(path);
    expect(bank).toEqual({
      dimension: 7,
      vectors,
      reference: shape.reference,
      sequence: shape.sequence,
      rank: shape.rank,
    });
    expect(read).toEqual(labels);
    expect(Object.values(header.sections).every(({ offset }) => offset % 64 === 0)).toBe(true);
    expect(statSync(path).size).toBe(bankFileBytes(header));
    vectors[5] += 1;
    expect(write('c.bank', shape, vectors, 1100).header.contentHash).not.toBe(header.contentHash);
  });

  it('bounds every centred row by its codes and its rest', () => {
    const [rows, dimension] = [21, 10];
    const vectors = vectorsOf(rows, dimension);
    const { path, header } = write('d.bank', shapeOf(rows, dimension), vectors, 4);
    const bytes = readFileSync(path);
    const view = <T>(name: 'mean' | 'codes' | 'l2', type: new (buffer: ArrayBuffer) => T): T => {
      const { offset, bytes: length } = header.sections[name];
      return new type(Uint8Array.from(bytes.subarray(offset, offset + length)).buffer);
    };
    const [mean, codes, l2] = [
      view('mean', Float32Array),
      view('codes', Uint8Array),
      view('l2', Float32Array),
    ];
    for (let row = 0; row < rows; row++) {
      const [group, lane] = [row >> 4, row & 15];
      const numbers = [0, 1, 2, 3, 4].map((n) => l2[(group * 5 + n) * 16 + lane]);
      let [kept, rest, square] = [0, 0, 0];
      for (let i = 0; i < dimension; i++) {
        const centred = vectors[row * dimension + i] - mean[i];
        const code = codes[((group * 3 + (i >> 2)) * 16 + lane) * 4 + (i & 3)] - 128;
        expect(Math.abs(code)).toBeLessThanOrEqual(127);
        kept += (code * numbers[0]) ** 2;
        rest += (centred - code * numbers[0]) ** 2;
        square += centred * centred;
      }
      expect(numbers[1]).toBeCloseTo(-square / 2, 4);
      expect(numbers[3]).toBeGreaterThanOrEqual(Math.sqrt(kept));
      expect(numbers[3]).toBeLessThan(Math.sqrt(kept) * 1.000001);
      expect(numbers[4]).toBeGreaterThanOrEqual(Math.sqrt(rest));
      expect(numbers[4]).toBeLessThan(0.02 * Math.sqrt(square));
    }
    expect(l2[(1 * 5 + 1) * 16 + 5]).toBeLessThan(-9e36);
  });

  it('refuses arrays that do not fit, unfinished files and damaged files', () => {
    const path = join(folder, 'e.bank');
    expect(() => new BankWriter(path, { ...shapeOf(4, 2), reference: Int32Array.of(0) })).toThrow(
      '4 rows, but reference names 1',
    );
    expect(() => new BankWriter(path, { ...shapeOf(2, 2), reference: Int32Array.of(0, 2) })).toThrow(
      'reference 2 of 2',
    );
    expect(() => new BankWriter(path, shapeOf(2, 0))).toThrow('cannot be written');
    const writer = new BankWriter(path, shapeOf(4, 2));
    expect(() => writer.append(new Float32Array(3))).toThrow('not whole rows');
    expect(() => writer.append(Float32Array.of(1, Number.NaN))).toThrow(
      'row 0 holds a number that is not finite',
    );
    writer.append(new Float32Array(6));
    expect(() => writer.append(new Float32Array(4))).toThrow('more than the 4 rows');
    expect(() => writer.finish()).toThrow('3 of 4 rows');
    writer.abandon();
    expect(() => readBankHeader(path)).toThrow(RangeError);
    const good = write('f.bank', shapeOf(40, 6), vectorsOf(40, 6), 40).path;
    truncateSync(good, statSync(good).size - 64);
    expect(() => readBankHeader(good)).toThrow('damaged');
    for (const native of natives) expect(() => native.openBank(good)).toThrow('damaged');
    writeFileSync(good, 'no bank');
    expect(() => readBankHeader(good)).toThrow('not a reference bank');
    for (const native of natives) expect(() => native.openBank(good)).toThrow('not a reference bank');
  });
});
