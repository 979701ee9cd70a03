import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '../run/embedded/postgres.js';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { migrate } from '../store/migrations/migrate.js';

const run = promisify(execFile);

/** A whole test run has one PostgreSQL, with a template that each test file clones. */
export interface TestServer {
  create(): Promise<{ url: string; name: string }>;
  /** @throws Error naming the connections that are still open; the database is dropped anyway */
  drop(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The server has databases of the example world, and the data folder of the service that made it. */
export interface ExampleServer extends TestServer {
  dataFolder: string;
}

const folderPrefix = 'kindred-test-';
const leakPatienceMs = 2000;
/** `npm run dev:db` keeps a database of this name on its server, so that a run need not make it. */
const keptTemplate = 'kindred_template';
const keptExamples = 'kindred_examples';
/** A large database is cloned fastest in this way; the default reads and logs every block. */
const byFile = 'strategy file_copy';

/**
 * Starts a server whose template has the newest schema and no rows. `given` is SVC_TEST_DB_URL: your own
 * server, whose user may create databases. Without it, the embedded server runs in a temporary folder.
 */
export async function startTestServer(given: string | undefined): Promise<TestServer> {
  const server = given ? { url: given, end: async () => {} } : await temporaryServer();
  const admin = openDatabase(server.url, 3);
  try {
    const isKept = (await commentOf(admin, keptTemplate)) !== null;
    const template = isKept ? keptTemplate : `kindred_template_${randomBytes(4).toString('hex')}`;
    if (!isKept) await createDatabase(admin, template, "template0 encoding 'UTF8' locale 'C'");
    await migrateTemplate(databaseUrl(server.url, template));
    return clonesOf({ ...server, admin, template, own: isKept ? [] : [template] });
  } catch (error) {
    await closeDatabase(admin);
    await server.end();
    throw error;
  }
}

/**
 * Starts a server for databases with the example set: that of `given`, if `npm run dev:db` made the template
 * there from the same build, else an embedded one. The template is the database of a service that has loaded
 * its example set.
 */
export async function startExampleServer(given: string | undefined): Promise<ExampleServer> {
  const script = fileURLToPath(new URL('../../../../tools/example-world.mjs', import.meta.url));
  const { stdout } = await run(process.execPath, [script]);
  const [world] = stdout.split('\n');
  const dataFolder = join(world, 'data');
  if (given) {
    const admin = openDatabase(given, 3);
    if ((await commentOf(admin, keptExamples)) === basename(world))
      return {
        dataFolder,
        ...clonesOf({
          url: given,
          end: async () => {},
          admin,
          template: `${keptExamples} ${byFile}`,
          own: [],
        }),
      };
    await closeDatabase(admin);
  }
  const server = await temporaryServer(join(dataFolder, 'postgres', 'data'));
  // Cloning needs a template without connections.
  const template = new URL(server.url).pathname.slice(1);
  const admin = openDatabase(databaseUrl(server.url, 'postgres'), 3);
  return { dataFolder, ...clonesOf({ ...server, admin, template: `${template} ${byFile}`, own: [] }) };
}

interface Clones {
  url: string;
  admin: Database;
  template: string;
  /** These databases are dropped at the end. */
  own: string[];
  end: () => Promise<void>;
}

function clonesOf({ url, admin, template, own, end }: Clones): TestServer {
  const created = new Set(own);
  return {
    create: async () => {
      const name = `kindred_test_${randomBytes(6).toString('hex')}`;
      await createDatabase(admin, name, template);
      created.add(name);
      return { url: databaseUrl(url, name), name };
    },
    drop: async (name) => {
      const open = await openConnections(admin, name);
      await dropDatabase(admin, name);
      created.delete(name);
      if (open.length > 0) {
        throw new Error(
          `${open.length} connection(s) to the test database were left open; last statements: ${open.join(' | ')}`,
        );
      }
    },
    close: async () => {
      for (const name of created) await dropDatabase(admin, name);
      await closeDatabase(admin);
      await end();
    },
  };
}

/** Starts a temporary server. `data` has files of another server, which has stopped, to copy. */
async function temporaryServer(data?: string): Promise<{ url: string; end: () => Promise<void> }> {
  await removeOldServers();
  const folder = join(tmpdir(), `${folderPrefix}${process.pid}-${randomBytes(4).toString('hex')}`);
  if (data !== undefined) {
    await mkdir(folder, { mode: 0o755 });
    // Files keep their owner, who is another user if root started the server.
    await run('cp', ['-a', data, folder]);
  }
  const server = await startEmbeddedPostgres(folder, {
    durability: 'none',
    settings: { shared_buffers: '128MB' },
  });
  const end = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: server.url, end };
}

/** Stops the server of a killed run, which could not stop it itself. */
async function removeOldServers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = new RegExp(`^${folderPrefix}(\\d+)-`).exec(name)?.[1];
    if (!pid || isAlive(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    // Leftovers of other users stay.
    await startEmbeddedPostgres(folder, { durability: 'none' })
      .then((server) => server.stop())
      .then(() => rm(folder, { recursive: true, force: true }))
      .catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Waits while another run looks at the template, because PostgreSQL clones no database that somebody is
 * connected to.
 */
async function createDatabase(admin: Database, name: string, template: string): Promise<void> {
  const deadline = Date.now() + leakPatienceMs;
  for (;;)
    try {
      await admin.pool.query(`create database ${name} template ${template}`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55006' || Date.now() > deadline) throw error;
      await sleep(50);
    }
}

async function dropDatabase(admin: Database, name: string): Promise<void> {
  await admin.pool.query(`drop database if exists ${name} with (force)`);
}

/** Reads the comment of a database; null without the database or a comment. */
async function commentOf(admin: Database, name: string): Promise<string | null> {
  const { rows } = await admin.pool.query(
    "select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1",
    [name],
  );
  return rows[0]?.comment ?? null;
}

async function migrateTemplate(url: string): Promise<void> {
  const db = openDatabase(url, 1);
  try {
    await migrate(db);
  } finally {
    await closeDatabase(db);
  }
}

/**
 * The server needs a moment to close connections, so the check is repeated for a while before a leak is
 * reported.
 */
async function openConnections(admin: Database, name: string): Promise<string[]> {
  const deadline = Date.now() + leakPatienceMs;
  for (;;) {
    const { rows } = await admin.pool.query(
      "select left(query, 120) as query from pg_stat_activity where datname = $1 and backend_type = 'client backend'",
      [name],
    );
    if (rows.length === 0 || Date.now() > deadline) return rows.map((row) => row.query as string);
    await sleep(50);
  }
}
