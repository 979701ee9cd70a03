import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProblemError } from '@kindred/contracts';
import { whyUnreadable } from './file-fault.js';

const readChunkBytes = 256 * 1024;

export interface OpenedFile {
  sizeBytes: number;
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * Opens a file:// address whose path, with all links resolved, is under one of the folders.
 * @throws ProblemError address_refused (the path is outside, or no folder is set), fetch_failed (the file is
 * absent or unreadable, or is not a file)
 */
export async function openImportFile(url: URL, folders: readonly string[]): Promise<OpenedFile> {
  const file = await openReal(url, await realPathInside(url, folders));
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw new ProblemError('fetch_failed', `${url.href} is not a regular file.`);
    return { sizeBytes: facts.size, bytes: chunksOf(file) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Checks that `openImportFile` would open the file, as far as this machine can know: a worker elsewhere may
 * have a folder that is missing here.
 * @throws ProblemError as `openImportFile`
 */
export async function checkImportFile(url: URL, folders: readonly string[]): Promise<void> {
  const path = pathOf(url);
  const holding = folders.filter((folder) => isUnder(path, folder));
  const found = await Promise.all(holding.map((folder) => realpath(folder).catch(() => null)));
  if (found.includes(null)) return;
  const real = await realPathInside(url, folders);
  if (!(await stat(real)).isFile())
    throw new ProblemError('fetch_failed', `${url.href} is not a regular file.`);
}

function pathOf(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw new ProblemError(
      'address_refused',
      `${url.href} is not a local file URL; write file:///folder/name.`,
      { cause },
    );
  }
}

function isUnder(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

async function realPathInside(url: URL, folders: readonly string[]): Promise<string> {
  if (folders.length === 0) {
    throw new ProblemError(
      'address_refused',
      'Files can be loaded only when an operator sets SVC_IMPORT_DIR.',
    );
  }
  const path = pathOf(url);
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    // Paths outside are refused whether they exist or not, so that the reply reveals nothing about other
    // folders.
    if (!folders.some((folder) => isUnder(path, folder))) throw outside(url);
    throw unreadable(url, error);
  });
  if (!roots.some((root) => root !== null && isUnder(real, root))) throw outside(url);
  return real;
}

async function openReal(url: URL, real: string): Promise<FileHandle> {
  // O_NONBLOCK is needed because opening a FIFO would block the worker until somebody writes.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return open(real, flags).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(url, error);
  });
}

function outside(url: URL): ProblemError {
  return new ProblemError('address_refused', `${url.href} is not under the import folder (SVC_IMPORT_DIR).`);
}

function unreadable(url: URL, error: NodeJS.ErrnoException): ProblemError {
  return new ProblemError('fetch_failed', `${url.href} cannot be opened: ${whyUnreadable(error)}.`);
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(readChunkBytes) });
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
