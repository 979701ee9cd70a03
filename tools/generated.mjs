// What is generated from the code: path -> function that makes the text. Each entry loads its module from the build only when it is needed.
// A new page is one line here.
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const built = (path) => new URL(`../apps/server/dist/${path}.js`, import.meta.url).href;

export const generated = [
  {
    path: 'docs/reference/settings.md',
    make: async () => (await import(built('settings/reference'))).settingsReference(),
  },
  {
    path: '.env.example',
    make: async () =>
      (await import('./generate/env-example.mjs')).envExample(
        (await import(built('settings/table'))).settingRows,
      ),
  },
  {
    path: 'docs/reference/operations.md',
    make: async () => (await import('./generate/operations.mjs')).operationsReference(),
  },
  {
    path: 'docs/reference/features.md',
    make: async () => (await import('./generate/features.mjs')).featuresReference(),
  },
  {
    path: 'docs/reference/openapi.json',
    make: async () => (await import(built('http/reference'))).openApiReference(),
  },
  {
    path: 'docs/reference/problems.md',
    make: async () => (await import(built('http/reference'))).problemsMarkdown(),
  },
  { path: 'apps/server/src/store/schema.sql', needsDatabase: true, make: dumpSchema },
];

/** Migrates an empty database of a temporary server. */
async function dumpSchema() {
  const { startEmbeddedPostgres } = await import(built('embedded/postgres'));
  const { openDatabase, closeDatabase } = await import(built('store/postgres/db'));
  const { migrate } = await import(built('store/migrations/migrate'));
  const { dumpSchema } = await import(built('store/migrations/schema-dump'));
  const folder = join(tmpdir(), `kindred-schema-${process.pid}`);
  const server = await startEmbeddedPostgres(folder, { durability: 'none' });
  const db = openDatabase(server.url, 2);
  try {
    await migrate(db);
    return await dumpSchema(db);
  } finally {
    await closeDatabase(db);
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
