import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArtifactStore } from './artifact-store.js';
import { createLocalArtifacts } from './local.js';
import { createS3Artifacts } from './s3.js';
import { startS3 } from '../../testing/artifacts/s3-server.js';

/** Every store must keep the promises of the interface, so each of them runs the same tests. */
interface Bench {
  store: ArtifactStore;
  /** `again` is the same store, opened as another process would open it. */
  again: ArtifactStore;
  close(): Promise<void>;
}

async function localBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'kindred-artifacts-'));
  return {
    store: createLocalArtifacts(folder),
    again: createLocalArtifacts(folder),
    close: () => rm(folder, { recursive: true }),
  };
}

async function allOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function s3Bench(): Promise<Bench> {
  const server = await startS3();
  const place = { bucket: server.bucket, prefix: 'a/prefix', endpoint: server.endpoint, region: null };
  return { store: createS3Artifacts(place), again: createS3Artifacts(place), close: () => server.close() };
}

describe.each([
  ['local', localBench],
  ['s3', s3Bench],
] as const)('the %s store', (backend, open) => {
  let bench: Bench;
  let store: ArtifactStore;
  beforeAll(async () => {
    bench = await open();
    store = bench.store;
  });
  afterAll(() => bench?.close());

  it.each([0, 1, 70_000, 9_000_001])('gives back %i bytes as they were put', async (size) => {
    const bytes = randomBytes(size);
    const put = await store.put(`round/${size}.bin`, inChunks(bytes, 65_537));
    expect(put).toEqual({ uri: store.uriOf(`round/${size}.bin`), sizeBytes: size, sha256: sha256(bytes) });
    const address = store.addressOf(put.uri);
    expect(address).toMatch(backend === 'local' ? /^file:\/\/\// : /^s3:\/\//);
    expect(await store.size(address)).toBe(size);
    expect(store.keyOf(address)).toBe(`round/${size}.bin`);
    expect(await bench.again.size(put.uri)).toBe(size);
    expect(sha256(await allOf(bench.again.get(put.uri)))).toBe(sha256(bytes));
  });

  it('takes a buffer, and replaces what was there', async () => {
    await store.put('replaced.txt', Buffer.from('a longer first text'));
    const { uri, sizeBytes } = await store.put('replaced.txt', Buffer.from('second'));
    expect(sizeBytes).toBe(6);
    expect(String(await allOf(store.get(uri)))).toBe('second');
  });

  it('gives parts', async () => {
    const { uri } = await store.put('parts.txt', Buffer.from('0123456789'));
    const part = async (start?: number, endExclusive?: number) =>
      String(await allOf(store.get(uri, { start, endExclusive })));
    expect(await part(2, 5)).toBe('234');
    expect(await part(7)).toBe('789');
    expect(await part(8, 99)).toBe('89');
    expect(await part(3, 3)).toBe('');
    expect(await part(10)).toBe('');
    expect(await part(500, 600)).toBe('');
    await expect(part(5, 2)).rejects.toThrow(RangeError);
    await expect(part(-1)).rejects.toThrow(RangeError);
  });

  it('lists what it holds, with sizes and addresses', async () => {
    const start = Date.now();
    const { uri } = await store.put('listed/deep/one.txt', Buffer.from('12345'));
    await store.put('listed/empty', Buffer.alloc(0));
    const found = [];
    for await (const object of bench.again.list()) if (object.key.startsWith('listed/')) found.push(object);
    expect(found.sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual([
      { key: 'listed/deep/one.txt', uri, sizeBytes: 5, modifiedAt: expect.any(Date) },
      { key: 'listed/empty', uri: store.uriOf('listed/empty'), sizeBytes: 0, modifiedAt: expect.any(Date) },
    ]);
    // S3 leaves out fractions of a second, so the time may lie up to a second too early.
    for (const { modifiedAt } of found) {
      expect(modifiedAt.getTime()).toBeGreaterThan(start - 2000);
      expect(modifiedAt.getTime()).toBeLessThanOrEqual(Date.now() + 2000);
    }
  });

  it('stores nothing when the source breaks off, and leaves what was there', async () => {
    const before = await store.put('kept.bin', Buffer.from('before'));
    const broken = async function* () {
      yield randomBytes(6_000_000);
      throw new Error('the source broke');
    };
    await expect(store.put('kept.bin', broken())).rejects.toThrow('the source broke');
    expect(String(await allOf(store.get(before.uri)))).toBe('before');
    await expect(store.put('never.bin', broken())).rejects.toThrow('the source broke');
    expect(await store.size(store.uriOf('never.bin'))).toBeNull();
  });

  it('stops when the signal aborts', async () => {
    const stop = new AbortController();
    const endless = async function* () {
      for (let i = 0; ; i++) {
        if (i === 3) stop.abort(new Error('stopped by the test'));
        yield randomBytes(1_000_000);
      }
    };
    await expect(store.put('endless.bin', endless(), { signal: stop.signal })).rejects.toThrow(
      'stopped by the test',
    );
    expect(await store.size(store.uriOf('endless.bin'))).toBeNull();
    const { uri } = await store.put('long.bin', randomBytes(5_000_000));
    await expect(allOf(store.get(uri, { signal: stop.signal }))).rejects.toThrow('stopped by the test');
  });

  it('reports a missing object', async () => {
    const uri = store.uriOf('absent/one.txt');
    expect(await store.size(uri)).toBeNull();
    await expect(allOf(store.get(uri))).rejects.toMatchObject({ code: 'artifact_not_found', status: 404 });
    await store.delete(uri);
  });

  it('deletes', async () => {
    const { uri } = await store.put('gone/soon.txt', Buffer.from('x'));
    await store.delete(uri);
    expect(await store.size(uri)).toBeNull();
    expect(store.uriOf('gone/soon.txt')).toBe(uri);
  });

  it.each([
    '',
    '/etc/passwd',
    '../outside',
    'a/../../b',
    'a//b',
    'a/',
    './a',
    '.parts/a',
    'a/.hidden',
    'a\\b',
    'a\0b',
    'a b',
    'ä',
    `${'a'.repeat(200)}/${'b'.repeat(200)}/${'c'.repeat(200)}`,
    'a'.repeat(201),
  ])('refuses the key %j', async (key) => {
    expect(() => store.uriOf(key)).toThrow(/is not a valid artifact key/);
    await expect(store.put(key, Buffer.from('x'))).rejects.toMatchObject({ code: 'invalid_artifact_key' });
  });

  it.each([
    'file:///etc/passwd',
    'file://other-host/etc/passwd',
    's3://another-bucket-of-someone/key',
    'https://example.org/x',
    'no address',
    '',
  ])('refuses the address %j', async (uri) => {
    const refusal = { code: 'artifact_uri_refused', status: 422 };
    await expect(store.size(uri)).rejects.toMatchObject(refusal);
    await expect(allOf(store.get(uri))).rejects.toMatchObject(refusal);
    await expect(store.delete(uri)).rejects.toMatchObject(refusal);
    await expect(store.url(uri, 60)).rejects.toMatchObject(refusal);
  });

  it('refuses addresses that climb out of the store', async () => {
    const inside = store.addressOf(store.uriOf('a/b'));
    for (const climb of ['..', '%2e%2e', '..%2f..', '.parts'])
      await expect(store.size(inside.replace('a/b', `${climb}/x`))).rejects.toMatchObject({
        code: 'artifact_uri_refused',
      });
    await expect(store.size('artifact:../x')).rejects.toMatchObject({ code: 'artifact_uri_refused' });
  });

  it('leaves one whole object when many write at once', async () => {
    const versions = Array.from({ length: 6 }, (_, i) => Buffer.alloc(300_000, i));
    await Promise.all(
      versions.map((bytes, i) => (i % 2 ? bench.again : store).put('contended.bin', inChunks(bytes, 10_000))),
    );
    const left = await allOf(store.get(store.uriOf('contended.bin')));
    expect(versions.some((bytes) => bytes.equals(left))).toBe(true);
  });
});
