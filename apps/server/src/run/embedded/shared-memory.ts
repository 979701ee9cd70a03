import { statfs } from 'node:fs/promises';

const folder = '/dev/shm';
/**
 * Containers have this size by default; parallel queries and the statistics of 200 connections need some of
 * it.
 */
const leastBytes = 64 * 1024 * 1024;

/**
 * The server keeps memory that its processes share as files in this place, which is the data folder if
 * /dev/shm is too small.
 */
export interface SharedMemory {
  settings: Record<string, string>;
  /** The operator gets this warning; null means none. */
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

/** Gives advice to add to a message of PostgreSQL about memory that it could not get. */
export function sharedMemoryAdvice(words: string): string {
  const isCause = /shared memory segment[^\n]*(No space left|Cannot allocate)/.test(words);
  return isCause ? `${folder} is full: give it 256 MB or more; in a container: --shm-size=256m.` : '';
}
