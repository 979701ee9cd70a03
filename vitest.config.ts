import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));

// Tests run the TypeScript sources of our packages, so that a failing line is the line in the editor.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@kindred\/kernels\/(.+)$/, replacement: `${root}packages/kernels/src/$1/index.ts` },
      {
        find: '@kindred/testkit/conformance',
        replacement: `${root}packages/testkit/src/conformance/index.ts`,
      },
      { find: /^@kindred\/(contracts|testkit|native)$/, replacement: `${root}packages/$1/src/index.ts` },
      { find: /^@kindred\/(contracts|testkit|native)\/(.+)$/, replacement: `${root}packages/$1/src/$2.ts` },
      {
        find: /^@kindred\/((?:backend|source|runner)-[a-z]+)$/,
        replacement: `${root}plugins/$1/src/index.ts`,
      },
      { find: /^@kindred\/server\/(.+)$/, replacement: `${root}apps/server/src/$1.ts` },
    ],
  },
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
