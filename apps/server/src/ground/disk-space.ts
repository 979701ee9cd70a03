import { statfs } from 'node:fs/promises';

/** Size of the disk that a folder is on, and what its users may still write, in bytes. @throws the error of a folder that is not there */
export async function diskSpace(folder: string): Promise<{ freeBytes: number; sizeBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}
