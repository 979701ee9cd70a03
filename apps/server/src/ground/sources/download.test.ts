import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PublishedWorld, startPublishedStub } from '../../testing/published-stub.js';
import type { StubServer } from '../../testing/stub-server.js';
import { checkedBytes, describeRemote, downloadFile, type RemoteFile } from './download.js';
import { createSourceOpener } from './opener.js';

const bytes = gzipSync(randomBytes(300_000));
const retry = { retries: 2, pause: { firstSeconds: 0.001, factor: 2, longestSeconds: 0.005 } };

let folder: string;
let path: string;
let world: PublishedWorld;
let stub: StubServer;
let ranges: (string | undefined)[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-download-'));
  path = join(folder, 'part');
  ranges = [];
  world = { files: { '/f.gz': { bytes } }, release: '2024_05' };
  stub = await startPublishedStub(world);
});
afterEach(async () => {
  await stub.close();
  await rm(folder, { recursive: true });
});

const opener = () => createSourceOpener({ importDirs: [], allowedHosts: [stub.host], retry });
const described = async (md5: string | null = null): Promise<RemoteFile> => ({
  ...(await describeRemote(opener(), `${stub.url}/f.gz`, {})),
  md5,
});
const download = (file: RemoteFile, signal?: AbortSignal) =>
  downloadFile(opener(), file, { path, pauseMs: 1, ...(signal && { signal }) });

/** Sends a part of the requested bytes, then cuts the connection. */
function cut(response: ServerResponse, from: number, length: number): void {
  response.writeHead(from === 0 ? 200 : 206, {
    etag: world.files['/f.gz'].etag ?? '',
    'content-length': bytes.length - from,
    ...(from === 0 ? {} : { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
  });
  response.write(bytes.subarray(from, from + length), () => response.destroy());
}

/** Each of the first `times` answers is cut after `length` bytes. */
function cutOften(times: number, length: number): void {
  world.files['/f.gz'].etag = '"one"';
  let n = 0;
  world.fault = (request, response) => {
    ranges.push(request.headers.range);
    if (n++ >= times) return false;
    cut(response, Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0), length);
    return true;
  };
}

describe('downloadFile', () => {
  it('describes a file without reading it, then gets it byte for byte, packed as it is', async () => {
    const file = await described();
    expect(file).toMatchObject({ sizeBytes: bytes.length, lastModified: expect.any(String) });
    await download(file);
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });

  it('goes on after each cut, asking only for the rest', async () => {
    const file = { ...(await described()), etag: '"one"' };
    cutOften(7, 30_000);
    await download(file);
    expect((await readFile(path)).equals(bytes)).toBe(true);
    expect(ranges[0]).toBeUndefined();
    const starts = ranges.slice(1).map((range) => Number(/\d+/.exec(range ?? '')?.[0]));
    expect(starts).toHaveLength(7);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect(new Set(starts).size).toBe(7);
  });

  it('keeps what came when it gives up, says so, and a later call goes on from there', async () => {
    const file = { ...(await described()), etag: '"one"' };
    cutOften(1, 30_000);
    const first = world.fault;
    world.fault = (request, response, count) => {
      if (first?.(request, response, count)) return true;
      response.destroy();
      return true;
    };
    await expect(download(file)).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringMatching(/bytes are kept: run the same command again/),
    });
    const kept = (await stat(path)).size;
    expect(kept).toBeGreaterThan(0);
    ranges = [];
    cutOften(0, 0);
    await download(file);
    expect(ranges).toEqual([`bytes=${kept}-`]);
    expect((await readFile(path)).equals(bytes)).toBe(true);
    // One request means that the whole file is not requested again.
    await download(file);
    expect(ranges).toHaveLength(1);
  });

  it('waits as a 429 asks and repeats after a 500', async () => {
    const file = await described();
    const statuses = [429, 500];
    world.fault = (_request, response) => {
      const status = statuses.shift();
      if (status === undefined) return false;
      response.writeHead(status, { 'retry-after': '0' }).end();
      return true;
    };
    const waits: string[] = [];
    await downloadFile(opener(), file, { path, onRetry: ({ reason }) => void waits.push(reason) });
    expect(waits).toEqual([expect.stringContaining('429'), expect.stringContaining('500')]);
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });

  it.each(['while nothing was there', 'between two parts'])(
    'refuses a file that became another one %s, instead of mixing both',
    async (when) => {
      const file = { ...(await described()), etag: '"one"' };
      world.files['/f.gz'].etag = '"one"';
      let n = 0;
      world.fault = (_request, response) => {
        if (when === 'between two parts' && n++ === 0) {
          cut(response, 0, 30_000);
          return true;
        }
        world.files['/f.gz'] = { bytes: gzipSync('another release'), etag: '"two"' };
        return false;
      };
      await expect(download(file)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(/there is a new release. Run the same command again/),
      });
      // A call with the new state gets the new file alone.
      world.fault = undefined;
      await download(await described());
      expect((await readFile(path)).equals(gzipSync('another release'))).toBe(true);
    },
  );

  it('takes a whole part only in the state that was asked for', async () => {
    world.files['/f.gz'].etag = '"one"';
    await download(await described());
    // The server now has another release of the same size.
    const other = gzipSync(randomBytes(300_000), { level: 0 }).subarray(0, bytes.length);
    world.files['/f.gz'] = { bytes: other, etag: '"two"' };
    await download(await described());
    expect((await readFile(path)).equals(other)).toBe(true);
  });

  it('begins again where the server does not serve ranges', async () => {
    const file = { ...(await described()), etag: '"one"' };
    cutOften(1, 30_000);
    const first = world.fault;
    world.fault = (request, response, count) => {
      delete request.headers['if-range'];
      const isCut = first?.(request, response, count) === true;
      delete request.headers.range;
      return isCut;
    };
    await download(file);
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });

  it('passes on that the disk is full, and ends at once when the job is stopped', async () => {
    const file = await described();
    await symlink('/dev/full', path);
    await expect(download(file)).rejects.toMatchObject({ code: 'ENOSPC' });
    await rm(path);
    const stopped = new AbortController();
    world.fault = (_request, response) => {
      response.writeHead(200, { 'content-length': bytes.length, etag: file.etag ?? '' });
      response.write(bytes.subarray(0, 1000), () => stopped.abort(new Error('stopped by test')));
      return true;
    };
    await expect(download(file, stopped.signal)).rejects.toThrow('stopped by test');
  });
});

describe('checkedBytes', () => {
  it('compares with the published checksum, and drops a part that differs', async () => {
    const md5 = createHash('md5').update(bytes).digest('hex');
    const file = await described(md5);
    await download(file);
    const read = async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of checkedBytes(path, file)) chunks.push(chunk);
      return Buffer.concat(chunks);
    };
    expect((await read()).equals(bytes)).toBe(true);
    const damaged = Buffer.from(bytes);
    damaged[1000] ^= 1;
    await writeFile(path, damaged);
    await expect(read()).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('checksum'),
    });
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });
});
