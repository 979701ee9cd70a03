import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The process ids of containers may be equal, so a draft is deleted only when nobody has written to it for
 * this long.
 */
const restMs = 600_000;

/**
 * Deletes the unfinished files and folders of processes that have ended, and returns their names. In
 * `folder`, these are files named `<name>.<process id>.draft`, and folders that begin with `<prefix><process
 * id>-`.
 */
export async function sweepDrafts(
  folder: string,
  prefix: string | null = null,
  now = Date.now(),
): Promise<string[]> {
  const swept = await sweepableDrafts(folder, prefix, now);
  for (const name of swept) await rm(join(folder, name), { recursive: true, force: true });
  return swept;
}

/** Lists the names that `sweepDrafts` would delete. */
export async function sweepableDrafts(
  folder: string,
  prefix: string | null = null,
  now = Date.now(),
): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const start = prefix !== null && name.startsWith(prefix) ? name.slice(prefix.length) : '';
    const pid = /\.(\d+)\.draft$/.exec(name)?.[1] ?? /^(\d+)-/.exec(start)?.[1];
    const path = join(folder, name);
    if (pid === undefined || isAlive(Number(pid)) || now - (await lastWritten(path)) < restMs) continue;
    found.push(name);
  }
  return found;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function lastWritten(path: string): Promise<number> {
  const facts = await stat(path).catch(() => null);
  if (facts === null || !facts.isDirectory()) return facts?.mtimeMs ?? 0;
  const inside = (await readdir(path).catch(() => [])).map((name) => lastWritten(join(path, name)));
  return Math.max(facts.mtimeMs, ...(await Promise.all(inside)));
}
