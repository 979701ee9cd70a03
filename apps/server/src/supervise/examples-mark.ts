import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningService } from './service-file.js';

/** Exists in the data folder while the example set is being loaded. */
const markOf = (dataDir: string) => join(dataDir, 'examples-loading');

export async function examplesUnfinished(dataDir: string): Promise<boolean> {
  return access(markOf(dataDir)).then(
    () => true,
    () => false,
  );
}

/** Runs `load`; if it is interrupted or fails, the next start loads the example set again. */
export async function markedLoading(dataDir: string, load: () => Promise<void>): Promise<void> {
  await writeFile(markOf(dataDir), '');
  await load();
  await rm(markOf(dataDir), { force: true });
}

/**
 * For a command run while a service starts for the first time: waits until the example set is loaded, or the service is
 * gone.
 */
export async function untilExamplesLoaded(dataDir: string): Promise<void> {
  while ((await examplesUnfinished(dataDir)) && (await runningService(dataDir)) !== null) await sleep(300);
}
