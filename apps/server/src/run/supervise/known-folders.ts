import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { startCommand } from '../../ground/folders.js';
import { runningService } from './service-file.js';

/**
 * The folder has one file for each data folder of this user, so that the command line finds the user's
 * service from any folder.
 */
function register(environment: NodeJS.ProcessEnv): string {
  const state = environment.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  return join(state, 'kindred', 'data-folders');
}

/**
 * Remembers a folder whose service a person started. If the note cannot be written, commands find it from its
 * own folder only.
 */
export async function rememberFolder(dataDir: string, environment = process.env): Promise<void> {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  try {
    await mkdir(register(environment), { recursive: true, mode: 0o700 });
    await writeFile(join(register(environment), name), dataDir, { mode: 0o600 });
  } catch {
    // The home folder is missing or read-only.
  }
}

/** Lists folders that exist, and forgets the others. */
async function knownFolders(environment: NodeJS.ProcessEnv): Promise<string[]> {
  const folder = register(environment);
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const dataDir = await readFile(join(folder, name), 'utf8').catch(() => '');
      if (dataDir !== '' && existsSync(dataDir)) return [dataDir];
      await rm(join(folder, name), { force: true }).catch(() => {});
      return [];
    }),
  );
  return found.flat().sort();
}

/** Says whether a folder has the data of a service. A folder `data` may belong to another project, so its content is checked. */
export const holdsData = (folder: string): boolean =>
  ['postgres', 'service.json', 'service.lock'].some((name) => existsSync(join(folder, name)));

/**
 * Finds the data folder for a command that is called from another folder: that of the user's running service,
 * or else the user's only one. Null means the default, which is the current folder's.
 *
 * @throws ProblemError conflict when there are several
 */
export async function meantFolder(environment: NodeJS.ProcessEnv = process.env): Promise<string | null> {
  const isNamed = environment.SVC_DATA_DIR !== undefined || environment.SVC_DB_URL !== undefined;
  if (isNamed || holdsData(resolve('data'))) return null;
  const known = await knownFolders(environment);
  const running = (await Promise.all(known.map(runningService))).map((service) => service !== null);
  const candidates = running.includes(true) ? known.filter((_, index) => running[index]) : known;
  if (candidates.length <= 1) return candidates[0] ?? null;
  const state = running.includes(true) ? 'Several services of yours run' : 'No service of yours runs';
  throw new ProblemError(
    'conflict',
    `${state}, and there are no data in this folder. Set SVC_DATA_DIR to one of these, or run "${startCommand}" here first: ${candidates.join(', ')}`,
  );
}
