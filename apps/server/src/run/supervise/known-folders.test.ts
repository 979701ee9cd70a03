import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { meantFolder, rememberFolder } from './known-folders.js';
import { writeServiceFile } from './service-file.js';

let folder: string;
let environment: NodeJS.ProcessEnv;
let api: Server;
const before = process.cwd();

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'kindred-known-')));
  environment = { XDG_STATE_HOME: join(folder, 'state') };
  for (const name of ['elsewhere', 'a', 'b']) await mkdir(join(folder, name));
  api = createServer((_, reply) => reply.end('{}')).listen(0, '127.0.0.1');
  await new Promise((done) => api.once('listening', done));
  process.chdir(join(folder, 'elsewhere'));
});
afterEach(async () => {
  process.chdir(before);
  await new Promise((done) => api.close(done));
  await rm(folder, { recursive: true });
});
const [a, b] = [() => join(folder, 'a'), () => join(folder, 'b')];
const runs = (dataDir: string) =>
  writeServiceFile(dataDir, {
    url: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    pid: process.pid,
  });

it('is the default where nothing is known', async () => {
  expect(await meantFolder(environment)).toBeNull();
});

it('is the only one, whether its service runs or not', async () => {
  await rememberFolder(a(), environment);
  await rememberFolder(a(), environment);
  expect(await meantFolder(environment)).toBe(a());
  await runs(a());
  expect(await meantFolder(environment)).toBe(a());
});

it('is the one whose service runs', async () => {
  for (const one of [a(), b()]) await rememberFolder(one, environment);
  await runs(b());
  expect(await meantFolder(environment)).toBe(b());
});

it('is asked for where several could be meant', async () => {
  for (const one of [a(), b()]) await rememberFolder(one, environment);
  await expect(meantFolder(environment)).rejects.toThrow(
    /^No service of yours runs.*SVC_DATA_DIR.*: .*\/a, .*\/b$/,
  );
  for (const one of [a(), b()]) await runs(one);
  await expect(meantFolder(environment)).rejects.toThrow(/^Several services of yours run.*\/a, .*\/b$/);
});

it('is the default where there are data, or where they are named', async () => {
  await rememberFolder(a(), environment);
  expect(await meantFolder({ ...environment, SVC_DATA_DIR: b() })).toBeNull();
  expect(await meantFolder({ ...environment, SVC_DB_URL: 'postgresql://x' })).toBeNull();
  await mkdir('data/sequences', { recursive: true });
  expect(await meantFolder(environment)).toBe(a());
  await mkdir('data/postgres');
  expect(await meantFolder(environment)).toBeNull();
});

it('forgets folders that were deleted, and does without a home', async () => {
  await rememberFolder(a(), environment);
  await rm(a(), { recursive: true });
  expect(await meantFolder(environment)).toBeNull();
  expect(await readdir(join(folder, 'state', 'kindred', 'data-folders'))).toEqual([]);
  await rememberFolder(b(), { XDG_STATE_HOME: import.meta.filename });
  expect(await meantFolder({ XDG_STATE_HOME: import.meta.filename })).toBeNull();
});
