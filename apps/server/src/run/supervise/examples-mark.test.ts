import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examplesUnfinished, loadMarked, markExamples, untilExamplesLoaded } from './examples-mark.js';
import { writeServiceFile } from './service-file.js';

let dataDir: string;
let server: Server;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kindred-mark-'));
  server = createServer((_request, reply) => reply.end('{}')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  // The test's own process is the service.
  await writeServiceFile(dataDir, { url: `http://127.0.0.1:${port}`, pid: process.pid });
});
afterAll(async () => {
  server.close();
  await rm(dataDir, { recursive: true, force: true });
});

it('makes commands wait while the service loads the example set', async () => {
  await markExamples(dataDir);
  const order: string[] = [];
  const command = untilExamplesLoaded(dataDir).then(() => order.push('command'));
  await loadMarked(dataDir, async () => {
    for (let asked = 0; asked < 2; asked++)
      await new Promise((resolve) =>
        server.once('request', (_request, reply) => reply.once('close', resolve)),
      );
    order.push('loaded');
  });
  await command;
  expect(order).toEqual(['loaded', 'command']);
  expect(await examplesUnfinished(dataDir)).toBe(false);
});

it('lets commands go on after a failure, and the next start try again', async () => {
  await markExamples(dataDir);
  const command = untilExamplesLoaded(dataDir);
  await expect(loadMarked(dataDir, () => Promise.reject(new Error('no model')))).rejects.toThrow('no model');
  await command;
  expect(await examplesUnfinished(dataDir)).toBe(true);
});

it('lets commands go on beside a service that leaves the rest of an interrupted load', async () => {
  await writeFile(join(dataDir, 'examples-loading'), String(process.pid + 1));
  await untilExamplesLoaded(dataDir);
  expect(await examplesUnfinished(dataDir)).toBe(true);
});
