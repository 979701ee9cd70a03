import { loadSettings } from '../env.js';
import { untilExamplesLoaded } from '../supervise/examples-mark.js';
import { readLocalCredential, runningService } from '../supervise/service-file.js';
import type { ServiceAccess } from './api-client.js';
import { startOwnService } from './own-service.js';

/**
 * Runs `work` against the given service, else the one of this data folder, else a temporary one that it starts and
 * stops.
 */
export async function withService<T>(
  named: { url?: string; apiKey?: string },
  work: (service: ServiceAccess) => Promise<T>,
): Promise<T> {
  const settings = loadSettings();
  const givenKey = named.apiKey ?? settings.client.apiKey ?? null;
  const givenUrl = named.url ?? settings.client.url;
  if (givenUrl) return work({ url: givenUrl, apiKey: givenKey });
  const running = await runningService(settings.dataDir);
  if (running !== null) {
    await untilExamplesLoaded(settings.dataDir);
    return work({ url: running.url, apiKey: givenKey ?? (await localKey(settings.dataDir)) });
  }
  process.stderr.write('Kindred is not running; starting it for this command ...\n');
  const own = await startOwnService();
  try {
    return await work({ url: own.url, apiKey: givenKey ?? (await localKey(settings.dataDir)) });
  } finally {
    await own.stop();
  }
}

async function localKey(dataDir: string): Promise<string | null> {
  return (await readLocalCredential(dataDir))?.apiKey ?? null;
}
