import { statfs } from 'node:fs/promises';

/**
 * Gives the size of the disk that holds a folder, and the space that its users may still fill, in bytes.
 * @throws the file system's error if the folder does not exist
 */
export async function diskSpace(folder: string): Promise<{ freeBytes: number; sizeBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}
