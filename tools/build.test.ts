import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build } from './build.mjs';

const checkout = new URL('..', import.meta.url).pathname;
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'kindred-build-'));
  const server = join(root, 'apps', 'server');
  mkdirSync(join(server, 'src'), { recursive: true });
  const compilerOptions = { composite: true, rootDir: 'src', outDir: 'dist', types: [] };
  writeFileSync(join(server, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
});
afterAll(() => rmSync(root, { recursive: true }));
const write = (text: string) => writeFileSync(join(root, 'apps', 'server', 'src', 'main.ts'), text);

it('checks no types for a start, and makes up for it in the next other build', async () => {
  write('export const port: number = "8000";\n');
  expect(await build(root, 'start')).toBe(true);
  expect(existsSync(join(root, 'apps', 'server', 'dist', 'main.js'))).toBe(true);
  expect(await build(root, 'service')).toBe(false);
  write('export const port: number = 8000;\n');
  expect(await build(root, 'service')).toBe(true);
});

it('refuses at a start what does not parse', async () => {
  write('export const port = ;\n');
  expect(await build(root, 'start')).toBe(false);
});
