import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProblemError } from '@kindred/contracts';
import type { Settings } from '../env.js';
import { SupervisedProcess } from './child-process.js';
import { EmbeddedDatabase } from './embedded-database.js';
import { runningService, removeServiceFile, writeServiceFile } from './service-file.js';

const mainFile = fileURLToPath(new URL('../main.js', import.meta.url));
const readyTimeoutMs = 120_000;
const workerGraceMs = 32_000;

export interface RunningService {
  url: string;
  databaseUrl: string;
  stop(): Promise<void>;
}

/** Where the embedded database of a data folder lies. */
export function embeddedFolder(settings: Settings): string {
  return join(settings.dataDir, 'postgres');
}

/**
 * Starts the service as one tree: embedded database (unless SVC_DB_URL names another), API and workers, each in a
 * process of its own that is started again when it dies.
 * `prepare` runs when the database is there and before the processes start: migrations, first accounts.
 * @throws ProblemError conflict when the service of this data folder runs already
 */
export async function startService(
  settings: Settings,
  prepare: (databaseUrl: string) => Promise<void>,
  say: (line: string) => void,
): Promise<RunningService> {
  const running = await runningService(settings.dataDir);
  if (running !== null) {
    throw new ProblemError(
      'conflict',
      `Kindred runs already for the data folder ${settings.dataDir}: ${running.url} (process ${running.pid}).`,
    );
  }
  const embedded =
    settings.dbUrl === null ? await EmbeddedDatabase.start(embeddedFolder(settings), say) : null;
  const databaseUrl = settings.dbUrl ?? (embedded as EmbeddedDatabase).url;
  const processes: SupervisedProcess[] = [];
  const stop = async () => {
    await Promise.all(processes.map((child) => child.stop(workerGraceMs)));
    await removeServiceFile(settings.dataDir);
    await embedded?.stop();
  };
  try {
    await prepare(databaseUrl);
    const port = await freePort(settings);
    const url = `http://${printableHost(settings.host)}:${port}`;
    const roles = [{ name: 'http', args: ['http', '--port', String(port)] }, ...workerRoles(settings)];
    for (const role of roles) {
      const child = new SupervisedProcess({
        name: role.name,
        args: [mainFile, ...role.args],
        env: { ...process.env, SVC_DB_URL: databaseUrl, SVC_DATA_DIR: settings.dataDir },
        logFile: join(settings.dataDir, 'logs', `${role.name}.log`),
        onRestart: (name, reason, pauseMs) =>
          say(
            `${name} ended (${reason}); starting it again in ${pauseMs / 1000} s. See ${join(settings.dataDir, 'logs', `${name}.log`)}`,
          ),
      });
      processes.push(child);
      child.start();
    }
    await untilReady(url, settings);
    await writeServiceFile(settings.dataDir, { url, pid: process.pid });
    return { url, databaseUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function workerRoles(settings: Settings): { name: string; args: string[] }[] {
  return Array.from({ length: settings.worker.processes }, (_, index) => ({
    name: index === 0 ? 'worker' : `worker-${index + 1}`,
    args: ['worker'],
  }));
}

function printableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** The port of the settings if it is free; 0 means any. Taken ports are told before anything starts. */
async function freePort(settings: Settings): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new ProblemError(
          'conflict',
          `Port ${settings.port} on ${settings.host} cannot be used (${cause.code}): stop what uses it, or set SVC_PORT to another.`,
          { cause },
        ),
      ),
    );
    probe.listen(settings.port, settings.host, () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

async function untilReady(url: string, settings: Settings): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  for (;;) {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5000) }).catch(
      () => null,
    );
    if (answer?.ok) return;
    if (Date.now() > deadline) {
      throw new ProblemError(
        'service_unavailable',
        `The API did not become ready in ${readyTimeoutMs / 1000} s; see ${join(settings.dataDir, 'logs', 'http.log')}.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}
