import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeDatabase, openDatabase } from '../store/postgres/connection.js';
import { untilGone } from './supervise/command.js';
import { until } from './worker/harness.js';
import { childrenOf } from './chaos/faults.js';

const run = promisify(execFile);

const packagedPrograms = '/usr/lib/postgresql';
/**
 * The newest PostgreSQL that Debian's package installed has its programs in this folder; undefined if none
 * has pg_basebackup, which the package of npm lacks.
 */
export const replicationPrograms: string | undefined = (
  existsSync(packagedPrograms) ? readdirSync(packagedPrograms) : []
)
  .sort((a, b) => Number(b) - Number(a))
  .map((version) => join(packagedPrograms, version, 'bin'))
  .find((folder) => existsSync(join(folder, 'pg_basebackup')));

/** Runs one server, reached through a socket in its folder. Root starts it as the user of the package. */
export class ReplicatedPostgres {
  private constructor(
    readonly name: string,
    readonly folder: string,
    readonly user: { uid: number; gid: number } | null,
  ) {}

  static async #place(folder: string, name: string): Promise<ReplicatedPostgres> {
    const user =
      process.getuid?.() !== 0
        ? null
        : {
            uid: Number((await run('id', ['-u', 'postgres'])).stdout),
            gid: Number((await run('id', ['-g', 'postgres'])).stdout),
          };
    const own = join(folder, name);
    await mkdir(own);
    if (user !== null) {
      await chown(own, user.uid, user.gid);
      await chmod(folder, 0o755);
    }
    return new ReplicatedPostgres(name, own, user);
  }

  /** Starts a new primary. Once it has a standby, it confirms a commit only after the standby has it. */
  static async primary(folder: string, name: string): Promise<ReplicatedPostgres> {
    const server = await ReplicatedPostgres.#place(folder, name);
    await server.#run('initdb', '-U', 'kindred', '-A', 'trust', '-E', 'UTF8', '--locale=C');
    await server.start();
    return server;
  }

  /** Starts a standby with all rows of this primary; it then receives each commit. */
  async standby(name: string): Promise<ReplicatedPostgres> {
    const standby = await ReplicatedPostgres.#place(join(this.folder, '..'), name);
    const source = `host=${this.folder} user=kindred application_name=${name}`;
    await standby.#run('pg_basebackup', '-R', '-X', 'stream', '-c', 'fast', '-d', source);
    await standby.start();
    const db = openDatabase(this.address('postgres'), 1);
    await db.pool.query(`alter system set synchronous_standby_names = '${name}'`);
    await db.pool.query('select pg_reload_conf()');
    await until(async () => {
      const { rows } = await db.pool.query('select sync_state from pg_stat_replication');
      return rows[0]?.sync_state === 'sync';
    });
    await closeDatabase(db);
    return standby;
  }

  address(database: string): string {
    return `postgresql://kindred@${encodeURIComponent(this.folder)}/${database}`;
  }

  async start(): Promise<void> {
    // The settings turn off the synchronisation of files, because killed processes lose nothing that they
    // wrote.
    const settings = { listen_addresses: '', fsync: 'off', jit: 'off', max_connections: '200' };
    const flags = Object.entries(settings).map(([key, value]) => `-c ${key}='${value}'`);
    await this.#run(
      'pg_ctl',
      '-w',
      '-s',
      '-l',
      join(this.folder, 'log'),
      '-o',
      `-k ${this.folder} ${flags.join(' ')}`,
      'start',
    );
  }

  /** Kills every process of the server at once, as when its machine loses power. */
  async kill(): Promise<void> {
    const lock = join(this.folder, 'data/postmaster.pid');
    const pid = Number.parseInt(await readFile(lock, 'utf8'), 10);
    // A stopped process starts no children.
    process.kill(pid, 'SIGSTOP');
    const all = [pid, ...childrenOf(pid)];
    for (const one of all) process.kill(one, 'SIGKILL');
    await untilGone(all);
    // In containers where nobody waits for dead processes, their ids stay, and the files would name a server
    // that seems to run.
    await rm(lock);
    await rm(join(this.folder, '.s.PGSQL.5432.lock'));
  }

  async promote(): Promise<void> {
    await this.#run('pg_ctl', '-w', '-s', 'promote');
  }

  async stop(): Promise<void> {
    await this.#run('pg_ctl', '-m', 'immediate', '-s', 'stop').catch(() => {});
  }

  async #run(program: string, ...args: string[]): Promise<void> {
    await run(join(replicationPrograms as string, program), ['-D', join(this.folder, 'data'), ...args], {
      ...this.user,
      cwd: this.folder,
      env: { ...process.env, LC_ALL: 'C' },
    });
  }
}
