import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BackendPlugin } from '@kindred/contracts';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { loadSettings } from '@kindred/server/run/env';
import { createPluginRegistry } from '@kindred/server/ground/plugins/discover';
import { checkPluginSettings } from '@kindred/server/ground/plugins/installed';
import { repositoryRoot } from '@kindred/testkit';
import { backendConformance } from '@kindred/testkit/conformance';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const entry = join(import.meta.dirname, 'index.js');
const { plugin } = (await import(entry)) as { plugin: BackendPlugin };

const plainRecipe = completeRecipe({
  model_name: 'composition-20',
  model_backend: 'composition',
  normalize: false,
  max_length: 1000,
});

describe('the example plugin', () => {
  it.each(backendConformance(plugin))('$name', ({ run }) => run());
});

describe('installed from outside', () => {
  let folder: string;
  let modules: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kindred-plugin-'));
    modules = join(folder, 'service', 'node_modules');
    await cp(import.meta.dirname, join(folder, 'plugin'), { recursive: true });
    await mkdir(join(folder, 'service'));
    await writeFile(join(folder, 'service', 'package.json'), '{"private": true}');
    const flags = ['--offline', '--no-audit', '--no-fund', '--install-links', '--legacy-peer-deps'];
    await promisify(execFile)('npm', ['install', ...flags, '../plugin'], { cwd: join(folder, 'service') });
    // The folder has the one package that a plugin is promised to find.
    await mkdir(join(modules, '@kindred'));
    await symlink(join(repositoryRoot(), 'packages/contracts'), join(modules, '@kindred/contracts'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const inputs = (environment: Record<string, string> = {}) =>
    loadSettings({}, { SVC_DATA_DIR: folder, ...environment }).plugins;
  const registry = (environment: Record<string, string> = {}) =>
    createPluginRegistry({ folders: [modules], inputs: inputs(environment) });
  const vectorOf = async (environment: Record<string, string> = {}) => {
    const backend = await registry(environment).backend('composition');
    const session = await backend.open(plainRecipe);
    return Array.from((await session.embed(['A'])).vectors.slice(0, 2));
  };

  it('is found, listed and opened', async () => {
    expect(await registry().backends()).toMatchObject([
      { state: 'available', packageName: 'kindred-backend-composition' },
    ]);
    const backend = await registry().backend('composition');
    expect(await backend.models()).toMatchObject([{ model_name: 'composition-20', dimension: 20 }]);
  });

  it('gets its setting from the environment, else from the settings file, else its default', async () => {
    expect(await vectorOf()).toEqual([1, 0]);
    await writeFile(join(folder, 'system.yaml'), 'plugins: {composition: {pseudocount: 1}}');
    expect(await vectorOf()).toEqual([Math.fround(1 / 21 + 1 / 21), Math.fround(1 / 21)]);
    const half = await vectorOf({ SVC_PLUGIN_COMPOSITION_PSEUDOCOUNT: '0.5' });
    expect(half).toEqual(
      [Math.fround(0.5 / 11 + 1 / 11), Math.fround(0.5 / 11)].map((x) => expect.closeTo(x, 6)),
    );
    await rm(join(folder, 'system.yaml'));
  });

  it('stops the start on a value or a key that does not fit, by name', async () => {
    await expect(
      checkPluginSettings(inputs({ SVC_PLUGIN_COMPOSITION_PSEUDOCOUNT: '-1' }), [modules]),
    ).rejects.toThrow('SVC_PLUGIN_COMPOSITION_PSEUDOCOUNT: "-1" must be 0 or more. Example: 0.5');
    await writeFile(join(folder, 'system.yaml'), 'plugins: {composition: {pseudocuont: 1}}');
    await expect(checkPluginSettings(inputs(), [modules])).rejects.toThrow(
      /unknown keys: plugins.composition.pseudocuont/,
    );
    await rm(join(folder, 'system.yaml'));
    await expect(checkPluginSettings(inputs(), [modules])).resolves.toBeUndefined();
  });
});
