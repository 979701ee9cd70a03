import { cp, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathToFileURL } from 'node:url';
import { createLocalArtifacts } from './local.js';

let folder: string;
let outside: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-artifacts-'));
  outside = await mkdtemp(join(tmpdir(), 'kindred-outside-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await rm(outside, { recursive: true });
});

const bytesOf = async (bytes: AsyncIterable<Uint8Array>) => {
  for await (const _ of bytes);
};

describe('links in the folder of artifacts', () => {
  it('are not followed out of it, to read, to write or to delete', async () => {
    const store = createLocalArtifacts(folder);
    await writeFile(join(outside, 'secret.txt'), 'secret');
    await symlink(outside, join(folder, 'way-out'));
    await symlink(join(outside, 'secret.txt'), join(folder, 'link.txt'));
    const refused = { code: 'artifact_uri_refused' };
    for (const key of ['way-out/secret.txt', 'link.txt']) {
      await expect(bytesOf(store.get(store.uriOf(key)))).rejects.toMatchObject(refused);
      await expect(store.size(store.uriOf(key))).rejects.toMatchObject(refused);
      await expect(store.delete(store.uriOf(key))).rejects.toMatchObject(refused);
    }
    await expect(store.put('way-out/new.txt', Buffer.from('x'))).rejects.toMatchObject(refused);
    await expect(store.put('way-out/deeper/new.txt', Buffer.from('x'))).rejects.toMatchObject(refused);
    expect(await readdir(outside)).toEqual(['secret.txt']);
  });

  it('are followed where the folder itself is one', async () => {
    await mkdir(join(outside, 'real'));
    await symlink(join(outside, 'real'), join(folder, 'root'));
    const store = createLocalArtifacts(join(folder, 'root'));
    const { uri } = await store.put('a/b.txt', Buffer.from('x'));
    expect(await store.size(uri)).toBe(1);
    expect(await readdir(join(outside, 'real', 'a'))).toEqual(['b.txt']);
  });
});

describe('a folder of artifacts that was copied', () => {
  const key = 'datasets/a1/1/train.parquet';
  const addressIn = (place: string) => pathToFileURL(join(place, key)).href;

  it('holds its objects under the addresses that rows have, and deletes its own alone', async () => {
    const original = createLocalArtifacts(join(folder, 'data', 'artifacts'));
    const { uri } = await original.put(key, Buffer.from('rows'));
    await cp(join(folder, 'data'), join(outside, 'renamed'), { recursive: true });
    const copy = createLocalArtifacts(join(outside, 'renamed', 'artifacts'));
    const before030 = addressIn(join(folder, 'data', 'artifacts'));
    for (const named of [uri, before030]) {
      expect(await copy.size(named)).toBe(4);
      expect(copy.keyOf(named)).toBe(key);
      expect(copy.addressOf(named)).toBe(addressIn(join(outside, 'renamed', 'artifacts')));
    }
    await copy.delete(before030);
    expect(await copy.size(uri)).toBeNull();
    expect(await original.size(before030)).toBe(4);
  });

  it('has no object for the address of a file that is not in it, nor for a name alone', async () => {
    const store = createLocalArtifacts(folder);
    await store.put('model.txt', Buffer.from('x'));
    for (const address of ['file:///old/artifacts/datasets/a1/1/train.parquet', 'file:///old/model.txt']) {
      await expect(store.size(address)).rejects.toMatchObject({ code: 'artifact_uri_refused' });
      expect(store.addressOf(address)).toBe(address);
    }
  });
});

describe('files in the making', () => {
  it('leave nothing behind when the source breaks off', async () => {
    const store = createLocalArtifacts(folder);
    const broken = async function* () {
      yield Buffer.from('half');
      throw new Error('broken');
    };
    await expect(store.put('x.bin', broken())).rejects.toThrow('broken');
    expect(await readdir(join(folder, '.parts'))).toEqual([]);
  });

  it('of a process that was killed are cleared after a day', async () => {
    await mkdir(join(folder, '.parts'));
    for (const name of ['old', 'young']) await writeFile(join(folder, '.parts', name), 'half');
    const twoDaysAgo = new Date(Date.now() - 2 * 24 * 3600 * 1000);
    await utimes(join(folder, '.parts', 'old'), twoDaysAgo, twoDaysAgo);
    await createLocalArtifacts(folder).put('x.bin', Buffer.from('x'));
    expect(await readdir(join(folder, '.parts'))).toEqual(['young']);
  });

  it('a folder is not an artifact', async () => {
    const store = createLocalArtifacts(folder);
    await store.put('a/b.txt', Buffer.from('x'));
    expect(await store.size(store.uriOf('a'))).toBeNull();
    await expect(bytesOf(store.get(store.uriOf('a')))).rejects.toMatchObject({ code: 'artifact_not_found' });
  });
});
