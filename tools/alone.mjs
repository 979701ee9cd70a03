// A lock of a checkout, by which one process at a time installs and builds there.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endable } from './ending.mjs';

const lookAgainMs = 250;

/** Runs `work` while no other process installs or builds here. It waits for another process, and says so. */
export async function alone(root, work) {
  const lock = join(root, '.kindred', 'build.lock');
  if (!(await taken(lock))) return work();
  const release = () => rmSync(lock, { force: true });
  process.on('exit', release);
  try {
    return await endable(work);
  } finally {
    release();
    process.off('exit', release);
  }
}

/** Takes the lock. The result is false if nothing can be written, because then nobody installs or builds. */
async function taken(lock) {
  const draft = `${lock}.${process.pid}`;
  try {
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(draft, JSON.stringify({ pid: process.pid, start: stateOf(process.pid)?.start ?? null }));
  } catch {
    return false;
  }
  try {
    for (let said = false; ; ) {
      // A hard link is made, because it is atomic and never replaces an existing file.
      if (linked(draft, lock)) return true;
      const text = textOf(lock);
      const holder = text === null ? null : holderOf(text);
      if (holder === null) {
        if (text !== null) removeStale(lock, text);
        continue;
      }
      if (!said) process.stderr.write(`Process ${holder} installs or builds in this folder; waiting ...\n`);
      said = true;
      await sleep(lookAgainMs);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function linked(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes a stale lock. If two processes find the same one, the second may take the first one's new lock; then it puts that lock back.
 */
function removeStale(lock, stale) {
  const aside = `${lock}.stale-${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  if (textOf(aside) !== stale) linked(aside, lock);
  rmSync(aside, { force: true });
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Returns the process that has the lock; null if it was killed. After a power loss its id may be that of another user's process. */
function holderOf(text) {
  try {
    const { pid, start } = JSON.parse(text);
    if (pid === process.pid) return null;
    const now = stateOf(pid);
    if (now !== null) return now.start === start && now.state !== 'Z' ? pid : null;
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return error.code === 'EPERM' ? 'of another user' : null;
  }
}

/** Returns the state of a process, whose start and id identify it for good; null if the system has no /proc. */
function stateOf(pid) {
  const stat = textOf(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name in parentheses may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], start: fields[19] };
}
