import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { patience } from '@kindred/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { closeDatabase, openDatabase } from '../../store/postgres/connection.js';
import { findBinaries } from './binaries.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './postgres.js';
import { readPostmaster } from './postmaster.js';

const run = promisify(execFile);
const quick = { durability: 'none', settings: { shared_buffers: '16MB' } } as const;
const durable = { settings: { shared_buffers: '16MB' } };

async function ask(server: EmbeddedPostgres, sql: string): Promise<Record<string, unknown>[]> {
  const db = openDatabase(server.url, 1);
  try {
    return (await db.pool.query(sql)).rows;
  } finally {
    await closeDatabase(db);
  }
}

async function untilDead(pid: number): Promise<void> {
  const isDead = () => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  };
  await vi.waitUntil(isDead, patience);
}

describe('one database folder', () => {
  let folder: string;
  let server: EmbeddedPostgres;
  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'kindred-embedded-')), 'postgres');
    server = await startEmbeddedPostgres(folder, durable);
  });
  afterAll(async () => {
    await server.stop();
    await rm(dirname(folder), { recursive: true });
  });

  it('makes a UTF-8 database with the C order, in UTC, reachable through the socket alone', async () => {
    expect(server.started).toBe(true);
    const rows = await ask(
      server,
      `select current_user as role, current_database() as database, inet_server_addr() as address,
         current_setting('server_encoding') as encoding, current_setting('listen_addresses') as listens,
         (select datcollate from pg_database where datname = current_database()) as collation`,
    );
    expect(rows[0]).toEqual({
      role: 'kindred',
      database: 'kindred',
      address: null,
      encoding: 'UTF8',
      listens: '',
      collation: 'C',
    });
  });

  it('lets nobody in without the password', async () => {
    const url = new URL(server.url);
    url.password = 'guess';
    await expect(ask({ ...server, url: url.href }, 'select 1')).rejects.toThrow(
      /password authentication failed/,
    );
  });

  it('attaches to a server that runs', async () => {
    const second = await startEmbeddedPostgres(folder, durable);
    expect(second).toMatchObject({ started: false, pid: server.pid, url: server.url });
  });

  it('recovers after SIGKILL of the server, with every committed row', async () => {
    await ask(server, 'create table kept as select generate_series(1, 1000) as n');
    process.kill(server.pid, 'SIGKILL');
    await untilDead(server.pid);
    const again = await startEmbeddedPostgres(folder, durable);
    expect(again.started).toBe(true);
    expect(await ask(again, 'select count(*)::int as n from kept')).toEqual([{ n: 1000 }]);
    server = again;
  });

  it('starts though the old process number belongs to another program now', async () => {
    const pidFile = join(folder, 'data', 'postmaster.pid');
    const text = await readFile(pidFile, 'utf8');
    await server.stop();
    await writeFile(pidFile, text.replace(/^\d+/, String(process.pid)), { mode: 0o666 });
    server = await startEmbeddedPostgres(folder, durable);
    expect(server.started).toBe(true);
    expect(await ask(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it.each([
    ['stops a server that hangs in "stopping" by SIGQUIT and starts again', false],
    ['kills one that does not obey SIGQUIT either', true],
  ])('%s', async (_, frozen) => {
    // The stop comes while the server recovers from a crash: PostgreSQL 18 then stays alive, and is never
    // ready again.
    if (frozen) process.kill(server.pid, 'SIGSTOP');
    const pidFile = join(folder, 'data', 'postmaster.pid');
    await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^ready *$/m, 'stopping'));
    const again = await startEmbeddedPostgres(folder, { ...durable, stoppingGraceMs: 50 });
    expect(again.started).toBe(true);
    await untilDead(server.pid);
    expect(await ask(again, 'select count(*)::int as n from kept')).toEqual([{ n: 1000 }]);
    server = again;
  });

  it('stops a frozen server the hard way', async () => {
    process.kill(server.pid, 'SIGSTOP');
    const frozen = await startEmbeddedPostgres(folder, { ...durable, stoppingGraceMs: 50 });
    await frozen.stop();
    await untilDead(server.pid);
    server = await startEmbeddedPostgres(folder, durable);
  });

  it('outlives the Node process that started it', async () => {
    await server.stop();
    expect(await readPostmaster(join(folder, 'data'))).toBeNull();
    const source = `import { startEmbeddedPostgres } from ${JSON.stringify(join(import.meta.dirname, '../../../dist/run/embedded/postgres.js'))};
      const server = await startEmbeddedPostgres(${JSON.stringify(folder)}, ${JSON.stringify(durable)});
      process.send(server.pid); setInterval(() => {}, 1000);`;
    const program = join(dirname(folder), 'starter.mjs');
    await writeFile(program, source);
    const child = fork(program, { cwd: import.meta.dirname });
    const [pid] = await once(child, 'message');
    child.kill('SIGKILL');
    await once(child, 'exit');
    server = await startEmbeddedPostgres(folder, durable);
    expect(server).toMatchObject({ started: false, pid });
    expect(await ask(server, 'select count(*)::int as n from kept')).toEqual([{ n: 1000 }]);
  });

  it('stops twice without complaint', async () => {
    await server.stop();
    await server.stop();
    await untilDead(server.pid);
    server = await startEmbeddedPostgres(folder, durable);
  });

  it('refuses data of another major version, and says what to do', async () => {
    const binaries = { ...(await findBinaries()), major: 19 };
    await expect(startEmbeddedPostgres(folder, { ...durable, binaries })).rejects.toThrow(
      /made by PostgreSQL 18.*embedded server is PostgreSQL 19.*SVC_DATA_DIR/s,
    );
  });
});

describe('starting', () => {
  const servers: EmbeddedPostgres[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });
  async function temporary(mode: number): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'kindred-embedded-'));
    await run('chmod', [mode.toString(8), folder]);
    folders.push(folder);
    return folder;
  }

  it('lets exactly one of five racing starters make and start the database', async () => {
    const folder = join(await temporary(0o755), 'postgres');
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => startEmbeddedPostgres(folder, quick)));
    servers.push(all[0]);
    expect(all.filter((server) => server.started)).toHaveLength(1);
    expect(new Set(all.map((server) => server.url)).size).toBe(1);
    expect(new Set(all.map((server) => server.pid)).size).toBe(1);
    expect(await ask(all[4], 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('works in a folder whose path is too long for a socket', async () => {
    const folder = join(await temporary(0o755), 'x'.repeat(60), 'y'.repeat(60));
    const server = await startEmbeddedPostgres(folder, quick);
    servers.push(server);
    expect(decodeURIComponent(new URL(server.url).host).length).toBeLessThan(80);
    expect(await ask(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('works in a folder with blanks and quotes in its name', async () => {
    const folder = join(await temporary(0o755), 'a b\'c"$d`e\\f');
    const server = await startEmbeddedPostgres(folder, quick);
    servers.push(server);
    expect(await ask(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('works below a folder that only its owner may enter', async () => {
    const folder = join(await temporary(0o700), 'postgres');
    const server = await startEmbeddedPostgres(folder, quick);
    servers.push(server);
    expect(await ask(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('says what to do when the folder cannot be made', async () => {
    const file = join(await temporary(0o755), 'file');
    await writeFile(file, '');
    await expect(startEmbeddedPostgres(join(file, 'postgres'), quick)).rejects.toThrow(
      /cannot be made.*Choose another SVC_DATA_DIR/,
    );
  });

  it('shows the end of the server log when the server does not start', async () => {
    const folder = join(await temporary(0o755), 'postgres');
    const settings = { shared_buffers: 'plenty' };
    await expect(startEmbeddedPostgres(folder, { durability: 'none', settings })).rejects.toThrow(
      /Could not start the database server.*shared_buffers/s,
    );
  });

  it('makes the symbolic links again that an install without scripts leaves out', async () => {
    const copy = join(await temporary(0o755), 'package');
    await mkdir(copy);
    await run('cp', ['-r', `${(await findBinaries()).root}/.`, join(copy, 'native')]);
    await run('cp', [join((await findBinaries()).root, '..', 'package.json'), copy]);
    const names = JSON.parse(await readFile(join(copy, 'native', 'pg-symlinks.json'), 'utf8')) as {
      target: string;
    }[];
    for (const { target } of names) await unlink(join(copy, target));
    const bin = (name: string) => join(copy, 'native', 'bin', name);
    await expect(run(bin('postgres'), ['--version'])).rejects.toThrow();
    const paths = { initdb: bin('initdb'), postgres: bin('postgres') };
    const repaired = await findBinaries(async () => paths);
    expect((await run(repaired.postgres, ['--version'])).stdout).toMatch(/PostgreSQL\) 18/);
  });
});
