// Generated files: path -> function that returns the text. Each entry loads its module from the build only when it is
// needed. A new page is one line here.
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const built = (path) => new URL(`../apps/server/dist/${path}.js`, import.meta.url).href;

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export const generated = [
  {
    path: 'docs/reference/settings.md',
    make: async () =>
      (await import(built('ground/settings/reference'))).settingsReference(await ourPluginRows()),
  },
  {
    path: '.env.example',
    make: async () =>
      (await import('./generate/env-example.mjs')).envExample([
        ...(await import(built('ground/settings/reference'))).describedSettingRows,
        ...(await ourPluginRows()).flatMap(({ rows }) => rows),
      ]),
  },
  {
    path: 'docs/reference/operations.md',
    make: async () => (await import('./generate/operations.mjs')).operationsReference(),
  },
  {
    path: 'apps/web/src/features/evaluation/measured.generated.json',
    make: async () => {
      const { measuredAccuracy } = await import('./generate/measured-accuracy.mjs');
      const document = await readFile(new URL('../docs/explanation/accuracy.md', import.meta.url), 'utf8');
      return `${JSON.stringify(measuredAccuracy(document), null, 2)}\n`;
    },
  },
  {
    path: 'docs/explanation/scale.md',
    make: async () => {
      const { scalePlan } = await import('./generate/scale-plan.mjs');
      const [page, performance] = ['scale', 'performance'].map((name) =>
        readFile(new URL(`../docs/explanation/${name}.md`, import.meta.url), 'utf8'),
      );
      return scalePlan(await page, await performance);
    },
  },
  ...['references', 'queries', 'predictions'].map((name) => ({
    path: `docs/images/growth/${name}.svg`,
    make: async () => {
      const { growthPicture } = await import('./generate/growth-pictures.mjs');
      const curves = JSON.parse(await readFile(pathOf('benchmarks/growth.json'), 'utf8'));
      return growthPicture(name, curves[name]);
    },
  })),
  {
    path: 'docs/reference/glossary.md',
    make: async () => (await import('./generate/glossary.mjs')).glossaryReference(),
  },
  {
    path: 'docs/reference/retries.md',
    make: async () => (await import('./generate/retries.mjs')).retriesReference(),
  },
  {
    path: 'docs/reference/features.md',
    make: async () => (await import('./generate/features.mjs')).featuresReference(),
  },
  {
    path: 'docs/reference/answer-columns.md',
    make: async () => (await import('./generate/answer-columns.mjs')).answerColumnsReference(),
  },
  {
    path: 'docs/reference/answer.schema.json',
    make: async () => (await import('./generate/exports.mjs')).answerSchema(),
  },
  {
    path: 'docs/reference/method-references.md',
    make: async () => (await import('./generate/exports.mjs')).methodReferencesPage(),
  },
  {
    path: 'docs/reference/openapi.json',
    make: async () => (await import(built('http/reference'))).openApiReference(),
  },
  {
    path: 'docs/reference/problems.md',
    make: async () => (await import(built('http/reference'))).problemsMarkdown(),
  },
  {
    path: 'plugins/backend-plm/runtime/package-lock.json',
    make: async () => (await import('./generate/runtime-lock.mjs')).runtimeLock(),
  },
  {
    path: 'docs/reference/install-scripts.md',
    make: async () => (await import('./generate/notices.mjs')).installScripts(),
  },
  {
    path: 'docs/ARCHITECTURE.md',
    make: async () => (await import('./generate/walls.mjs')).withWalls(pathOf('docs/ARCHITECTURE.md')),
  },
  {
    path: 'docs/how-to/install.md',
    make: async () =>
      (await import('./generate/machines.mjs')).withMachines(
        pathOf('docs/how-to/install.md'),
        pathOf('.ci/suites/environments-record.json'),
      ),
  },
  {
    path: 'apps/server/src/store/schema.sql',
    needsDatabase: true,
    make: () =>
      withMigratedDatabase(async (db) =>
        (await import(built('store/migrations/schema-dump'))).dumpSchema(db),
      ),
  },
  {
    path: 'apps/server/src/store/postgres/tables.generated.ts',
    needsDatabase: true,
    make: () =>
      withMigratedDatabase(async (db) => (await import('./generate/table-types.mjs')).tableTypes(db)),
  },
];

/** The settings of the plugins of this repository only: [{plugin, rows}]. */
async function ourPluginRows() {
  const { pluginSettingRows } = await import(built('ground/plugins/plugin-settings'));
  const folder = new URL('../plugins/', import.meta.url);
  const found = [];
  for (const name of (await readdir(folder)).sort()) {
    const { plugin } = await import(new URL(`${name}/dist/index.js`, folder).href);
    const rows = [...pluginSettingRows(plugin).values()];
    if (rows.length > 0) found.push({ plugin: plugin.name, rows });
  }
  return found;
}

/** Runs `work` on an empty database of a temporary server, migrated. */
async function withMigratedDatabase(work) {
  const { startEmbeddedPostgres } = await import(built('run/embedded/postgres'));
  const { openDatabase, closeDatabase } = await import(built('store/postgres/db'));
  const { migrate } = await import(built('store/migrations/migrate'));
  const folder = join(tmpdir(), `kindred-schema-${process.pid}`);
  const server = await startEmbeddedPostgres(folder, { durability: 'none' });
  const db = openDatabase(server.url, 2);
  try {
    await migrate(db);
    return await work(db);
  } finally {
    await closeDatabase(db);
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
