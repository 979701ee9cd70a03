import { rmSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '@kindred/contracts';
import { endingSignals } from '../../ground/ending-signals.js';
import { isSameProcess, startOfProcess } from './process-identity.js';
import { removeServiceFile, runningService, type ServiceFile } from './service-file.js';

const maxStartMs = 300_000;
const lookAgainMs = 250;

/**
 * One process holds this lock while it starts, keeps or stops the service of a data folder, or restores a
 * backup into it.
 */
export interface ServiceLock {
  release(): Promise<void>;
}
interface Holder {
  pid: number;
  start: string | null;
  /** If absent, the process starts, keeps or stops the service. */
  task?: 'restore';
}

/**
 * Gives the service of this data folder if it runs; otherwise the right to start it. The call waits while
 * another process is starting or stopping the service, and takes over the lock of a killed process.
 * @throws ProblemError conflict if the other process finishes neither within five minutes, or restores a
 * backup
 */
export async function attachOrLock(
  dataDir: string,
  say: (line: string) => void,
): Promise<ServiceFile | ServiceLock> {
  const deadline = Date.now() + maxStartMs;
  let said = false;
  for (;;) {
    const running = await runningService(dataDir);
    if (running !== null) return running;
    const outcome = await tryLock(dataDir);
    if ('release' in outcome) return outcome;
    if (outcome.task === 'restore')
      throw new ProblemError(
        'conflict',
        `Process ${outcome.pid} restores a backup into ${dataDir}: start the service when that has ended.`,
      );
    if (Date.now() > deadline) {
      throw new ProblemError(
        'conflict',
        `Process ${outcome.pid} has been starting or stopping the service of ${dataDir} for ${maxStartMs / 60_000} minutes: end it, then start again.`,
      );
    }
    if (!said) say(`Process ${outcome.pid} is starting or stopping the service of this data folder; waiting`);
    said = true;
    await sleep(lookAgainMs);
  }
}

/**
 * Gives the right to restore a backup into the data folder, so that no service starts there meanwhile.
 * @throws ProblemError conflict if its service runs, or another process has the right
 */
export async function lockForRestore(dataDir: string): Promise<ServiceLock> {
  const outcome = await tryLock(dataDir, 'restore');
  if ('release' in outcome) return outcome;
  const does = outcome.task === 'restore' ? 'restores a backup into' : 'runs, starts or stops the service of';
  throw new ProblemError(
    'conflict',
    `Process ${outcome.pid} ${does} ${dataDir}: end it first, or restore into a new SVC_DATA_DIR.`,
  );
}

function tryLock(dataDir: string, task?: Holder['task']): Promise<ServiceLock | Holder> {
  return withHeldSignals(() => lockOrHolder(dataDir, task));
}

/**
 * Lets a signal wait until the caller has gone on with what `work` gives: one that ended the process after the file of a lock is there, and
 * before anybody removes it at the end, would leave the file behind.
 */
async function withHeldSignals<T>(work: () => Promise<T>): Promise<T> {
  let held: NodeJS.Signals | null = null;
  const hold = (signal: NodeJS.Signals) => {
    held ??= signal;
  };
  for (const name of endingSignals) process.on(name, hold);
  try {
    return await work();
  } finally {
    setImmediate(() => {
      for (const name of endingSignals) process.off(name, hold);
      if (held !== null) process.kill(process.pid, held);
    });
  }
}

async function lockOrHolder(dataDir: string, task?: Holder['task']): Promise<ServiceLock | Holder> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'service.lock');
  const draft = `${path}.${process.pid}`;
  const own: Holder = { pid: process.pid, start: await startOfProcess(process.pid), task };
  await writeFile(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    for (;;) {
      // A hard link is atomic and never replaces an existing file.
      if (await linked(draft, path)) return heldLock(dataDir, path);
      const text = await readFile(path, 'utf8').catch(() => null);
      if (text === null) continue;
      const holder = JSON.parse(text) as Holder;
      if (await isSameProcess(holder.pid, holder.start)) return holder;
      await removeStale(path, text);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** A process that ends at once leaves neither the lock nor the file of a service. */
function heldLock(dataDir: string, path: string): ServiceLock {
  const leave = () => {
    removeServiceFile(dataDir);
    rmSync(path, { force: true });
  };
  process.once('exit', leave);
  return {
    async release() {
      process.off('exit', leave);
      await rm(path, { force: true });
    },
  };
}

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** If two processes find the same stale lock, one may grab the other's new lock, and then puts it back. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.stale-${process.pid}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== stale) await linked(aside, path);
  await rm(aside, { force: true });
}
