import { statfs } from 'node:fs/promises';

const folder = '/dev/shm';
/** The size that containers have by default; parallel queries and the statistics of 200 connections need some of it. */
const leastBytes = 64 * 1024 * 1024;

/** The place where the server keeps memory that its processes share as files: the data folder where /dev/shm is too small. */
export interface SharedMemory {
  settings: Record<string, string>;
  /** Warning for the operator; null: none. */
  warning: string | null;
}

export async function sharedMemory(path = folder): Promise<SharedMemory> {
  const found = process.platform === 'linux' ? await statfs(path).catch(() => null) : null;
  const bytes = found === null ? Number.POSITIVE_INFINITY : found.blocks * found.bsize;
  if (bytes >= leastBytes) return { settings: {}, warning: null };
  return {
    settings: { dynamic_shared_memory_type: 'mmap' },
    warning:
      `${path} has ${Math.floor(bytes / 1024 / 1024)} MB, so PostgreSQL shares memory through files in its data folder, which is slower. ` +
      'Give it 64 MB or more; in a container: --shm-size=256m.',
  };
}

/** Advice to add to a message of PostgreSQL about memory that it could not get there. */
export function sharedMemoryAdvice(words: string): string {
  const isCause = /shared memory segment[^\n]*(No space left|Cannot allocate)/.test(words);
  return isCause ? `${folder} is full: give it 256 MB or more; in a container: --shm-size=256m.` : '';
}
