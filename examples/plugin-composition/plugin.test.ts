import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendPlugin } from '@kindred/contracts';
import { createPluginRegistry } from '@kindred/server/plugins/discover';
import { repositoryRoot } from '@kindred/testkit';
import { backendConformance } from '@kindred/testkit/conformance';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const entry = join(import.meta.dirname, 'index.js');
const { plugin } = (await import(entry)) as { plugin: BackendPlugin };

describe('the example plugin', () => {
  it.each(backendConformance(plugin))('$name', ({ run }) => run());
});

describe('installed from outside', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kindred-plugin-'));
    const modules = join(folder, 'node_modules');
    await mkdir(join(modules, '@kindred'), { recursive: true });
    await cp(import.meta.dirname, join(modules, 'kindred-backend-composition'), { recursive: true });
    await symlink(join(repositoryRoot(), 'packages/contracts'), join(modules, '@kindred/contracts'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is found, listed and opened', async () => {
    const registry = createPluginRegistry({ folders: [join(folder, 'node_modules')] });
    expect(await registry.backends()).toMatchObject([
      { state: 'available', packageName: 'kindred-backend-composition' },
    ]);
    const backend = await registry.backend('composition');
    expect(await backend.models()).toMatchObject([{ model_name: 'composition-20', dimension: 20 }]);
  });
});
