import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sharedData } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvLines } from './csv.js';
import { writeHdf5 } from './hdf5.js';
import { npzStream } from './npz-write.js';
import { writeParquet } from './parquet.js';
import type { KeyedVector } from './keyed-vector.js';
import { detectVectorFormat, vectorReader } from './vector-file.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-vector-files-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function readAll(path: string, batchSize = 3) {
  const format = await detectVectorFormat(path);
  const read = await vectorReader(format);
  const all: KeyedVector[] = [];
  for await (const batch of read(path, batchSize)) {
    expect(batch.length).toBeLessThanOrEqual(batchSize);
    all.push(...batch);
  }
  return { format, all };
}

const golden = (name: string) => join(import.meta.dirname, 'golden', name);
const expected = { P1: [1.5, -2.25, 0, 0.0999755859375], P3: [65504, -0.5, 2 ** -24, 3] };

describe('files that other programs wrote', () => {
  it.each([
    ['float16.h5', 'hdf5'],
    ['per-protein.npz', 'npz'],
    ['table.npz', 'npz'],
    ['lists.parquet', 'parquet'],
  ])('reads %s', async (name, format) => {
    const found = await readAll(golden(name), 1);
    expect(found.format).toBe(format);
    const vectors = Object.fromEntries(found.all.map(({ key, vector }) => [key, Array.from(vector)]));
    expect(vectors).toEqual(expected);
  });

  const reference = sharedData('data', 'embeddings-reference');
  it.skipIf(reference === null)('reads vectors stored by MD5, with their names', async () => {
    const { all } = await readAll(join(reference as string, 'knn_reference.h5'));
    expect(all).toHaveLength(5);
    expect(all.find(({ key }) => key === '582c3fb2d88b268dc5690ea5397062ef')).toMatchObject({
      name: '153lA00',
    });
    expect(all.every(({ vector }) => vector.length === 1024)).toBe(true);
  });

  it.skipIf(reference === null)('refuses vectors of single residues', async () => {
    await expect(readAll(join(reference as string, 'prottrans_bert_bfd.npz'))).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('pool the residues'),
    });
  });
});

const vectors: KeyedVector[] = Array.from({ length: 7 }, (_, i) => ({
  key: `Q${i}`,
  name: null,
  vector: Float32Array.from([i, 1 - i / 2, 0.25]),
}));
async function* inBatches() {
  for (let start = 0; start < vectors.length; start += 3) yield vectors.slice(start, start + 3);
}

describe('files that we write', () => {
  it.each([
    ['hdf5', (path: string) => writeHdf5(path, inBatches())],
    ['parquet', (path: string) => writeParquet(path, inBatches())],
    ['csv', async (path: string) => writeFile(path, csvLines(inBatches()))],
    [
      'npz',
      (path: string) =>
        pipeline(
          npzStream(
            vectors.map(({ key }) => key),
            3,
            inBatches(),
          ),
          createWriteStream(path),
        ),
    ],
  ])('come back as %s', async (format, write) => {
    const path = join(folder, format);
    await write(path);
    const found = await readAll(path);
    expect(found.format).toBe(format);
    expect(found.all).toEqual(vectors);
  });

  it('fails an .npz whose rows are missing', async () => {
    const stream = npzStream(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'], 3, inBatches());
    await expect(pipeline(stream, createWriteStream(join(folder, 'short')))).rejects.toThrow();
  });
});

describe('faults', () => {
  it.each([
    ['a text cell', 'P1,1,2\nP2,1,x\n', 'Line 2: .*"x" in column 3'],
    ['a key alone', 'P1\n', 'Line 1: .*no number'],
    ['a broken Parquet', 'PAR1aaaaaaaaaaaaaaaaaaaa', 'Parquet'],
    ['a broken zip', 'PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaa', 'npz'],
    ['a broken HDF5', '\x89HDF\r\n\x1a\naaaaaaaaaaaaaaaaaaaaaa', 'HDF5'],
  ])('names %s', async (_name, text, message) => {
    const path = join(folder, String(Math.random()));
    await writeFile(path, Buffer.from(text, 'latin1'));
    await expect(readAll(path)).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringMatching(new RegExp(message)),
    });
  });

  it('takes a header, tabs and quotes', async () => {
    const path = join(folder, 'header.tsv');
    await writeFile(path, 'id\td0\td1\n"P1"\t1\t-2e-3\n');
    expect((await readAll(path)).all).toEqual([
      { key: 'P1', name: null, vector: Float32Array.from([1, -0.002]) },
    ]);
  });
});
