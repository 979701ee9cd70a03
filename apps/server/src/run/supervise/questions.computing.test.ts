import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patience } from '@kindred/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { programFile } from '../../ground/folders.js';
import { askProcess } from './questions.js';

let folder: string;
let api: ChildProcess;
let port: number;
const strangers: Socket[] = [];

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port: free } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return free;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-questions-'));
  port = await freePort();
  // The API starts without its database, too.
  const env = {
    ...process.env,
    SVC_DATA_DIR: folder,
    SVC_DB_URL: 'postgres://127.0.0.1:1/none',
    SVC_HOST: '127.0.0.1',
  };
  api = spawn(process.execPath, [programFile, 'http', '--port', String(port)], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  await vi.waitFor(async () => expect(await health()).toBe(200), patience);
});
afterAll(async () => {
  for (const stranger of strangers) stranger.destroy();
  const ended = once(api, 'exit');
  api.kill('SIGKILL');
  await ended;
  await rm(folder, { recursive: true, force: true });
});

/** Gives the status of the answer on a separate connection; null if no connection or answer came. */
const health = () =>
  new Promise<number | null>((resolve) => {
    get({ port, host: '127.0.0.1', path: '/health', agent: false }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? null);
    }).on('error', () => resolve(null));
  });

it('are answered by an API whose connections strangers hold, all of them', async () => {
  await vi.waitFor(async () => {
    // The API takes 4,000 connections in all. Connections that come at once must fit the queue of the system,
    // which forgets others for seconds.
    for (let n = 0; n < 250; n++) strangers.push(connect(port, '127.0.0.1').on('error', () => {}));
    expect(await health()).toBeNull();
  }, patience);
  expect(strangers.length).toBeGreaterThanOrEqual(4000);
  expect(await askProcess(api, new AbortController().signal)).toEqual(['are you there?', undefined]);
});
