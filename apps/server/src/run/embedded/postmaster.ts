import { readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** A running server writes these facts into postmaster.pid. */
export interface Postmaster {
  pid: number;
  socketFolder: string;
  port: number;
  status: string;
}

const statusLine = 7;

/** Finds the server that owns the data folder, or null if none is running. */
export async function readPostmaster(dataFolder: string): Promise<Postmaster | null> {
  const text = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !(await isPostgres(pid))) return null;
  return {
    pid,
    port: Number(lines[3]),
    socketFolder: lines[4] ?? '',
    status: (lines[statusLine] ?? '').trim(),
  };
}

export function isReady(postmaster: Postmaster): boolean {
  return postmaster.status === 'ready';
}

export function isStopping(postmaster: Postmaster): boolean {
  return postmaster.status === 'stopping';
}

/**
 * Removes the file if its process is not a PostgreSQL server. After a crash of the machine, another program
 * may have the process number of the old server, and PostgreSQL would always refuse to start.
 */
export async function removeStalePidFile(dataFolder: string): Promise<void> {
  const path = join(dataFolder, 'postmaster.pid');
  const before = await readFile(path, 'utf8').catch(() => null);
  if (before === null || (await isPostgres(Number.parseInt(before, 10)))) return;
  const now = await readFile(path, 'utf8').catch(() => null);
  if (now === before) await unlink(path).catch(() => {});
}

async function isPostgres(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (process.platform !== 'linux') return true;
  // The text is empty for a zombie, which no longer holds resources.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null);
  return command === null || command.includes('postgres');
}
