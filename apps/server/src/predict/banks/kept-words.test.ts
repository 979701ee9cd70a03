import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeResidues } from '@kindred/kernels/alignment';
import { buildSeedIndex, type SeedIndex } from '@kindred/kernels/homology';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readWords, wordsFile, writeWords } from './kept-words.js';
import { indexOfBank } from './sequence-index.js';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-words-'));
  file = wordsFile(join(folder, 'banks', 'a key'));
});
afterAll(() => rm(folder, { recursive: true }));

const indexOf = (texts: readonly string[]) => buildSeedIndex(texts.map((text) => encodeResidues(text)));

/** Compares bytes, because the arrays have millions of elements. */
const digests = (index: SeedIndex | null) =>
  ['codes', 'start', 'prefixes', 'occupied', 'places'].map((name) => {
    const { buffer, byteLength } = index?.[name as 'codes'] ?? new Uint8Array(0);
    return `${name} ${createHash('sha256')
      .update(new Uint8Array(buffer, 0, byteLength))
      .digest('hex')}`;
  });
const some = indexOf(['MKTAYIAKQRQISFVKSHFSRQ', 'WHMCYWPNFHWCMYIWPHNCFW']);

it('gives back the index of any sequences, in memory that threads share', async () => {
  const sequence = fc.string({ unit: fc.constantFrom(...'ACDEFGHIKLMNPQRSTVWYX'), maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.array(sequence, { maxLength: 6 }), async (texts) => {
      const index = indexOf(texts);
      await writeWords(file, index);
      const read = await readWords(file, texts.length);
      expect(digests(read)).toEqual(digests(index));
      expect(read?.places.buffer).toBeInstanceOf(SharedArrayBuffer);
    }),
    { numRuns: 5 },
  );
  expect(await readdir(join(folder, 'words'))).toEqual(['a key']);
});

it('reads no file that is missing, cut, longer, of another version, or of another number of sequences', async () => {
  await writeWords(file, some);
  expect(await readWords(file, 3)).toBeNull();
  expect(await readWords(`${file}x`, 2)).toBeNull();
  const bytes = await readFile(file);
  await writeFile(file, Buffer.concat([bytes, Buffer.alloc(1)]));
  expect(await readWords(file, 2)).toBeNull();
  const other = Buffer.from(bytes);
  other[8]++;
  await writeFile(file, other);
  expect(await readWords(file, 2)).toBeNull();
  await writeFile(file, Buffer.from(bytes).fill(0xff, 16, 24));
  expect(await readWords(file, 2)).toBeNull();
  for (const length of [0, 10, 64, bytes.length - 1]) {
    await writeFile(file, bytes);
    await truncate(file, length);
    expect(await readWords(file, 2)).toBeNull();
  }
});

it('leaves nothing behind where it cannot write', async () => {
  const blocked = wordsFile(join(folder, 'blocked', 'banks', 'key'));
  await writeFile(join(folder, 'blocked'), '');
  await expect(writeWords(blocked, some)).rejects.toThrow(/ENOTDIR|EEXIST/);
  expect((await readdir(folder)).sort()).toEqual(['blocked', 'words']);
});

it('warns where an index cannot be kept, and gives it all the same', async () => {
  const bank = {
    vectorsFile: join(folder, 'blocked', 'banks', 'key', 'vectors'),
    arrays: { sequenceIds: new Float64Array(0) },
  };
  const compute = { run: () => Promise.resolve(some) };
  const warned = once(process, 'warning') as Promise<[Error]>;
  const context = { compute, db: null, signal: new AbortController().signal };
  expect(await indexOfBank(bank as never, context as never)).toBe(some);
  const [{ message }] = await warned;
  expect(message).toMatch(
    /could not be kept in .*words.key, so the next process makes it again: .*(ENOTDIR|EEXIST)/,
  );
});
