import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));

/**
 * Tests run the TypeScript sources of our packages, so that a failing line is the line in the editor: each entry point goes to the file that
 * the condition `kindred-source` of its package names. Not by `resolve.conditions`, which Vitest hands on to the threads and processes that a
 * test starts from the build.
 */
const sourceAliases = ['packages', 'plugins', 'apps'].flatMap((folder) =>
  manifestsOf(folder).flatMap((path) => {
    const { name, exports = {} } = JSON.parse(readFileSync(path, 'utf8'));
    return Object.entries<{ 'kindred-source'?: string }>(exports).flatMap(([entry, targets]) => {
      const source = targets['kindred-source'];
      if (source === undefined) return [];
      const find = new RegExp(`^${name}${entry.slice(1).replace('*', '(.+)')}$`);
      return [{ find, replacement: resolve(dirname(path), source.replace('*', '$1')) }];
    });
  }),
);

function manifestsOf(folder: string): string[] {
  return readdirSync(join(root, folder))
    .map((name) => join(root, folder, name, 'package.json'))
    .filter((path) => existsSync(path));
}

export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    globalSetup: ['apps/server/src/testing/global-setup.ts'],
    include: ['{packages,plugins,apps}/**/src/**/*.test.ts', 'examples/**/*.test.ts', 'tools/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
