import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, mkdir, open, rename, rmdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries } from './binaries.js';
import { checkVersion, databaseName, makeDataFolder, readPassword } from './data-folder.js';
import { EmbeddedPostgresError } from './errors.js';
import { stopWithThisProcess } from './guard.js';
import { type EmbeddedPostgresOptions, failedTo, logTail, type Place, serverCommand } from './place.js';
import { isReady, isStopping, type Postmaster, readPostmaster, removeStalePidFile } from './postmaster.js';
import { reachableBinaries } from './reachable-binaries.js';
import { serverUser, writable } from './server-user.js';
import { sharedMemory } from './shared-memory.js';
import { prepareSocketFolder, socketFolderFor } from './socket-folder.js';

export { EmbeddedPostgresError } from './errors.js';
export type { EmbeddedPostgresOptions } from './place.js';

const startTimeoutMs = 300_000;
/** A checkpoint of the embedded server takes a few seconds, so a server that takes longer to stop hangs. */
const stoppingGraceMs = 30_000;
/** The guard of a killed service needs less time than this. */
const leftBehindMs = 10_000;
const maxLogBytes = 16 * 1024 * 1024;

export interface EmbeddedPostgres {
  /** The address looks like `postgresql://kindred:...@%2Fsocket%2Ffolder:5432/kindred`. */
  url: string;
  pid: number;
  /** The flag is true if this call started the server; false if it was already running. */
  started: boolean;
  /** The operator reads these warnings about the server's user and memory. */
  warnings: readonly string[];
  /** Returns false when the server has ended, or is stopping without a request through this object. */
  runs(): Promise<boolean>;
  /** Stops the server, even if another process started it, and rolls open transactions back. */
  stop(): Promise<void>;
}

/**
 * Makes sure that the PostgreSQL of `folder` runs: creates its data on the first call, recovers it after a
 * crash, or attaches to the server that is already there. Any number of processes may call it at once; one
 * starts the server. The server outlives this process unless `stop` is called or `endsWithProcess` is set.
 *
 * @throws EmbeddedPostgresError whose message says what to do
 */
export async function startEmbeddedPostgres(
  folder: string,
  options: EmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const place = await locate(resolve(folder), options);
  await makeDataFolder(place);
  await checkVersion(place);
  if (options.endsWithProcess === true) await leftBehind(place);
  const { postmaster, started } = await ensureRunning(place);
  if (options.endsWithProcess === true && !started) stopWithThisProcess(place, postmaster.pid);
  const password = await readPassword(place.data);
  const host = encodeURIComponent(postmaster.socketFolder);
  return {
    url: `postgresql://${databaseName}:${password}@${host}:${postmaster.port}/${databaseName}`,
    pid: postmaster.pid,
    started,
    warnings: [place.user.warning, place.memory.warning].filter((warning) => warning !== null),
    runs: async () => {
      const now = await readPostmaster(place.data);
      return now?.pid === postmaster.pid && !isStopping(now);
    },
    stop: () => stop(place),
  };
}

/** A server whose supervisor was killed stops by itself (guard.ts). If it does not, a command uses it. */
async function leftBehind(place: Place): Promise<void> {
  const postmaster = await readPostmaster(place.data);
  if (postmaster !== null) await hasEnded(place, postmaster.pid, leftBehindMs);
}

async function locate(folder: string, options: EmbeddedPostgresOptions): Promise<Place> {
  const found = options.binaries ?? (await findBinaries());
  await makeFolder(folder);
  const data = join(folder, 'data');
  const user = await serverUser(data, [folder]);
  const binaries = user.ids === null ? found : await reachableBinaries(found, user.ids);
  refuseOddName(binaries.root);
  return {
    folder,
    data,
    log: join(folder, 'server.log'),
    sockets: socketFolderFor(folder),
    user,
    binaries,
    memory: await sharedMemory(),
    options,
  };
}

/** PostgreSQL's programs start each other through a shell, with their folder in double quotes. */
const oddName = /["$`\\]/;

function refuseOddName(folder: string): void {
  if (!oddName.test(folder)) return;
  throw new EmbeddedPostgresError(
    `PostgreSQL cannot run from ${folder}: a folder in that path has one of " $ \` \\ in its name. Rename it, or move Kindred to another folder; the data folder may have any name.`,
  );
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
  } catch (cause) {
    const why = (cause as Error).message;
    throw new EmbeddedPostgresError(
      `The folder ${folder} cannot be made: ${why}. Choose another SVC_DATA_DIR.`,
      { cause },
    );
  }
  if (await writable(folder)) return;
  throw new EmbeddedPostgresError(
    `The folder ${folder} is not writable. Choose another SVC_DATA_DIR, or become its owner.`,
  );
}

/** `started` says that this call started the server that is now ready. */
async function ensureRunning(place: Place): Promise<{ postmaster: Postmaster; started: boolean }> {
  const deadline = Date.now() + startTimeoutMs;
  let child: number | undefined;
  while (Date.now() < deadline) {
    const postmaster = await readPostmaster(place.data);
    if (postmaster === null) child = await tryStart(place, deadline);
    else if (isReady(postmaster)) return { postmaster, started: postmaster.pid === child };
    else if (isStopping(postmaster)) await endHanging(place, postmaster.pid);
    else await sleep(5);
  }
  throw new EmbeddedPostgresError(
    `The database server in ${place.data} was not ready after ${startTimeoutMs / 1000} s; its log ${place.log} ends with:\n${await logTail(place)}`,
  );
}

/**
 * Starts a server and waits until it is ready or has ended. If two start at once, PostgreSQL lets one run;
 * after a SIGKILL the old server's children hold the shared memory for a moment. Neither is a failure, so the
 * caller checks again.
 */
async function tryStart(place: Place, deadline: number): Promise<number | undefined> {
  await removeStalePidFile(place.data);
  await prepareSocketFolder(place.sockets, place.user.ids);
  const log = await openLog(place);
  const logStart = (await log.stat()).size;
  const child = launch(place, log.fd);
  await log.close();
  let end: Error | 'exit' | undefined;
  child.once('exit', () => {
    end ??= 'exit';
  });
  child.once('error', (error) => {
    end = error;
  });
  child.unref();
  while (end === undefined && Date.now() < deadline) {
    const postmaster = await readPostmaster(place.data);
    if (postmaster?.pid === child.pid && postmaster && isReady(postmaster)) return child.pid;
    await sleep(5);
  }
  const said = end instanceof Error ? end.message : await logTail(place, logStart);
  if (!/shared memory block|lock file/.test(said)) {
    throw failedTo('start the database server', place, new Error(said));
  }
  await sleep(50);
  return undefined;
}

/** The server runs in its own session, so that Ctrl-C does not affect it. */
function launch(place: Place, logFile: number): ChildProcess {
  const settings = Object.entries(serverSettings(place)).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const command = serverCommand(place, place.binaries.postgres, ['-D', place.data, ...settings]);
  const child = spawn(command.program, command.args, {
    ...command.options,
    detached: true,
    stdio: ['ignore', logFile, logFile],
  });
  if (place.options.endsWithProcess && child.pid !== undefined)
    child.once('exit', stopWithThisProcess(place, child.pid));
  return child;
}

/** Rotates a large log and keeps one old one. */
async function openLog({ log, user }: Place): Promise<FileHandle> {
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  );
  if (size > maxLogBytes) await rename(log, `${log}.1`);
  const file = await open(log, 'a', 0o600);
  await file.chmod(0o600);
  if (user.ids) await file.chown(user.ids.uid, user.ids.gid);
  return file;
}

function serverSettings({ options, sockets, memory }: Place): Record<string, string> {
  const unsafe = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  return {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: `"${sockets.replaceAll('"', '""')}"`,
    max_connections: String(options.maxConnections ?? 200),
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    checkpoint_timeout: '15min',
    jit: 'off',
    timezone: 'UTC',
    ...memory.settings,
    ...(options.durability === 'none' ? unsafe : {}),
    ...options.settings,
  };
}

async function stop(place: Place): Promise<void> {
  const postmaster = await readPostmaster(place.data);
  if (postmaster === null) return;
  signal(postmaster.pid, 'SIGINT');
  await endHanging(place, postmaster.pid);
  await rmdir(place.sockets).catch(() => {});
}

/**
 * Waits for a server that was asked to stop, then ends it. SIGINT ends the sessions and flushes all data;
 * after SIGQUIT and SIGKILL the next start recovers. PostgreSQL 18 can hang when a stop meets its recovery
 * from a crash.
 */
async function endHanging(place: Place, pid: number): Promise<void> {
  const graceMs = place.options.stoppingGraceMs ?? stoppingGraceMs;
  if (await hasEnded(place, pid, graceMs)) return;
  signal(pid, 'SIGQUIT');
  if (await hasEnded(place, pid, graceMs)) return;
  signal(pid, 'SIGKILL');
  // No process can refuse SIGKILL, but a busy machine takes its time.
  if (await hasEnded(place, pid, Math.max(graceMs, stoppingGraceMs))) return;
  throw new EmbeddedPostgresError(`The database server ${pid} does not stop; see its log ${place.log}.`);
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function hasEnded(place: Place, pid: number, patienceMs: number): Promise<boolean> {
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    if ((await readPostmaster(place.data))?.pid !== pid) return true;
    await sleep(5);
  }
  return false;
}
