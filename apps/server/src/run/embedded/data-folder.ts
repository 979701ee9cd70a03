import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './errors.js';
import { failedTo, type Place, runAsServer } from './place.js';

/** Every data folder has a role and a database of this name. */
export const databaseName = 'kindred';
const passwordName = 'kindred.password';

/**
 * Runs initdb in a temporary folder, then renames it: a crash or a race leaves no data folder or a complete
 * one.
 */
export async function makeDataFolder(place: Place): Promise<void> {
  if (await isDataFolder(place.data)) return;
  await removeLeftovers(place.folder);
  const fresh = join(place.folder, `data.new-${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await fill(place, fresh);
    await rename(fresh, place.data);
  } catch (cause) {
    // Another process was faster, so its folder is used.
    if (await isDataFolder(place.data)) return;
    throw failedTo('make the database folder', place, cause);
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await rm(`${fresh}.password`, { force: true });
  }
}

async function fill(place: Place, fresh: string): Promise<void> {
  const passwordFile = `${fresh}.password`;
  const { ids } = place.user;
  await mkdir(fresh, { mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (ids) await Promise.all([fresh, passwordFile].map((path) => chown(path, ids.uid, ids.gid)));
  const fast = place.options.durability === 'none';
  const access = ['-U', databaseName, '--pwfile', passwordFile, '--auth=scram-sha-256'];
  const text = ['--encoding=UTF8', '--locale=C', '--no-instructions', ...(fast ? ['--no-sync'] : [])];
  const memory = Object.entries(place.memory.settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  await runAsServer(place, place.binaries.initdb, ['-D', fresh, ...memory, ...access, ...text]);
  const single = ['--single', ...memory, '-D', fresh, ...(fast ? ['-F'] : []), 'postgres'];
  await runAsServer(place, place.binaries.postgres, single, `create database ${databaseName}\n`);
  await rename(passwordFile, join(fresh, passwordName));
}

export async function readPassword(data: string): Promise<string> {
  return (await readFile(join(data, passwordName), 'utf8')).trim();
}

async function isDataFolder(data: string): Promise<boolean> {
  return readFile(join(data, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

/** @throws EmbeddedPostgresError if another major version wrote the data */
export async function checkVersion({ data, binaries }: Place): Promise<void> {
  const major = Number.parseInt(await readFile(join(data, 'PG_VERSION'), 'utf8'), 10);
  if (major === binaries.major) return;
  throw new EmbeddedPostgresError(
    `The data in ${data} were made by PostgreSQL ${major}, and the embedded server is PostgreSQL ${binaries.major}. ` +
      `Dump them with a PostgreSQL ${major} and restore the dump, start with another SVC_DATA_DIR, or set SVC_DB_URL to a server of version ${major}.`,
  );
}

/** Removes the leftovers of first starts that were killed. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^data\.new-(\d+)-[0-9a-f]{8}(\.password)?$/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) {
      // The initdb of that folder may still be ending, so the removal is tried again.
      await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
