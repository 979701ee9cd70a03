import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningService } from './service-file.js';

/**
 * The file exists in the data folder until the example set is loaded. It contains the process id of the
 * service that loads it, or nothing after a failure.
 */
const markOf = (dataDir: string) => join(dataDir, 'examples-loading');
const readMark = (dataDir: string) => readFile(markOf(dataDir), 'utf8').catch(() => null);

export const examplesUnfinished = async (dataDir: string): Promise<boolean> =>
  (await readMark(dataDir)) !== null;

/**
 * Notes that this service is going to load the example set. The call comes before commands can find the
 * service.
 */
export const markExamples = (dataDir: string): Promise<void> =>
  writeFile(markOf(dataDir), String(process.pid));

/** Runs `load`; if it is interrupted or fails, the next start loads the example set again. */
export async function loadMarked(dataDir: string, load: () => Promise<void>): Promise<void> {
  try {
    await load();
  } catch (error) {
    // Commands stop waiting for an example set that this service doesn't have.
    await writeFile(markOf(dataDir), '');
    throw error;
  }
  await rm(markOf(dataDir), { force: true });
}

/** Waits while the service loads the example set. A command calls it that runs during a first start. */
export async function untilExamplesLoaded(dataDir: string): Promise<void> {
  for (;;) {
    const mark = await readMark(dataDir);
    if (mark === null || mark !== String((await runningService(dataDir))?.pid)) return;
    await sleep(300);
  }
}
