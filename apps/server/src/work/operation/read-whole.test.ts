import { afterEach, expect, it } from 'vitest';
import { createSourceOpener, noRetry } from '../../ground/sources/opener.js';
import { startStubServer, type StubServer } from '../../testing/stub-server.js';
import type { OperationContext } from './operation.js';
import { readWhole } from './read-whole.js';

let stub: StubServer;
afterEach(() => stub.close());

function contextOf(signal = new AbortController().signal): OperationContext {
  const sources = createSourceOpener({
    importDirs: [],
    allowedHosts: [stub.host],
    retry: noRetry,
  });
  return { sources, signal } as Partial<OperationContext> as OperationContext;
}

it('reads a whole file', async () => {
  stub = await startStubServer((_request, response) => response.end('GO:0000001\t1\n'));
  expect(Buffer.from(await readWhole(stub.url, 5, contextOf())).toString()).toBe('GO:0000001\t1\n');
});

it('gives up after the timeout of the payload', async () => {
  stub = await startStubServer(() => {});
  await expect(readWhole(stub.url, 0.06, contextOf())).rejects.toMatchObject({
    code: 'fetch_failed',
    message: expect.stringContaining('no answer for 0.06 s'),
  });
});

it('ends with its job', async () => {
  stub = await startStubServer(() => {});
  const job = new AbortController();
  const reading = readWhole(stub.url, 60, contextOf(job.signal));
  job.abort(new Error('the job was cancelled'));
  await expect(reading).rejects.toThrow('cancelled');
});

it('refuses a file that is too large', async () => {
  stub = await startStubServer((_request, response) => {
    const piece = Buffer.alloc(1 << 20);
    for (let i = 0; i < 65; i++) response.write(piece);
    response.end();
  });
  await expect(readWhole(stub.url, 5, contextOf())).rejects.toThrow('is it the right file?');
});
