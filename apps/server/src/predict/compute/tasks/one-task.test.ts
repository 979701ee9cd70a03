import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { taskOf } from '../../../ground/pool/pool.js';

const folder = import.meta.dirname;
const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));

it.each(files)('%s exports one task, at its own address', async (name) => {
  const { href } = pathToFileURL(`${folder}/${name}`);
  expect(taskOf((await import(href)) as object, href)).toMatchObject({ run: expect.any(Function) });
});
