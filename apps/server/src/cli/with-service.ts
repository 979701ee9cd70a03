import { ProblemError } from '@kindred/contracts';
import type { Command } from 'commander';
import { loadSettings, type Settings } from '../run/env.js';
import { untilExamplesLoaded } from '../run/supervise/examples-mark.js';
import { holdsData, meantFolder } from '../run/supervise/known-folders.js';
import { readLocalCredential, runningService } from '../run/supervise/service-file.js';
import { startCommand } from '../ground/folders.js';
import type { ServiceAccess } from './api-client.js';
import { startOwnService } from './own-service.js';

export interface ServiceOptions {
  url?: string;
  apiKey?: string;
}

/** Adds the options of every command that asks a service. */
export function addServiceOptions(command: Command): Command {
  return command
    .option('--url <address>', 'service to use (default: the one on this machine, started if need be)')
    .option('--api-key <key>', 'credential of that service (or SVC_API_KEY)');
}

/** Uses the data of this folder; if it has none, those that the user means. */
export async function useMeantFolder(): Promise<void> {
  const dataDir = await meantFolder();
  if (dataDir === null) return;
  process.stderr.write(`There are no data in this folder; using those in ${dataDir}\n`);
  // The commands that this one starts use the same folder.
  process.env.SVC_DATA_DIR = dataDir;
}

/**
 * Runs `work` against the given service, else the one of this data folder, else a temporary one that it
 * starts and stops, with the variables of `unlessSet` that the environment does not set.
 */
export async function withService<T>(
  named: ServiceOptions,
  work: (service: ServiceAccess) => Promise<T>,
  unlessSet: NodeJS.ProcessEnv = {},
): Promise<T> {
  return ask(named, work, () => unlessSet);
}

/**
 * Runs `work` like `withService`. The command asks for what is stored, so nothing is started and loaded where there are no data.
 * @throws ProblemError not_found
 */
export async function withStoredData<T>(
  named: ServiceOptions,
  work: (service: ServiceAccess) => Promise<T>,
): Promise<T> {
  return ask(named, work, ({ dataDir, dbUrl }) => {
    if (dbUrl !== null || holdsData(dataDir)) return {};
    throw new ProblemError(
      'not_found',
      `There are no data in ${dataDir}. Set SVC_DATA_DIR to the folder of your service, or run "${startCommand}" first.`,
    );
  });
}

async function ask<T>(
  named: ServiceOptions,
  work: (service: ServiceAccess) => Promise<T>,
  unlessSet: (settings: Settings) => NodeJS.ProcessEnv,
): Promise<T> {
  const isNamed = (named.url ?? process.env.SVC_URL) !== undefined;
  if (!isNamed) await useMeantFolder();
  const settings = loadSettings();
  const givenKey = named.apiKey ?? settings.client.apiKey ?? null;
  const givenUrl = named.url ?? settings.client.url;
  if (givenUrl) return work({ url: givenUrl, apiKey: givenKey });
  const running = await runningService(settings.dataDir);
  if (running !== null) {
    await untilExamplesLoaded(settings.dataDir);
    return work({ url: running.url, ...(await local(settings.dataDir, givenKey)) });
  }
  const environment = { ...unlessSet(settings), ...process.env };
  process.stderr.write('Kindred is not running; starting it for this command ...\n');
  const own = await startOwnService(environment);
  try {
    return await work({ url: own.url, ...(await local(settings.dataDir, givenKey)) });
  } finally {
    await own.stop();
  }
}

async function local(
  dataDir: string,
  givenKey: string | null,
): Promise<{ apiKey: string | null; dataDir: string }> {
  return { apiKey: givenKey ?? (await readLocalCredential(dataDir))?.apiKey ?? null, dataDir };
}
