import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packFolder, unpackFolder } from './bank-archive.js';

let folder: string;
let archive: Buffer;
const files = {
  'header.json': Buffer.from('{"key": "0123"}'),
  'vectors.f16': Buffer.alloc(3 << 20, 7),
  'empty.bin': Buffer.alloc(0),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-archive-'));
  await mkdir(join(folder, 'bank'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, 'bank', name), content);
  const chunks: Uint8Array[] = [];
  for await (const chunk of packFolder(join(folder, 'bank'))) chunks.push(chunk);
  archive = Buffer.concat(chunks);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

it.each([1000, 512, 1 << 16, 1 << 30])('gives the files back from pieces of %i bytes', async (size) => {
  const copy = join(folder, `copy-${size}`);
  await unpackFolder(inPieces(archive, size), copy);
  expect((await readdir(copy)).sort()).toEqual(Object.keys(files).sort());
  for (const [name, content] of Object.entries(files))
    expect((await readFile(join(copy, name))).equals(content)).toBe(true);
});

it('leaves nothing of an archive that is cut, changed, or not one', async () => {
  const changed = Buffer.from(archive);
  changed[1 << 20] ^= 1;
  const halves = [0, 600, 1 << 20, archive.length - 1536].map((length) => archive.subarray(0, length));
  for (const bytes of [...halves, changed, Buffer.from('KINDPACK'.repeat(200))]) {
    const copy = join(folder, 'damaged');
    await expect(unpackFolder(inPieces(bytes, 4096), copy)).rejects.toMatchObject({ code: 'bad_file' });
  }
  expect((await readdir(folder)).filter((name) => name.startsWith('damaged'))).toEqual([]);
});

it('passes on that a file cannot be packed', async () => {
  const packed = packFolder(join(folder, 'absent'));
  await expect(packed.next()).rejects.toThrow(/ENOENT/);
});
