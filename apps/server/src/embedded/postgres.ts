import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findBinaries, type PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';
import { isReady, type Postmaster, readPostmaster, removeStalePidFile } from './postmaster.js';
import { type ServerUser, serverUser, writable } from './server-user.js';
import { prepareSocketFolder, socketFolderFor } from './socket-folder.js';

export { EmbeddedPostgresError } from './errors.js';

const run = promisify(execFile);
const databaseName = 'kindred';
const startTimeoutMs = 60_000;
const largestLogBytes = 16 * 1024 * 1024;

export interface EmbeddedPostgresOptions {
  /** `none` loses data when the machine crashes: for tests alone. */
  durability?: 'full' | 'none';
  maxConnections?: number;
  /** Server settings beside our own, e.g. `{shared_buffers: '64MB'}`. */
  settings?: Record<string, string>;
  /** For tests: other programs than those of the npm package. */
  binaries?: PostgresBinaries;
}

export interface EmbeddedPostgres {
  /** `postgresql://kindred:...@%2Fsocket%2Ffolder:5432/kindred` */
  url: string;
  /** The server's process. */
  pid: number;
  /** True when this call started the server; false when it found one running. */
  started: boolean;
  /** Stops the server, whoever started it; open transactions are rolled back. */
  stop(): Promise<void>;
}

interface Place {
  folder: string;
  data: string;
  log: string;
  user: ServerUser;
  binaries: PostgresBinaries;
  options: EmbeddedPostgresOptions;
}

/**
 * Makes sure that the PostgreSQL of `folder` runs: makes its data on the first call, recovers them after a crash, or attaches to the
 * server that is already there. Any number of processes may call it at once; one starts the server.
 * The server outlives this process unless `stop` is called. @throws EmbeddedPostgresError with a sentence on what to do
 */
export async function startEmbeddedPostgres(
  folder: string,
  options: EmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const binaries = options.binaries ?? (await findBinaries());
  const absolute = resolve(folder);
  await makeFolder(absolute);
  const data = join(absolute, 'data');
  const user = await serverUser(data, [binaries.root, absolute]);
  const place: Place = { folder: absolute, data, log: join(absolute, 'server.log'), user, binaries, options };
  await initialise(place);
  await checkVersion(place);
  const started = await ensureRunning(place);
  const postmaster = await waitUntilReady(place);
  const password = await readFile(join(data, 'kindred.password'), 'utf8');
  const host = encodeURIComponent(postmaster.socketFolder);
  return {
    url: `postgresql://${databaseName}:${password.trim()}@${host}:${postmaster.port}/${databaseName}`,
    pid: postmaster.pid,
    started,
    stop: () => stop(place),
  };
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The folder ${folder} cannot be made: ${(cause as Error).message}. Choose another SVC_DATA_DIR.`,
      { cause },
    );
  }
  if (await writable(folder)) return;
  throw new EmbeddedPostgresError(
    `The folder ${folder} is not writable. Choose another SVC_DATA_DIR, or become its owner.`,
  );
}

/** initdb into a folder of its own, then one rename: a crash or a race leaves either no data folder or a whole one. */
async function initialise(place: Place): Promise<void> {
  if (await isCluster(place.data)) return;
  await removeLeftovers(place.folder);
  const fresh = join(place.folder, `data.new-${process.pid}-${randomBytes(4).toString('hex')}`);
  const passwordFile = `${fresh}.password`;
  const password = randomBytes(24).toString('base64url');
  try {
    await mkdir(fresh, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600 });
    const ids = place.user.ids;
    if (ids) await Promise.all([fresh, passwordFile].map((path) => chown(path, ids.uid, ids.gid)));
    const sync = place.options.durability === 'none' ? ['--no-sync'] : [];
    const access = ['-U', databaseName, '--pwfile', passwordFile, '--auth=scram-sha-256'];
    const text = ['--encoding=UTF8', '--locale=C'];
    await asServer(place, place.binaries.initdb, [
      '-D',
      fresh,
      ...access,
      ...text,
      '--no-instructions',
      ...sync,
    ]);
    await createDatabase(place, fresh);
    await rename(passwordFile, join(fresh, 'kindred.password'));
    await rename(fresh, place.data);
  } catch (cause) {
    // Another process was faster: its folder is as good as ours.
    if (await isCluster(place.data)) return;
    throw cause instanceof EmbeddedPostgresError
      ? cause
      : commandFailed('make the database folder', cause, place);
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
  }
}

async function createDatabase(place: Place, data: string): Promise<void> {
  const args = ['--single', '-D', data, ...(place.options.durability === 'none' ? ['-F'] : []), 'postgres'];
  await asServer(place, place.binaries.postgres, args, `create database ${databaseName}\n`);
}

async function isCluster(data: string): Promise<boolean> {
  return readFile(join(data, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

async function checkVersion({ data, binaries }: Place): Promise<void> {
  const major = Number.parseInt(await readFile(join(data, 'PG_VERSION'), 'utf8'), 10);
  if (major === binaries.major) return;
  throw new EmbeddedPostgresError(
    `The data in ${data} were made by PostgreSQL ${major}, and the embedded server is PostgreSQL ${binaries.major}. ` +
      `Dump them with a PostgreSQL ${major} and restore the dump, start with another SVC_DATA_DIR, or set SVC_DB_URL to a server of version ${major}.`,
  );
}

/** True when this call started the server. */
async function ensureRunning(place: Place): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    if (await readPostmaster(place.data)) return false;
    await removeStalePidFile(place.data);
    const logStart = await prepareLog(place);
    const failure = await tryStart(place);
    if (failure === null) return true;
    if (await readPostmaster(place.data)) return false;
    // After SIGKILL of the server its children need a moment to notice and to let go of the shared memory.
    const said = await logTail(place, logStart);
    if (!/shared memory block|lock file/.test(said) || Date.now() > deadline) {
      throw commandFailed('start the database server', failure, place, said);
    }
    await sleep(100);
  }
}

/** Keeps one old log when the present one is large. Returns the size of the log: what is said from there on is new. */
async function prepareLog({ log, user }: Place): Promise<number> {
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  );
  if (size > largestLogBytes) await rename(log, `${log}.1`);
  await (await open(log, 'a')).close();
  await chmod(log, 0o640);
  if (user.ids) await chown(log, user.ids.uid, user.ids.gid);
  return size > largestLogBytes ? 0 : size;
}

async function tryStart(place: Place): Promise<unknown> {
  const sockets = socketFolderFor(place.folder);
  await prepareSocketFolder(sockets, place.user.ids);
  const flags = Object.entries(serverSettings(place.options, sockets)).map(
    ([key, value]) => `-c ${key}='${value}'`,
  );
  const args = ['start', '-D', place.data, '-l', place.log, '-w', '-t', '60', '-s', '-o', flags.join(' ')];
  return asServer(place, place.binaries.pgCtl, args).then(
    () => null,
    (error: unknown) => error,
  );
}

function serverSettings(options: EmbeddedPostgresOptions, sockets: string): Record<string, string> {
  const unsafe = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  return {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: sockets,
    max_connections: String(options.maxConnections ?? 200),
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    checkpoint_timeout: '15min',
    jit: 'off',
    timezone: 'UTC',
    ...(options.durability === 'none' ? unsafe : {}),
    ...options.settings,
  };
}

async function waitUntilReady(place: Place): Promise<Postmaster> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    const postmaster = await readPostmaster(place.data);
    if (isReady(postmaster)) return postmaster;
    // The server that we found has ended meanwhile (another process stopped it, or it crashed): start anew.
    if (postmaster === null) await ensureRunning(place);
    await sleep(10);
  }
  throw new EmbeddedPostgresError(
    `The database server in ${place.data} was not ready after ${startTimeoutMs / 1000} s; its log ${place.log} ends with:\n${await logTail(place)}`,
  );
}

async function stop(place: Place): Promise<void> {
  if ((await readPostmaster(place.data)) === null) return;
  const args = ['stop', '-D', place.data, '-m', 'fast', '-w', '-t', '60', '-s'];
  await asServer(place, place.binaries.pgCtl, args).catch(async (error: unknown) => {
    if (await readPostmaster(place.data)) throw commandFailed('stop the database server', error, place);
  });
}

async function asServer(place: Place, program: string, args: string[], input?: string): Promise<void> {
  const { ids, prefix } = place.user;
  const [command, ...words] = [...(prefix ?? []), program, ...args];
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  const running = run(command, words, { cwd: '/', env, ...(prefix ? {} : ids) });
  running.child.stdin?.end(input ?? '');
  await running;
}

async function logTail(place: Place, from = 0): Promise<string> {
  const bytes = await readFile(place.log).catch(() => Buffer.alloc(0));
  return bytes.subarray(from).toString('utf8').trimEnd().split('\n').slice(-8).join('\n');
}

function commandFailed(what: string, cause: unknown, place: Place, more = ''): EmbeddedPostgresError {
  const said = (cause as { stderr?: string }).stderr?.trim() || (cause as Error).message;
  return new EmbeddedPostgresError(
    `Could not ${what} in ${place.folder}: ${[said, more].filter(Boolean).join('\n')}`,
    { cause },
  );
}

/** Removes what first starts that were killed left beside the data. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^data\.new-(\d+)-[0-9a-f]{8}(\.password)?$/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
