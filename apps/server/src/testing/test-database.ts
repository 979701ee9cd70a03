/** The test has a separate, empty database with the newest schema. */
export interface TestDatabase {
  url: string;
  name: string;
  /**
   * Drops the database. The call rejects when connections of the test are still open, naming their last
   * statements.
   */
  close(): Promise<void>;
}

/**
 * Vitest's global setup (`apps/server/src/testing/global-setup.ts`) hands out databases at the address in
 * this variable.
 */
export const testDatabaseService = 'KINDRED_TEST_DATABASES';

/**
 * The database is a clone of that of a service that has loaded its example set (`npm start`) and answered its
 * sample.
 */
export interface ExampleDatabase extends TestDatabase {
  /**
   * The service, which has stopped, had this data folder: banks, credentials, and the server's files. Tests
   * may only read and copy it.
   */
  dataFolder: string;
}

/**
 * Clones the migrated template, which is cheap (about 50 ms; the server starts at the first call of a run).
 * Call it once per test file, in `beforeAll`, and close it in `afterAll` after the pools that use it.
 */
export const testDatabase = (): Promise<TestDatabase> => clone('empty');

/**
 * Clones a database with the example set in it, for tests of code that uses the set. Tests of loading load it
 * themselves. The world is made once for each state of the build (`tools/example-world.mjs`).
 */
export const exampleDatabase = (): Promise<ExampleDatabase> => clone('examples');

async function clone<T extends TestDatabase>(world: string): Promise<T> {
  const service = process.env[testDatabaseService];
  if (!service) throw new Error('testDatabase() works in tests alone: run them with `npx vitest run <path>`');
  const given = (await ask(`${service}/${world}`, 'POST')) as Omit<T, 'close'> & { name: string };
  const close = async () => {
    await ask(`${service}/${world}/${given.name}`, 'DELETE');
  };
  return { ...given, close } as T;
}

async function ask(address: string, method: string): Promise<unknown> {
  const response = await fetch(address, { method });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text === '' ? null : JSON.parse(text);
}
