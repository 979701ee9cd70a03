import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './errors.js';

const run = promisify(execFile);

/** The user that the server runs as, and how to start a command as that user. */
export interface ServerUser {
  /** Owner of the server's files; null: the user of this process. */
  ids: UserIds | null;
  /** Command prefix that switches to that user; null: spawn gets the ids. */
  prefix: string[] | null;
}
export interface UserIds {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root. A root process therefore starts it as the owner of the data folder, or as `nobody`
 * for a new one. Where that user cannot reach the folders (a checkout under /root), `setpriv` grants it the one
 * capability that it lacks.
 */
export async function serverUser(dataFolder: string, mustReach: string[]): Promise<ServerUser> {
  const owner = await stat(dataFolder).catch(() => null);
  const own = process.getuid?.();
  if (own !== 0) {
    if (owner && owner.uid !== own) throw ownedByAnother(dataFolder, owner.uid, own);
    return { ids: null, prefix: null };
  }
  const ids = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : await nobody();
  const closed = await firstClosed(mustReach, ids);
  if (closed === null) return { ids, prefix: null };
  if (await canLendAccess(ids)) return { ids, prefix: lendAccess(ids) };
  throw new EmbeddedPostgresError(
    `PostgreSQL may not run as root, and the user ${ids.uid} that it runs as instead cannot enter ${closed}. ` +
      `Run \`chmod o+x ${closed}\`, move the checkout and SVC_DATA_DIR elsewhere, or start the service as a plain user.`,
  );
}

function ownedByAnother(folder: string, uid: number, own: number | undefined): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database folder ${folder} belongs to the user ${uid}, and this process runs as ${own}. ` +
      'Start the service as its owner (or as root), or choose another SVC_DATA_DIR.',
  );
}

async function nobody(): Promise<UserIds> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'nobody']), run('id', ['-g', 'nobody'])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'PostgreSQL may not run as root, and this system has no user `nobody` to run it as. Start the service as a plain user.',
      { cause },
    );
  }
}

/** The first folder on the way to any of `paths` that `ids` may not enter; null if it may enter all. */
export async function firstClosed(paths: string[], ids: UserIds): Promise<string | null> {
  for (const path of paths) {
    for (const folder of upwards(path)) {
      const found = await stat(folder).catch(() => null);
      if (found?.isDirectory() && !mayEnter(found, ids)) return folder;
    }
  }
  return null;
}

function upwards(path: string): string[] {
  const folders = [path];
  while (dirname(folders[0]) !== folders[0]) folders.unshift(dirname(folders[0]));
  return folders;
}

function mayEnter(folder: { uid: number; gid: number; mode: number }, ids: UserIds): boolean {
  if (folder.uid === ids.uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === ids.gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}

function lendAccess(ids: UserIds): string[] {
  const who = [`--reuid=${ids.uid}`, `--regid=${ids.gid}`, '--clear-groups'];
  return ['setpriv', ...who, '--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--'];
}

async function canLendAccess(ids: UserIds): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const [program, ...args] = lendAccess(ids);
  return run(program, [...args, 'true'], { cwd: '/' }).then(
    () => true,
    () => false,
  );
}

/** True when this process may write into `folder`. */
export async function writable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
