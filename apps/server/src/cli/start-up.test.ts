import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { programFile } from '../ground/folders.js';

/** The hook writes the address of each module that Node loads to the fourth stream of the process. */
const hook = `
import { writeSync } from 'node:fs';
export function load(url, context, next) {
  writeSync(3, url + '\\n');
  return next(url, context);
}`;
const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
const registration = `import { register } from 'node:module';\nregister(${JSON.stringify(dataUrl(hook))});`;

/** The service has no runs and no jobs. */
let service: Server;
let url: string;
beforeAll(async () => {
  service = createServer((_, response) => response.setHeader('content-type', 'application/json').end('[]'));
  await once(service.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => service.close());

/** Runs a command and returns what it prints, with the modules that it loads, in the order of loading. */
async function run(...words: string[]): Promise<{ printed: string; modules: string[] }> {
  const child = spawn(process.execPath, ['--import', dataUrl(registration), programFile, ...words], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [, printed, faults, modules] = child.stdio;
  const [out, err, loaded] = await Promise.all([printed, faults, modules].map((one) => text(one as never)));
  return { printed: out + err, modules: loaded.split('\n').filter((line) => line.startsWith('file:')) };
}

const ours = (modules: readonly string[], part: RegExp) => modules.filter((file) => part.test(file));

it('loads for a list of runs neither all routes, nor the method, nor the reader of a settings file', async () => {
  const { printed, modules } = await run('runs', 'list', '--url', url);
  expect(printed).toBe('There are no runs. kindred annotate <proteins> makes one.\n');
  expect(ours(modules, /contracts\/dist\/resources\/prediction-sets\.js$/)).toHaveLength(1);
  expect(ours(modules, /contracts\/dist\/(routes|operations)\.js$/)).toEqual([]);
  expect(ours(modules, /kernels\/dist\/(combined\/[^/]+|alignment\/.*|homology\/.*)\.js$/)).toEqual([]);
  expect(ours(modules, /node_modules\/yaml\//)).toEqual([]);
  // The number was 217 before parts were loaded where they are needed; a room more takes a tenth of a second.
  expect(ours(modules, /\/(apps|packages|plugins)\//).length).toBeLessThan(100);
});

it('shows the commands of the program and of plugins without their code', async () => {
  const { printed, modules } = await run('--help');
  expect(printed).toMatch(/^ {2}annotate +Annotate the proteins of a file with GO terms$/m);
  expect(printed).toMatch(/^ {2}models +Protein language models/m);
  expect(ours(modules, /server\/dist\/cli\/(annotate|runs|evaluate|reference)\.js$/)).toEqual([]);
  expect(
    ours(modules, /\/(backend|runner|source)\.js$|packages\/native\/|kernels\/dist\/formats\/index\.js$/),
  ).toEqual([]);
});
