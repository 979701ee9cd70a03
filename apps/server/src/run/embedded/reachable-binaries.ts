import { chmod, cp, mkdir, readdir, readlink, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './errors.js';
import { firstClosed, type UserIds } from './server-user.js';

/** Only root can write here, so nobody else can replace the server's programs. */
const copiesFolder = '/var/lib/kindred-postgres';
/** Earlier versions made one copy for each checkout, in a folder that the units for systemd use for data. */
const earlierCopies = { folder: '/var/lib/kindred', name: /^postgres-\d+-[0-9a-f]{12}(\.\d+\.draft)?$/ };
/** A copy that no server runs is deleted at this age; a server starts long before, after its copy is made or chosen. */
const unusedAfterMs = 3_600_000;

/**
 * Returns programs that the server's user can run. That user cannot enter a checkout under /root, or one that
 * was made with umask 077, and PostgreSQL's checks of its own programs ignore inherited capabilities. So the
 * programs are copied once to a folder outside: one copy for each version, for all checkouts.
 */
export async function reachableBinaries(
  binaries: PostgresBinaries,
  ids: UserIds,
  folder = copiesFolder,
): Promise<PostgresBinaries> {
  const closed = await firstClosed([binaries.root, join(binaries.root, 'lib'), binaries.postgres], ids);
  if (closed === null) return binaries;
  const copy = join(folder, binaries.version);
  try {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
    const whole = await stat(copy).catch(() => null);
    if (whole === null) await copyPrograms(binaries.root, copy);
    await utimes(copy, new Date(), new Date());
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `PostgreSQL may not run as root, and the user it runs as instead cannot enter ${closed}; its programs could not be copied to ` +
        `${folder} either (${(cause as Error).message}). Move the checkout elsewhere, or start the service as a plain user.`,
      { cause },
    );
  }
  await removeUnused(folder, /./, binaries.version);
  await removeUnused(earlierCopies.folder, earlierCopies.name);
  const moved = (path: string) => join(copy, path.slice(binaries.root.length));
  return { ...binaries, root: copy, initdb: moved(binaries.initdb), postgres: moved(binaries.postgres) };
}

async function copyPrograms(from: string, to: string): Promise<void> {
  const draft = `${to}.${process.pid}.draft`;
  await rm(draft, { recursive: true, force: true });
  await cp(from, draft, { recursive: true, verbatimSymlinks: true });
  await openToAll(draft);
  // If another process was faster, its copy is used.
  await rename(draft, to).catch(() => rm(draft, { recursive: true, force: true }));
}

/** Everyone may read and run what root owns, whatever umask the maker of the original or the copy had. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
}

/** Removes copies that no process runs and that nobody requested in the last hour. */
async function removeUnused(folder: string, named: RegExp, kept?: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one !== kept && named.test(one))) {
    const copy = join(folder, name);
    const found = await stat(copy).catch(() => null);
    if (found === null || Date.now() - found.mtimeMs < unusedAfterMs || (await isRunning(copy))) continue;
    await rm(copy, { recursive: true, force: true }).catch(() => {});
  }
}

async function isRunning(copy: string): Promise<boolean> {
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const programs = await Promise.all(processes.map((id) => readlink(`/proc/${id}/exe`).catch(() => '')));
  return programs.some((program) => program.startsWith(`${copy}/`));
}
