import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, removeTypes } from './build.mjs';

const checkout = new URL('..', import.meta.url).pathname;
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'kindred-build-'));
  mkdirSync(join(root, 'server', 'src'), { recursive: true });
  const compilerOptions = { composite: true, sourceMap: true, rootDir: 'src', outDir: 'dist', types: [] };
  const config = (path: string, value: object) => writeFileSync(join(root, path), JSON.stringify(value));
  config('server/tsconfig.json', { compilerOptions, include: ['src'] });
  config('tsconfig.json', { files: [], references: [{ path: 'server' }] });
  config('package.json', { type: 'module' });
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
});
afterAll(() => rmSync(root, { recursive: true }));
const write = (text: string, name = 'main.ts') => writeFileSync(join(root, 'server', 'src', name), text);
const compiled = (name = 'main.js') => join(root, 'server', 'dist', name);

it('checks no types for a start, and makes up for it in a whole build', async () => {
  write('export const port: number = "8000";\n');
  expect(await removeTypes(root)).toBe(true);
  expect(await import(compiled())).toHaveProperty('port', '8000');
  expect(await build(root)).toBe(false);
  write('export const port: number = 8000;\n');
  expect(await build(root)).toBe(true);
});

it('leaves what the compiler made of the same source, and replaces what is older than its source', async () => {
  write('export const port: number = 8001;\n');
  expect(await build(root)).toBe(true);
  expect(await removeTypes(root)).toBe(true);
  expect(readFileSync(compiled(), 'utf8')).toContain('sourceMappingURL');
  utimesSync(compiled(), 1, 1);
  expect(await removeTypes(root)).toBe(true);
  expect(readFileSync(compiled(), 'utf8')).not.toContain('sourceMappingURL');
});

it('keeps imports for their effect and fields of classes as the compiler does', async () => {
  write(
    "import './effect.js';\nimport type { Server } from './main.js';\nexport class Kept { value?: Server; }\n",
    'kept.ts',
  );
  write('(globalThis as { effect?: boolean }).effect = true;\nexport {};\n', 'effect.ts');
  expect(await removeTypes(root)).toBe(true);
  const { Kept } = (await import(compiled('kept.js'))) as { Kept: new () => object };
  expect(globalThis).toHaveProperty('effect', true);
  expect(Object.keys(new Kept())).toEqual(['value']);
});

it('refuses at a start what does not parse', async () => {
  write('export const port = ;\n');
  expect(await removeTypes(root)).toBe(false);
});
