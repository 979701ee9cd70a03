import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const bytes = 4 * 2 ** 30;

/** The disk is in memory, and holds only this folder. */
export interface SmallDisk {
  folder: string;
  /**
   * Lets every write of another block fail for that time after a pause, as on a real full disk; deletions do
   * not free room. The promise resolves when there is room again.
   */
  full(ms: number, pauseMs: number): Promise<void>;
  remove(): Promise<void>;
}

/** The room that a deleted file gave is taken away this often. */
const periodMs = 20;

/** Returns null if this user may not mount a disk. */
export async function makeSmallDisk(): Promise<SmallDisk | null> {
  const folder = await mkdtemp(join(tmpdir(), 'kindred-disk-'));
  const resize = (size: number) => run('mount', ['-o', `remount,size=${size}`, folder]);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=755`, 'kindred-disk', folder]);
  } catch {
    await rm(folder, { recursive: true });
    return null;
  }
  return {
    folder,
    async full(ms, pauseMs) {
      await sleep(pauseMs);
      for (const end = performance.now() + ms; performance.now() < end; await sleep(periodMs)) {
        const { blocks, bfree, bsize } = await statfs(folder);
        // A write between the two calls makes this one fail, because it refuses a size below that of the
        // files.
        if (bfree > 0) await resize((blocks - bfree) * bsize).catch(() => {});
      }
      await resize(bytes);
    },
    async remove() {
      await run('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true });
    },
  };
}
