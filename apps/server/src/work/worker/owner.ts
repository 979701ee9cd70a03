import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names a worker process in leases: `<host>:<pid>:<place>-<random>`. `place` identifies this boot of this
 * machine and its process id namespace (a container has its own), so that a process in the same place can
 * check whether another one is alive.
 */
export function newOwner(place: string | null = processPlace()): string {
  return `${hostname()}:${process.pid}:${place ?? 'unknown'}-${randomUUID().slice(0, 8)}`;
}

/** Returns null if unknown (not Linux): a lost job then waits for the end of its lease. */
export function processPlace(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return createHash('sha256')
      .update(`${boot} ${readlinkSync('/proc/self/ns/pid')}`)
      .digest('hex')
      .slice(0, 12);
  } catch {
    return null;
  }
}

/** Returns true only if the process of this name has certainly ended. */
export function isGone(owner: string, place: string | null = processPlace()): boolean {
  const parts = /:(\d+):([0-9a-f]{12})-[0-9a-f]{8}$/.exec(owner);
  if (!parts || parts[2] !== place) return false;
  const pid = Number(parts[1]);
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
