import { createHash } from 'node:crypto';
import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';
import { firstClosed, type UserIds } from './server-user.js';

/** Only root writes here, so nobody else can put programs in the server's way. */
const copiesFolder = '/var/lib/kindred';

/**
 * The programs where the server's user can run them. A checkout under /root is closed to that user, and PostgreSQL's own checks of its
 * programs do not honour lent capabilities; a copy outside, made once, does.
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
    // Where another process was faster, its copy is as good.
    await rename(draft, to).catch(() => rm(draft, { recursive: true, force: true }));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `PostgreSQL may not run as root, and the user it runs as instead cannot enter ${closed}; its programs could not be copied to ` +
        `${copiesFolder} either (${(cause as Error).message}). Move the checkout elsewhere, or start the service as a plain user.`,
      { cause },
    );
  }
}
