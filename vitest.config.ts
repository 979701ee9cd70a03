import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { patienceMs } from './packages/testkit/src/patience.js';

const root = fileURLToPath(new URL('.', import.meta.url));

/**
 * Tests run the TypeScript sources of the packages, so that a failing line is the line in the editor: each entry point leads to the file
 * that the condition `kindred-source` of its package names. `resolve.conditions` would not work, because Vitest passes them on to the
 * threads and processes that a test starts from the build.
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

/** Returns the test files of the folder that replace a module. The replacement would stay for the files after them in one process. */
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

/**
 * Sorts the largest files first, but those of examples/ before them: they are short and run for minutes, so nothing waits for them at the
 * end.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => moduleId.startsWith(join(root, 'examples'));
    const bySize = await super.sort(files);
    return [...bySize.filter(isLong), ...bySize.filter((file) => !isLong(file))];
  }
}

const include = [
  '{packages,plugins,apps}/**/src/**/*.test.ts',
  'examples/**/*.test.ts',
  'tools/**/*.test.ts',
];
const slow = ['**/*.slow.test.ts', '**/*.slow.db.test.ts'];
/** The tests that need the repository's history, which a shallow clone and an archive lack. */
const ofHistory = ['**/upgrade.slow.db.test.ts', '**/pushed-migrations.test.ts', '**/baseline.db.test.ts'];
const hasHistory = existsSync(join(root, '.git')) && !existsSync(join(root, '.git', 'shallow'));
const exclude = ['**/node_modules/**', '**/dist/**', ...(hasHistory ? [] : ofHistory)];
const computing = ['**/*.computing.test.ts', '**/*.computing.db.test.ts'];
const alone = ['packages', 'plugins', 'apps', 'examples', 'tools'].flatMap(replacingModules);

export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    globalSetup: ['apps/server/src/testing/global-setup.ts'],
    setupFiles: ['packages/testkit/src/leak-check.ts'],
    // The variable is the one that `kindred` sets for its processes: ONNX Runtime would report its sessions to its maker, and keep files
    // for that.
    env: { ORT_DISABLE_TELEMETRY: '1' },
    // The limit is longer than `patience`, which each wait of a test has.
    testTimeout: 2 * patienceMs,
    hookTimeout: 2 * patienceMs,
    pool: 'forks',
    // The transformed modules are kept in node_modules, because CI runs Vitest three times, and developers run it more often.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    // The number is one more than CI has processors, because tests of services wait for each other's processes for a third of their time.
    maxWorkers: 3,
    // The files share a process, and so the modules that they import. Loading the modules for each file took most of the processor time.
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          isolate: false,
          include,
          exclude: [...exclude, ...slow, ...computing, ...alone],
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, exclude: [...exclude, ...slow, ...computing] },
      },
      // The tests of this lane take minutes of processor time, because they compute on real data or start the whole service many times.
      // `.ci/run` runs them.
      { extends: true, test: { name: 'computing', isolate: false, include: computing, exclude } },
      // The tests of this lane kill processes for minutes. `.ci/nightly` runs them.
      {
        extends: true,
        test: { name: 'slow', include: slow, exclude },
      },
    ],
  },
});
