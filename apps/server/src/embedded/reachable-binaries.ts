import { createHash } from 'node:crypto';
import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';
import { firstClosed, type UserIds } from './server-user.js';

/** Only root can write here, so nobody else can replace the server's programs. */
const copiesFolder = '/var/lib/kindred';

/**
 * Returns programs that the server's user can run. That user cannot enter a checkout under /root, and PostgreSQL's
 * checks of its own programs ignore inherited capabilities, so they are copied once to a folder outside.
 */
export async function reachableBinaries(binaries: PostgresBinaries, ids: UserIds): Promise<PostgresBinaries> {
  const closed = await firstClosed([binaries.root], ids);
  if (closed === null) return binaries;
  const { mtimeMs, size } = await stat(binaries.postgres);
  const key = createHash('sha256').update(`${binaries.root} ${mtimeMs} ${size}`).digest('hex').slice(0, 12);
  const copy = join(copiesFolder, `postgres-${binaries.major}-${key}`);
  const whole = await stat(copy).catch(() => null);
  if (whole === null) await copyPrograms(binaries.root, copy, closed);
  const moved = (path: string) => join(copy, path.slice(binaries.root.length));
  return { ...binaries, root: copy, initdb: moved(binaries.initdb), postgres: moved(binaries.postgres) };
}

async function copyPrograms(from: string, to: string, closed: string): Promise<void> {
  const draft = `${to}.${process.pid}.draft`;
  try {
    await mkdir(copiesFolder, { recursive: true, mode: 0o755 });
    await cp(from, draft, { recursive: true, verbatimSymlinks: true });
    // If another process was faster, use its copy.
    await rename(draft, to).catch(() => rm(draft, { recursive: true, force: true }));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `PostgreSQL may not run as root, and the user it runs as instead cannot enter ${closed}; its programs could not be copied to ` +
        `${copiesFolder} either (${(cause as Error).message}). Move the checkout elsewhere, or start the service as a plain user.`,
      { cause },
    );
  }
}
