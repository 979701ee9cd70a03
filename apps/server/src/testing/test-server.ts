import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../embedded/postgres.js';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { migrate } from '../store/migrations/migrate.js';

/** One PostgreSQL for a whole test run, with a migrated template that each test file clones. */
export interface TestServer {
  create(): Promise<{ url: string; name: string }>;
  /** @throws Error naming the connections that are still open; the database is dropped anyway */
  drop(name: string): Promise<void>;
  close(): Promise<void>;
}

const folderPrefix = 'kindred-test-';
const leakPatienceMs = 2000;

/**
 * `given` is SVC_TEST_DB_URL: your own server, whose user may create databases. Without it, the embedded server runs in
 * a temporary folder.
 */
export async function startTestServer(given: string | undefined): Promise<TestServer> {
  const server = given ? { url: given, end: async () => {} } : await temporaryServer();
  const admin = openDatabase(server.url, 3);
  const template = `kindred_template_${randomBytes(4).toString('hex')}`;
  const created = new Set<string>();
  try {
    await createDatabase(admin, template, 'template0');
    created.add(template);
    await migrateTemplate(databaseUrl(server.url, template));
  } catch (error) {
    await closeDatabase(admin);
    await server.end();
    throw error;
  }
  return {
    create: async () => {
      const name = `kindred_test_${randomBytes(6).toString('hex')}`;
      await createDatabase(admin, name, template);
      created.add(name);
      return { url: databaseUrl(server.url, name), name };
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
      await server.end();
    },
  };
}

async function temporaryServer(): Promise<{ url: string; end: () => Promise<void> }> {
  await removeOldServers();
  const folder = join(tmpdir(), `${folderPrefix}${process.pid}-${randomBytes(4).toString('hex')}`);
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

async function createDatabase(admin: Database, name: string, template: string): Promise<void> {
  const locale = template === 'template0' ? "encoding 'UTF8' locale 'C'" : '';
  await admin.pool.query(`create database ${name} template ${template} ${locale}`);
}

async function dropDatabase(admin: Database, name: string): Promise<void> {
  await admin.pool.query(`drop database if exists ${name} with (force)`);
}

async function migrateTemplate(url: string): Promise<void> {
  const db = openDatabase(url, 1);
  try {
    await migrate(db);
  } finally {
    await closeDatabase(db);
  }
}

/** The server needs a moment to close connections, so check again for a while before reporting a leak. */
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
