import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './errors.js';
import type { UserIds } from './server-user.js';

/** Linux allows 107 bytes, macOS 103; the server adds `/.s.PGSQL.5432.lock`. */
const maxSocketFolderBytes = 80;

/**
 * Chooses the folder of the socket: next to the data, or, if that path is too long for a socket, in the
 * temporary folder.
 */
export function socketFolderFor(folder: string): string {
  const beside = join(folder, 'run');
  if (Buffer.byteLength(beside) <= maxSocketFolderBytes) return beside;
  const key = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const short = join(tmpdir(), `kindred-${key}`);
  return Buffer.byteLength(short) <= maxSocketFolderBytes ? short : join('/tmp', `kindred-${key}`);
}

/**
 * Makes the folder for `uid` alone.
 * @throws EmbeddedPostgresError when someone else made it before
 */
export async function prepareSocketFolder(path: string, ids: UserIds | null): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const owner = ids?.uid ?? process.getuid?.();
  const found = await lstat(path);
  if (!found.isDirectory() || (found.uid !== owner && found.uid !== process.getuid?.())) {
    throw new EmbeddedPostgresError(
      `The folder ${path} for the database's socket belongs to the user ${found.uid}. Remove it, or choose a shorter SVC_DATA_DIR.`,
    );
  }
  await chmod(path, 0o700);
  if (ids) await chown(path, ids.uid, ids.gid);
}
