// What is generated from the code: path -> function that makes the text. Each entry loads its module from the build only when it is needed.
// A new page is one line here.
const built = (path) => new URL(`../apps/server/dist/${path}.js`, import.meta.url).href;

export const generated = [
  {
    path: 'docs/reference/settings.md',
    make: async () => (await import(built('settings/reference'))).settingsReference(),
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

async function dumpSchema() {
  const { startTestServer } = await import(built('testing/test-server'));
  const { openDatabase, closeDatabase } = await import(built('store/db'));
  const { dumpSchema } = await import(built('store/schema-dump'));
  const server = await startTestServer(process.env.SVC_TEST_DB_URL);
  try {
    const { url, name } = await server.create();
    const db = openDatabase(url, 1);
    try {
      return await dumpSchema(db);
    } finally {
      await closeDatabase(db);
      await server.drop(name);
    }
  } finally {
    await server.close();
  }
}
