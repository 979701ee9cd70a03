import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './errors.js';

const run = promisify(execFile);

/** The server runs as this user, and its commands start in this way. */
export interface ServerUser {
  /** The server's files belong to these ids; null stands for the user of this process. */
  ids: UserIds | null;
  /** The command begins with this prefix, which switches to that user; null means that spawn gets the ids. */
  prefix: string[] | null;
  /** The operator gets this warning about that user; null means none. */
  warning: string | null;
}
export interface UserIds {
  uid: number;
  gid: number;
}

/** The user exists for the database alone; the units for systemd have the same one. */
const ownUser = 'kindred';
const sharedUser = 'nobody';

/**
 * Chooses the user of the server, because PostgreSQL refuses to run as root. A root process starts it as the
 * owner of the data folder, or, for a new folder, as the user `kindred`, else as `nobody`, with a warning. If
 * that user cannot reach the folders (a checkout under /root), `setpriv` grants it the one capability that it
 * lacks.
 */
export async function serverUser(dataFolder: string, mustReach: string[]): Promise<ServerUser> {
  const owner = await stat(dataFolder).catch(() => null);
  const own = process.getuid?.();
  if (own !== 0) {
    if (owner && owner.uid !== own) throw ownedByAnother(dataFolder, owner.uid, own);
    return { ids: null, prefix: null, warning: null };
  }
  const nobody = await idsOf(sharedUser);
  const ids =
    owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : ((await idsOf(ownUser)) ?? nobody);
  if (ids === null) throw noUser();
  const warning = ids.uid === nobody?.uid ? sharedWarning(owner === null ? null : dataFolder) : null;
  const closed = await firstClosed(mustReach, ids);
  if (closed === null) return { ids, prefix: null, warning };
  if (await canLendAccess(ids)) return { ids, prefix: lendAccess(ids), warning };
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

/** @returns null if the system has no such user */
async function idsOf(name: string): Promise<UserIds | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

function noUser(): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL may not run as root, and this system has no user \`${ownUser}\` or \`${sharedUser}\` to run it as. ` +
      'Start the service as a plain user.',
  );
}

function sharedWarning(existing: string | null): string {
  const moved = existing === null ? '' : ` and \`chown -R ${ownUser}: ${existing}\``;
  return (
    `PostgreSQL runs as the user ${sharedUser}, which other programs may share: they could read and change its data. ` +
    `Start the service as a plain user, or, with it stopped, run \`useradd --system ${ownUser}\`${moved}.`
  );
}

/**
 * Finds the first folder on the way to any of `paths` that `ids` may not enter, or the program at its end
 * that it may not run; null means none.
 */
export async function firstClosed(paths: string[], ids: UserIds): Promise<string | null> {
  for (const path of paths) {
    for (const folder of upwards(path)) {
      const found = await stat(folder).catch(() => null);
      if (found !== null && !mayEnter(found, ids)) return folder;
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

/** Returns true when this process may write into `folder`. */
export async function writable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
