import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sweepDrafts } from './drafts.js';
import { writeBank } from '../predict/compute/reference-bank.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-drafts-'));
});
afterEach(() => rm(folder, { recursive: true }));

const nobody = 2 ** 22 + 1; // This id is above the largest process id.
const soon = Date.now() + 3_600_000;

it('deletes what dead processes left unfinished, and nothing else', async () => {
  const keep = ['bank', `bank.${process.pid}.draft`, 'notes.txt', `kindred-x-${process.pid}-a`];
  for (const name of [...keep, `bank.${nobody}.draft`, `kindred-x-${nobody}-b`]) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'part'), 'x');
  }
  expect((await sweepDrafts(folder, 'kindred-x-', soon)).sort()).toEqual([
    `bank.${nobody}.draft`,
    `kindred-x-${nobody}-b`,
  ]);
  expect((await readdir(folder)).sort()).toEqual(keep.sort());
});

it('leaves a draft alone that is still written to: its process may be in another container', async () => {
  const draft = join(folder, `bank.${nobody}.draft`);
  await mkdir(draft);
  await writeFile(join(draft, 'vectors.bank'), 'x');
  await utimes(draft, 0, 0);
  expect(await sweepDrafts(folder)).toEqual([]);
  expect(await sweepDrafts(join(folder, 'absent'))).toEqual([]);
});

it('a bank whose writing fails (the disk is full) leaves nothing', async () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const content = {
    dimension: 2,
    vectorCounts: Int32Array.of(1),
    arrays: { referenceSequence: Int32Array.of(0) },
    vectorBlocks: (async function* (): AsyncGenerator<Float32Array> {
      yield new Float32Array(2);
      throw full;
    })(),
    readTerms: async () => ({}),
  };
  await expect(writeBank(join(folder, 'bank'), content as never)).rejects.toBe(full);
  expect(await readdir(folder)).toEqual([]);
});
