import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '@kindred/contracts';
import type { Settings } from '../env.js';
import { programFile } from '../../ground/folders.js';
import { SupervisedProcess } from './child-process.js';
import { EmbeddedDatabase } from './embedded-database.js';
import { askProcess } from './questions.js';
import { readServiceFile, removeServiceFile, writeServiceFile } from './service-file.js';
import type { ServiceLock } from './service-lock.js';

const readyTimeoutMs = 120_000;
/** API and workers of a supervisor need a little less than this (`supervisedStop` of cli/role.ts). */
const childGraceMs = 7_000;
/** An API that does not answer for this long counts as frozen. */
const apiSilenceSeconds = 30;
/** A killed service still holds its port for as long. */
const portPatienceMs = 32_000;

export interface RunningService {
  url: string;
  databaseUrl: string;
  stop(): Promise<void>;
}

/** Names the folder of the embedded database inside a data folder. */
export function embeddedFolder(settings: Settings): string {
  return join(settings.dataDir, 'postgres');
}

export interface ServicePlan {
  /** The lock of the data folder is released after the service has stopped. */
  lock: ServiceLock;
  /** Runs after the database is ready and before the processes start: migrations, first accounts. */
  prepare(databaseUrl: string): Promise<void>;
  say(line: string): void;
  /** The signal aborts the start and stops what was started so far. */
  signal: AbortSignal;
}

/**
 * Starts the service as one tree: embedded database (unless SVC_DB_URL names another), API and workers, each
 * in its own process that is restarted when it dies.
 * @throws ProblemError conflict when the port is taken
 */
export async function startService(settings: Settings, plan: ServicePlan): Promise<RunningService> {
  const { say, signal } = plan;
  const processes: SupervisedProcess[] = [];
  let embedded: EmbeddedDatabase | null = null;
  const stop = async () => {
    await Promise.all(processes.map((child) => child.stop(childGraceMs)));
    removeServiceFile(settings.dataDir);
    await embedded?.stop();
    await plan.lock.release();
  };
  try {
    const port = await usablePort(settings, signal);
    if (settings.dbUrl === null) embedded = await EmbeddedDatabase.start(embeddedFolder(settings), say);
    const databaseUrl = settings.dbUrl ?? (embedded as EmbeddedDatabase).url;
    signal.throwIfAborted();
    await plan.prepare(databaseUrl);
    signal.throwIfAborted();
    const url = `http://${printableHost(settings.host)}:${port}`;
    for (const role of [httpRole(port), ...workerRoles(settings)]) {
      const child = supervised(role, settings, databaseUrl, say);
      processes.push(child);
      child.start();
    }
    await untilReady(url, settings, signal);
    await writeServiceFile(settings.dataDir, { url, pid: process.pid });
    return { url, databaseUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Role {
  name: string;
  args: string[];
  /** These variables apply if the environment of the service does not set them. */
  env: NodeJS.ProcessEnv;
  silenceLimitSeconds: number;
}

/**
 * glibc gives each thread that allocates memory its own arena, up to eight for each processor, and each keeps
 * the memory that it once needed. Two are enough for the API, because besides the replies, only their
 * compression allocates much.
 */
export const httpArenas = '2';

function supervised(
  role: Role,
  settings: Settings,
  databaseUrl: string,
  say: (line: string) => void,
): SupervisedProcess {
  const logFile = join(settings.dataDir, 'logs', `${role.name}.log`);
  return new SupervisedProcess({
    args: [programFile, ...role.args],
    // The drain time is zero: the supervisor stops the process directly, without a load balancer that must
    // notice first.
    env: {
      ...role.env,
      ...process.env,
      SVC_DB_URL: databaseUrl,
      SVC_DATA_DIR: settings.dataDir,
      SVC_DRAIN_SECONDS: '0',
    },
    logFile,
    ask: askProcess,
    silenceLimitSeconds: role.silenceLimitSeconds,
    onRestart: (reason, pauseMs) =>
      say(`${role.name} ended (${reason}); starting it again in ${pauseMs / 1000} s. See ${logFile}`),
  });
}

/**
 * Tasks of the compute threads take and leave arrays of many megabytes. With these variables of glibc each of more than a megabyte goes
 * back to the system at once, and few arenas keep what is smaller.
 */
export const workerMemory = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(1 << 20),
  MALLOC_TRIM_THRESHOLD_: String(4 << 20),
};

function httpRole(port: number): Role {
  return {
    name: 'http',
    args: ['http', '--port', String(port)],
    env: { MALLOC_ARENA_MAX: httpArenas },
    silenceLimitSeconds: apiSilenceSeconds,
  };
}

function workerRoles(settings: Settings): Role[] {
  return Array.from({ length: settings.worker.workerProcesses }, (_, index) => ({
    name: index === 0 ? 'worker' : `worker-${index + 1}`,
    args: ['worker'],
    env: workerMemory,
    // The limit is that of the lease, after which others take over its jobs.
    silenceLimitSeconds: Math.max(settings.worker.leaseSeconds, apiSilenceSeconds),
  }));
}

function printableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Gives the port of the settings if it is free; 0 means any. A port in use is reported before anything
 * starts, unless a killed service left its file, because its API may need a moment to end.
 */
async function usablePort(settings: Settings, signal: AbortSignal): Promise<number> {
  const leftBehind = (await readServiceFile(settings.dataDir)) !== null;
  const deadline = Date.now() + (leftBehind ? portPatienceMs : 0);
  for (;;) {
    try {
      return await freePort(settings);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(250, undefined, { signal });
    }
  }
}

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

async function untilReady(url: string, settings: Settings, signal: AbortSignal): Promise<void> {
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
    await sleep(150, undefined, { signal });
  }
}
