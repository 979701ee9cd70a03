import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FetchRetry } from './source-opener.js';
import { startStubServer, type StubServer } from '../../testing/stub-server.js';
import { createSourceOpener, type OpenerSettings, noRetry } from './opener.js';

const text = 'line\n'.repeat(50_000);
const retry = { retries: 3, pause: { firstSeconds: 0.001, factor: 2, longestSeconds: 0.005 } };

let stub: StubServer | null = null;
afterEach(async () => {
  await stub?.close();
  stub = null;
});

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

async function read(answer: Answer, more: Partial<OpenerSettings> = {}, options = {}): Promise<string> {
  stub = await startStubServer(answer);
  const opener = createSourceOpener({ importDirs: [], allowedHosts: [stub.host], retry, ...more });
  return collect(await opener.open(`${stub.url}/file`, options));
}

async function collect(stream: { bytes: AsyncIterable<Uint8Array> }): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream.bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('http sources', () => {
  it.each([
    ['plain', (r: ServerResponse) => r.end(text)],
    ['gzip by its first bytes', (r: ServerResponse) => r.end(gzipSync(text))],
    [
      'gzip once more for the way',
      (r: ServerResponse) => r.setHeader('content-encoding', 'gzip').end(gzipSync(gzipSync(text))),
    ],
    [
      'two gzip members',
      (r: ServerResponse) => r.end(Buffer.concat([gzipSync(text.slice(0, 7)), gzipSync(text.slice(7))])),
    ],
    [
      'one byte at first',
      (r: ServerResponse) => {
        const packed = gzipSync(text);
        r.write(packed.subarray(0, 1), () => r.end(packed.subarray(1)));
      },
    ],
  ])('reads %s', async (_name, answer) => {
    expect(await read((_request, response) => answer(response))).toBe(text);
  });

  it('reads an empty body', async () => {
    expect(await read((_request, response) => response.end())).toBe('');
  });

  it('retries after 429, 500 and a cut connection, and reports it', async () => {
    const retries: FetchRetry[] = [];
    const answer: Answer = (_request, response, count) => {
      if (count === 1) response.writeHead(429, { 'retry-after': '0' }).end();
      else if (count === 2) response.writeHead(500).end();
      else if (count === 3) response.destroy();
      else response.end(text);
    };
    const onRetry = (one: FetchRetry) => void retries.push(one);
    expect(await read(answer, {}, { onRetry })).toBe(text);
    expect(retries.map((one) => one.attempt)).toEqual([1, 2, 3]);
    expect(retries[0].reason).toContain('429');
    expect(retries[1].reason).toContain('500');
  });

  it('waits as Retry-After says, up to its own limit', async () => {
    const retries: FetchRetry[] = [];
    const answer: Answer = (_request, response, count) => {
      if (count === 1) response.writeHead(503, { 'retry-after': '3600' }).end();
      else response.end('ok');
    };
    await read(
      answer,
      { retry: { ...retry, pause: { firstSeconds: 0.001, factor: 2, longestSeconds: 0.04 } } },
      { onRetry: (one: FetchRetry) => void retries.push(one) },
    );
    expect(retries[0].waitMs).toBeGreaterThanOrEqual(40);
    expect(retries[0].waitMs).toBeLessThan(60);
  });

  it('gives up after the last retry, naming the cause', async () => {
    await expect(read((_request, response) => response.writeHead(502).end())).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringMatching(/502.*given up after 4 attempts/),
    });
    expect(stub?.requests).toHaveLength(4);
  });

  it('does not repeat a refusal', async () => {
    await expect(read((_request, response) => response.writeHead(404).end())).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('404'),
    });
    expect(stub?.requests).toHaveLength(1);
  });

  it.each([
    [
      'a body shorter than Content-Length',
      (r: ServerResponse) => {
        r.writeHead(200, { 'content-length': text.length });
        r.write(text.slice(0, 1000), () => r.destroy());
      },
    ],
    [
      'a chunked body that is cut',
      (r: ServerResponse) => {
        r.write(text.slice(0, 1000), () => r.destroy());
      },
    ],
  ])('throws for %s', async (_name, answer) => {
    await expect(read((_request, response) => answer(response))).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('broke off'),
    });
  });

  it('throws for gzip that ends early and for broken gzip', async () => {
    const packed = gzipSync(text);
    await expect(
      read((_request, response) => response.end(packed.subarray(0, packed.length - 20))),
    ).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('cut short'),
    });
    await stub?.close();
    const broken = Buffer.from(packed);
    broken.fill(0x55, 40, 60);
    await expect(read((_request, response) => response.end(broken))).rejects.toMatchObject({
      code: 'bad_file',
    });
  });

  it('stops a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(8 << 20));
    const limits = { ratioFromBytes: 1 << 20 };
    await expect(read((_request, response) => response.end(bomb), { limits })).rejects.toMatchObject({
      code: 'decompressed_too_large',
    });
    await stub?.close();
    await expect(
      read((_request, response) => response.end(text), { limits: { maxBytes: 1000 } }),
    ).rejects.toMatchObject({
      code: 'decompressed_too_large',
    });
  });

  it('times out before the response and within it', async () => {
    const none = { retry: noRetry };
    await expect(read(() => {}, none, { timeoutMs: 60 })).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('no answer for 0.06 s'),
    });
    await stub?.close();
    const stalled: Answer = (_request, response) => void response.write('begin');
    await expect(read(stalled, none, { timeoutMs: 60 })).rejects.toMatchObject({
      message: expect.stringContaining('broke off'),
    });
  });

  it("does not count the reader's own pauses as idle time", async () => {
    stub = await startStubServer((_request, response) => response.end(text.repeat(20)));
    const opener = createSourceOpener({ importDirs: [], allowedHosts: [stub.host], retry });
    const { bytes } = await opener.open(stub.url, { timeoutMs: 60_000 });
    let length = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      for await (const chunk of bytes) {
        length += chunk.length;
        vi.advanceTimersByTime(90_000);
      }
    } finally {
      vi.useRealTimers();
    }
    expect(length).toBe(text.length * 20);
  });

  it('ends at once when the job is stopped', async () => {
    const controller = new AbortController();
    const stop = () => controller.abort(new Error('cancelled by test'));
    const reading = read(
      (_request, response) => void response.write('begin', stop),
      {},
      { signal: controller.signal },
    );
    await expect(reading).rejects.toThrow('cancelled by test');
  });

  it('closes the connection when the reader stops', async () => {
    let closed = false;
    stub = await startStubServer((_request, response) => {
      response.on('close', () => {
        closed = true;
      });
      response.write(text);
    });
    const opener = createSourceOpener({ importDirs: [], allowedHosts: [stub.host], retry });
    for await (const _chunk of (await opener.open(stub.url, {})).bytes) break;
    await expect.poll(() => closed).toBe(true);
  });
});

describe('file sources', () => {
  let root: string;
  let folder: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'kindred-opener-'));
    folder = join(root, 'import');
    await mkdir(folder);
    await mkdir(join(root, 'import-other'));
    await writeFile(join(folder, 'a.txt.gz'), gzipSync(text));
    await writeFile(join(folder, 'with space.txt'), 'space');
    await writeFile(join(root, 'secret'), 'secret');
    await writeFile(join(root, 'import-other', 'secret'), 'secret');
    await symlink(join(root, 'secret'), join(folder, 'link'));
    await symlink(join(folder, 'a.txt.gz'), join(folder, 'inner'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const open = async (url: string) =>
    collect(await createSourceOpener({ importDirs: [folder], allowedHosts: null }).open(url, {}));

  it('reads files under the folder', async () => {
    expect(await open(pathToFileURL(join(folder, 'a.txt.gz')).href)).toBe(text);
    expect(await open(pathToFileURL(join(folder, 'with space.txt')).href)).toBe('space');
    expect(await open(pathToFileURL(join(folder, 'inner')).href)).toBe(text);
  });

  it('unpacks Brotli, known by its ending, and names a damaged file', async () => {
    const packed = brotliCompressSync(text);
    await writeFile(join(folder, 'a.txt.br'), packed);
    await writeFile(join(folder, 'cut.txt.br'), packed.subarray(0, packed.length - 4));
    await writeFile(join(folder, 'other.txt.br'), Buffer.alloc(100, 0xff));
    const address = (name: string) => pathToFileURL(join(folder, name)).href;
    expect(await open(address('a.txt.br'))).toBe(text);
    await expect(open(address('cut.txt.br'))).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringMatching(/cut\.txt\.br is cut short: its Brotli data end early/),
    });
    await expect(open(address('other.txt.br'))).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('broken Brotli data'),
    });
  });

  it('refuses every path that leads outside', async () => {
    const base = pathToFileURL(folder).href;
    for (const url of [
      pathToFileURL(join(root, 'secret')).href,
      `${base}/../secret`,
      `${base}/%2e%2e/secret`,
      `${base}/x/../../secret`,
      `${base}/link`,
      `${base}-other/secret`,
      `${base}/..%2Fsecret`,
      'file:///etc/passwd',
      'file:///no/such/thing',
      `file://elsewhere${folder}/a.txt.gz`,
    ]) {
      await expect(open(url), url).rejects.toMatchObject({ code: 'address_refused' });
    }
  });

  it('says so when a file is absent or is a folder, and when no folder is set', async () => {
    await expect(open(pathToFileURL(join(folder, 'none')).href)).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringMatching(/^file:.*none cannot be opened: there is no such file\.$/),
    });
    await mkdir(join(folder, 'sub'));
    await expect(open(pathToFileURL(join(folder, 'sub')).href)).rejects.toMatchObject({
      code: 'fetch_failed',
    });
    const closed = createSourceOpener({ importDirs: [], allowedHosts: null });
    await expect(closed.open('file:///etc/passwd', {})).rejects.toThrow('SVC_IMPORT_DIR');
  });
});
