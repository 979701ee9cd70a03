import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));

/**
 * Tests run the TypeScript sources of our packages, so that a failing line is the line in the editor: each entry point goes
 * to the file that the condition `kindred-source` of its package names. `resolve.conditions` would not do: Vitest passes
 * them on to the threads and processes that a test starts from the build.
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

/** Test files of the folder that replace a module: the replacement would stay for the files after them in one process. */
function replacingModules(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return ['node_modules', 'dist'].includes(entry.name) ? [] : replacingModules(path);
    return entry.name.endsWith('.test.ts') && /^vi\.mock\(/m.test(readFileSync(join(root, path), 'utf8'))
      ? [path]
      : [];
  });
}

const include = [
  '{packages,plugins,apps}/**/src/**/*.test.ts',
  'examples/**/*.test.ts',
  'tools/**/*.test.ts',
];
const exclude = ['**/node_modules/**', '**/dist/**'];
const slow = ['**/*.slow.db.test.ts'];
const alone = ['packages', 'plugins', 'apps', 'examples', 'tools'].flatMap(replacingModules);

export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    globalSetup: ['apps/server/src/testing/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    // Files share a process, and so the modules that they import: loading them for each file took most of the processor
    // time.
    projects: [
      {
        extends: true,
        test: { name: 'together', isolate: false, include, exclude: [...exclude, ...slow, ...alone] },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude } },
      // CI leaves them out of its second run (`--project '!slow'`): the option --exclude has no effect on the files of a
      // project.
      { extends: true, test: { name: 'slow', include: slow, exclude } },
    ],
  },
});
