import { type BuildSize, bytesNeeded, estimateText } from '@kindred/client/reference-builds';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examplesFolder } from '../ground/folders.js';
import { textOf } from '../testing/slow-world.js';
import { countRecords, requireRoom } from './reference-estimate.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-estimate-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ['reference.fasta.gz', 'fasta'],
  ['queries.fasta', 'fasta'],
  ['reference.gaf.gz', 'table'],
  ['go-basic-2022-07-01.obo.gz', 'other'],
] as const)('counts the records of %s as a slow way does', async (name, kind) => {
  const text = await textOf(join(examplesFolder, name));
  const lines = text.split('\n').filter((line) => line !== '');
  const records = { fasta: /^>/, table: /^[^!]/, other: /^$/ }[kind];
  expect(await countRecords(join(examplesFolder, name), kind)).toEqual({
    records: lines.filter((line) => records.test(line)).length,
    unpackedBytes: Buffer.byteLength(text),
  });
});

it('counts lines across chunks, and a last line without an end', async () => {
  const path = join(folder, 'long.fasta');
  await writeFile(path, `>a\n${'M'.repeat(2 << 20)}\n>b\nM\n\n>c`);
  expect((await countRecords(path, 'fasta')).records).toBe(3);
  await writeFile(path, '');
  expect(await countRecords(path, 'table')).toEqual({ records: 0, unpackedBytes: 0 });
});

const size: BuildSize = {
  proteins: 516_371,
  rows: 4_500_000,
  sentBytes: 2e8,
  unpackedBytes: 1e9,
  dimension: 1024,
  model: 'kmer-1024',
};

it('says how much disk a build needs, how long it takes, and what is missing', () => {
  expect(bytesNeeded(size)).toBe(2e8 + 2e9 + 7 * 1024 * 516_371 + 256 * 2 ** 20);
  expect(estimateText(size, 2e10)).toBe(
    '516,371 proteins, 4,500,000 annotation rows: about 6.2 GB of disk of 20.0 GB that are free, and 3 minutes on two cores.',
  );
  expect(estimateText({ ...size, model: 'other', proteins: 10 }, null)).toContain(
    '15 seconds on two cores, and the vectors of other',
  );
  expect(() => requireRoom(size, 7e9, '/data')).not.toThrow();
  expect(() => requireRoom(size, 5e9, '/data')).toThrow(
    'needs about 6.2 GB in /data, where 5.0 GB are free: 1.2 GB are missing. Free space there',
  );
});
