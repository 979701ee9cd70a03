import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ArtifactStore } from './artifact-store.js';
import { createS3Artifacts } from './s3.js';
import { type Fault, type FaultyS3, startS3 } from '../../testing/artifacts/s3-server.js';

let s3: FaultyS3;
let store: ArtifactStore;
/** A busy machine needs longer than a silent server is given below to send and keep the parts of a large object. */
let patient: ArtifactStore;
beforeAll(async () => {
  s3 = await startS3();
  store = createS3Artifacts({ ...place(), idleMs: 400, partBytes: 5 << 20 });
  patient = createS3Artifacts({ ...place(), idleMs: 5000, partBytes: 5 << 20 });
});
afterAll(() => s3?.close());
afterEach(() => expect(s3.unmet()).toBe(0));

const place = () => ({ bucket: s3.bucket, prefix: 'lab', endpoint: s3.endpoint, region: null });
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const putting = (method: string) => method === 'PUT';
const posting = (method: string, path: string) => method === 'POST' && path.includes('uploadId');
const getting = (method: string) => method === 'GET';
async function read(uri: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.get(uri)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const small = randomBytes(200_000);
/** An object of this size is uploaded in three parts. */
const large = randomBytes(12_000_000);

const passing: [string, Fault][] = [
  ['a 500', { kind: 'status', status: 500 }],
  ['a 503', { kind: 'status', status: 503 }],
  ['a connection cut in the middle', { kind: 'cut-request', afterBytes: 100_000 }],
  ['a lost answer', { kind: 'lost-answer' }],
  ['a server that is silent', { kind: 'silence' }],
];
describe('writing', () => {
  it.each(passing)('survives %s', async (_name, fault) => {
    s3.next(fault, putting);
    const { uri, sha256: sum } = await store.put('write/small.bin', small);
    expect(sum).toBe(sha256(small));
    expect(sha256(await read(uri))).toBe(sum);
  });

  it.each(passing)('in parts survives %s', async (_name, fault) => {
    s3.next(fault, putting);
    const { uri, sha256: sum } = await patient.put('write/large.bin', large);
    expect(sum).toBe(sha256(large));
    expect(sha256(await read(uri))).toBe(sum);
  });

  it('succeeds where only the last response was lost', async () => {
    s3.next({ kind: 'lost-answer' }, posting);
    const { uri } = await patient.put('write/lost.bin', large);
    expect(sha256(await read(uri))).toBe(sha256(large));
  });

  it('fails when the faults do not end, and keeps the former object', async () => {
    const { uri } = await store.put('write/kept.bin', Buffer.from('before'));
    for (let i = 0; i < 4; i++) s3.next({ kind: 'status', status: 500 }, putting);
    await expect(store.put('write/kept.bin', small)).rejects.toMatchObject({
      code: 'artifact_store_failed',
      status: 503,
      message: expect.stringContaining('could not be written: InternalError'),
    });
    expect(String(await read(uri))).toBe('before');
    for (let i = 0; i < 4; i++) s3.next({ kind: 'cut-request', afterBytes: 60_000 }, putting);
    await expect(store.put('write/none.bin', small)).rejects.toMatchObject({ code: 'artifact_store_failed' });
    expect(await store.size(store.uriOf('write/none.bin'))).toBeNull();
  });

  it('in parts leaves nothing when one part never passes', async () => {
    for (let i = 0; i < 4; i++) s3.next({ kind: 'status', status: 500 }, (m, p) => /partNumber=2/.test(p));
    await expect(patient.put('write/part.bin', large)).rejects.toMatchObject({
      code: 'artifact_store_failed',
    });
    expect(await store.size(store.uriOf('write/part.bin'))).toBeNull();
    expect(s3.requests.some((line) => line.startsWith('DELETE') && line.includes('uploadId'))).toBe(true);
  });
});

describe('reading', () => {
  let uri: string;
  beforeAll(async () => {
    ({ uri } = await store.put('read.bin', small));
  });

  it.each<[string, Fault]>([
    ['a 500', { kind: 'status', status: 500 }],
    ['a connection cut in the middle', { kind: 'cut-response', afterBytes: 70_001 }],
    ['a lost answer', { kind: 'lost-answer' }],
    ['a server that is silent', { kind: 'silence' }],
    ['a server that falls silent in the middle', { kind: 'silent-body', afterBytes: 70_001 }],
  ])('survives %s', async (_name, fault) => {
    s3.next(fault, getting);
    expect(sha256(await read(uri))).toBe(sha256(small));
  });

  it('goes on where it was cut, however often, as long as bytes come', async () => {
    for (let i = 0; i < 6; i++) s3.next({ kind: 'cut-response', afterBytes: 20_000 }, getting);
    expect(sha256(await read(uri))).toBe(sha256(small));
  });

  it('goes on within a part', async () => {
    s3.next({ kind: 'cut-response', afterBytes: 500 }, getting);
    const chunks: Uint8Array[] = [];
    for await (const chunk of store.get(uri, { start: 1000, endExclusive: 3000 })) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(small.subarray(1000, 3000))).toBe(true);
  });

  it('fails when the faults do not end', async () => {
    for (let i = 0; i < 4; i++) s3.next({ kind: 'silence' }, getting);
    await expect(read(uri)).rejects.toMatchObject({
      code: 'artifact_store_failed',
      message: expect.stringContaining('could not be read'),
    });
  });

  it('gives an address that a browser can fetch from', async () => {
    const address = await store.url(uri, 60);
    const answer = await fetch(String(address));
    expect(answer.status).toBe(200);
    expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(small));
  });
});

describe('a configuration that cannot work', () => {
  it('names a missing bucket', async () => {
    const wrong = createS3Artifacts({ ...place(), bucket: 'no-such-bucket' });
    await expect(wrong.put('a.txt', small)).rejects.toMatchObject({
      code: 'artifact_store_failed',
      message: expect.stringContaining('SVC_ARTIFACT_BUCKET'),
    });
  });

  it('keeps to its prefix', async () => {
    const other = createS3Artifacts({ ...place(), prefix: 'other' });
    const { uri } = await other.put('a.txt', Buffer.from('x'));
    const address = other.addressOf(uri);
    expect(address).toBe(`s3://${s3.bucket}/other/a.txt`);
    await expect(store.size(address)).rejects.toMatchObject({ code: 'artifact_uri_refused' });
    expect(await store.size(store.uriOf('a.txt'))).toBeNull();
  });
});
