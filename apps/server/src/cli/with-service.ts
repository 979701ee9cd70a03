import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ProblemError } from '@kindred/contracts';
import { loadSettings } from '../env.js';
import { untilExamplesLoaded } from '../supervise/examples-mark.js';
import { readLocalCredential, runningService } from '../supervise/service-file.js';
import type { ServiceAccess } from './api-client.js';

const mainFile = fileURLToPath(new URL('../main.js', import.meta.url));

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
  const own = await startOwn();
  try {
    return await work({ url: own.url, apiKey: givenKey ?? (await localKey(settings.dataDir)) });
  } finally {
    await own.stop();
  }
}

async function localKey(dataDir: string): Promise<string | null> {
  return (await readLocalCredential(dataDir))?.apiKey ?? null;
}

async function startOwn(): Promise<{ url: string; stop(): Promise<void> }> {
  process.stderr.write('Kindred is not running; starting it for this command ...\n');
  const child = spawn(process.execPath, [mainFile, 'serve', '--port', '0'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: { ready?: string }) => message.ready && resolve(message.ready));
    child.once('exit', (code) =>
      reject(
        new ProblemError(
          'service_unavailable',
          `The service ended with code ${code} before it was ready; run "npm start" to see why.`,
        ),
      ),
    );
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
