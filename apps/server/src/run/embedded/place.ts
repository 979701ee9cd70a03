import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';
import type { ServerUser } from './server-user.js';
import { type SharedMemory, sharedMemoryAdvice } from './shared-memory.js';

const run = promisify(execFile);

export interface EmbeddedPostgresOptions {
  /** The value `none` loses data when the machine crashes, so it is for tests only. */
  durability?: 'full' | 'none';
  maxConnections?: number;
  /**
   * The server stops with this process, however this process ends. `when_started` makes an exception for a
   * server that ran before, because another process may need it. By default, the server outlives this
   * process.
   */
  endsWithProcess?: boolean | 'when_started';
  /** The server gets these settings in addition to ours, e.g. `{shared_buffers: '64MB'}`. */
  settings?: Record<string, string>;
  /** A server that is stopping is killed after this time (SIGINT, SIGQUIT, SIGKILL). Default: 30 s. */
  stoppingGraceMs?: number;
  /** Tests use other programs than those of the npm package. */
  binaries?: PostgresBinaries;
}

/** A place is one database folder with the way to run its programs. */
export interface Place {
  folder: string;
  data: string;
  log: string;
  sockets: string;
  user: ServerUser;
  binaries: PostgresBinaries;
  memory: SharedMemory;
  options: EmbeddedPostgresOptions;
}

export interface Command {
  program: string;
  args: string[];
  options: { cwd: string; env: Record<string, string | undefined>; uid?: number; gid?: number };
}

/** Gives the command line that runs `program` as the server's user. */
export function serverCommand(place: Place, program: string, args: string[]): Command {
  const { ids, prefix } = place.user;
  const [first, ...rest] = [...(prefix ?? []), program, ...args];
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  return { program: first, args: rest, options: { cwd: '/', env, ...(prefix ? {} : ids) } };
}

export async function runAsServer(place: Place, program: string, args: string[], input = ''): Promise<void> {
  const command = serverCommand(place, program, args);
  const running = run(command.program, command.args, command.options);
  running.child.stdin?.end(input);
  await running;
}

/** Reads the last lines of the server's log, from byte `from` on. */
export async function logTail(place: Place, from = 0): Promise<string> {
  const bytes = await readFile(place.log).catch(() => Buffer.alloc(0));
  return bytes.subarray(from).toString('utf8').trimEnd().split('\n').slice(-8).join('\n');
}

export function failedTo(what: string, place: Place, cause: unknown): EmbeddedPostgresError {
  const said = (cause as { stderr?: string }).stderr?.trim() || (cause as Error).message;
  const text = [`Could not ${what} in ${place.folder}: ${said}`, sharedMemoryAdvice(said)];
  return new EmbeddedPostgresError(text.filter(Boolean).join('\n'), { cause });
}
