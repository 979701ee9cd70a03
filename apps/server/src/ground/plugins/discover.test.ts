import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryRoot } from '@kindred/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPluginRegistry } from './discover.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-plugins-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const zodPath = JSON.stringify(fileURLToPath(import.meta.resolve('zod')));
interface Made {
  kindred?: unknown;
  source?: string;
}
function install(packageName: string, { kindred, source }: Made = {}) {
  const place = join(folder, packageName);
  mkdirSync(place, { recursive: true });
  const declaration = kindred ?? { contract: 1, kind: 'backend', entry: './index.mjs' };
  writeFileSync(
    join(place, 'package.json'),
    JSON.stringify({ name: packageName, version: '1.0.0', kindred: declaration }),
  );
  if (source !== undefined) writeFileSync(join(place, 'index.mjs'), source);
}
function pluginSource(name: string, more = '', kind = 'backend'): string {
  return `import { z } from ${zodPath};
    let loads = 0;
    export const plugin = { kind: '${kind}', name: '${name}', version: '1.0.0', description: 'a test', citations: [],
      parameters: z.object({}), load: async () => ({ loads: ++loads, models: async () => [] }), ${more} };`;
}
const registry = () => createPluginRegistry({ folders: [folder] });

describe('discovery', () => {
  it('finds plugins of scoped and plain packages by their kind, and nothing else', async () => {
    install('@lab/backend-one', { source: pluginSource('one') });
    install('two', { source: pluginSource('two') });
    install('runner-three', {
      kindred: { contract: 1, kind: 'runner', entry: './index.mjs' },
      source: pluginSource('three', '', 'runner'),
    });
    mkdirSync(join(folder, 'left-pad'));
    writeFileSync(join(folder, 'left-pad', 'package.json'), '{"name": "left-pad", "version": "1.0.0"}');
    const backends = await registry().backends();
    expect(backends.map((one) => [one.state, one.packageName])).toEqual([
      ['available', '@lab/backend-one'],
      ['available', 'two'],
    ]);
    expect((await registry().runners()).map((one) => one.packageName)).toEqual(['runner-three']);
    expect(await registry().sources()).toEqual([]);
  });

  it.each([
    ['another contract', { kindred: { contract: 2, kind: 'backend', entry: './index.mjs' } }, 'contract 2'],
    ['an entry outside', { kindred: { contract: 1, kind: 'backend', entry: './../x.mjs' } }, 'kindred.entry'],
    ['no entry file', {}, 'could not be loaded'],
    ['a syntax error', { source: 'export const = 1' }, 'could not be loaded'],
    ['no plugin export', { source: 'export const other = 1' }, 'the exported plugin'],
    ['a missing field', { source: pluginSource('x', 'citations: undefined') }, '.citations'],
    ['parameters of no schema', { source: pluginSource('x', 'parameters: {}') }, 'zod object schema'],
    [
      'another kind than declared',
      { source: pluginSource('x', '', 'runner') },
      'backend, the exported plugin runner',
    ],
    [
      'a check that throws',
      { source: pluginSource('x', `check() { throw new Error('libx is missing'); }`) },
      'libx is missing',
    ],
  ])('lists %s as unavailable with the reason, beside the others', async (_, made, reason) => {
    install('backend-broken', made);
    install('backend-good', { source: pluginSource('good') });
    const [broken, good] = await registry().backends();
    expect(broken).toMatchObject({ state: 'unavailable', packageName: 'backend-broken' });
    expect(broken.state === 'unavailable' && broken.reason).toContain(reason);
    expect(good.state).toBe('available');
  });

  it('refuses two plugins of one name, and no other', async () => {
    install('backend-a', { source: pluginSource('same') });
    install('backend-b', { source: pluginSource('same') });
    install('backend-c', { source: pluginSource('other') });
    const listings = await registry().backends();
    expect(listings.map((one) => one.state)).toEqual(['unavailable', 'unavailable', 'available']);
    await expect(registry().backend('same')).rejects.toThrow(
      /backend-a and backend-b.*uninstall all but one.*Installed: other/,
    );
  });

  it('sees what is installed, replaced and removed while it runs', async () => {
    const running = registry();
    expect(await running.backends()).toEqual([]);
    install('backend-a', { source: pluginSource('a', `description: 'before',`) });
    const describeFirst = async () => {
      const [one] = await running.backends();
      return one.state === 'available' ? one.plugin.description : one.reason;
    };
    expect(await describeFirst()).toBe('before');
    install('backend-a', { source: pluginSource('a', `description: 'after',`) });
    const later = new Date(Date.now() + 5000);
    utimesSync(join(folder, 'backend-a', 'index.mjs'), later, later);
    expect(await describeFirst()).toBe('after');
    rmSync(join(folder, 'backend-a'), { recursive: true });
    expect(await running.backends()).toEqual([]);
  });
});

describe('use', () => {
  it('loads a plugin once, and lists what is installed if it is missing', async () => {
    install('backend-a', { source: pluginSource('a') });
    const running = registry();
    expect(await running.backend('a')).toMatchObject({ loads: 1 });
    expect(await running.backend('a')).toBe(await running.backend('a'));
    await expect(running.backend('b')).rejects.toMatchObject({
      code: 'backend_unavailable',
      message: 'No backend b is installed. Installed: a.',
    });
    await expect(running.runner('a')).rejects.toThrow('No runner is installed.');
  });

  it('retries a failed load', async () => {
    const source = pluginSource(
      'a',
      `load: async () => { if (++loads === 1) throw new Error('busy'); return { loads }; },`,
    );
    install('backend-a', { source });
    const running = registry();
    await expect(running.backend('a')).rejects.toThrow('busy');
    expect(await running.backend('a')).toMatchObject({ loads: 2 });
  });

  it('finds the plugins of this repository', async () => {
    const installed = createPluginRegistry({
      folders: [join(repositoryRoot(dirname(fileURLToPath(import.meta.url))), 'node_modules')],
    });
    const listings = await installed.backends();
    for (const name of ['kmer', 'kindred']) {
      expect(listings.map((one) => [one.packageName, one.state])).toContainEqual([
        `@kindred/backend-${name}`,
        'available',
      ]);
      const backend = await installed.backend(name);
      expect((await backend.models()).length).toBeGreaterThan(0);
    }
  });
});
