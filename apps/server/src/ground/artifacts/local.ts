import { createHash, randomUUID } from 'node:crypto';
import { constants, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ArtifactBytes, ArtifactStore, ListedArtifact, StoredArtifact } from './artifact-store.js';
import { absentArtifact, checkRange, isKey, namesWith, refusedUri, uriOfKey } from './keys.js';

const readChunkBytes = 1 << 20;
/**
 * Unfinished files are kept in this folder. A key cannot name it, and it is on the same file system as the
 * objects, so a rename is atomic.
 */
const partsFolder = '.parts';
const abandonedAfterMs = 24 * 3600 * 1000;

/**
 * Keeps artifacts as files under one folder. Each object is written to a temporary file, synced and renamed,
 * so a reader finds the old object or the new one, never a part, also after a power loss. A link that leads
 * out of the folder is refused. Several processes may share the folder.
 */
export function createLocalArtifacts(folder: string): ArtifactStore {
  const root = resolve(folder);
  const names = namesWith({
    addressOfKey: (key) => pathToFileURL(join(root, key)).href,
    partBelowStore: (address) => partBelow(root, address),
  });
  const pathOf = (uri: string) => join(root, names.keyOf(uri));
  let prepared: Promise<string> | undefined;
  /** Gives the folder with all links resolved; the first write creates it. */
  const prepare = () => {
    prepared ??= prepareFolder(root);
    prepared.catch(() => {
      prepared = undefined;
    });
    return prepared;
  };
  return {
    backend: 'local',
    ...names,
    async put(key, bytes, { signal } = {}) {
      const uri = names.uriOf(key);
      const realRoot = await prepare();
      const path = join(await makeFolder(realRoot, dirname(key), uri), basename(key));
      const part = join(realRoot, partsFolder, randomUUID());
      try {
        const facts = await writePart(part, bytes, signal);
        await rename(part, path);
        await syncFolder(dirname(path));
        return { uri, ...facts };
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
    },
    get: (uri, options = {}) => readFile({ root, uri, pathOf }, options),
    async size(uri) {
      const path = await realPathOf({ root, uri, pathOf });
      if (path === null) return null;
      const facts = await stat(path);
      return facts.isFile() ? facts.size : null;
    },
    list: () => listFolder(root, ''),
    async delete(uri) {
      const path = await realPathOf({ root, uri, pathOf });
      if (path !== null) await rm(path, { force: true });
    },
    async url(uri) {
      names.keyOf(uri);
      return null;
    },
  };
}

/** Lists the plain files whose path is a key. A link never counts as an object. */
async function* listFolder(root: string, start: string): AsyncGenerator<ListedArtifact> {
  const entries = await readdir(join(root, start), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const key = start + entry.name;
    if (entry.isDirectory() && key !== partsFolder) yield* listFolder(root, `${key}/`);
    if (!entry.isFile() || !isKey(key)) continue;
    const facts = await stat(join(root, key)).catch(() => null);
    if (facts !== null)
      yield {
        key,
        uri: uriOfKey(key),
        sizeBytes: facts.size,
        modifiedAt: facts.mtime,
      };
  }
}

async function prepareFolder(root: string): Promise<string> {
  await mkdir(join(root, partsFolder), { recursive: true });
  const real = await realpath(root);
  const parts = join(real, partsFolder);
  // No write takes a whole day, so an older file was left by a killed process.
  for (const name of await readdir(parts)) {
    const facts = await stat(join(parts, name)).catch(() => null);
    if (facts !== null && Date.now() - facts.mtimeMs > abandonedAfterMs)
      await rm(join(parts, name), { force: true });
  }
  return real;
}

/** Creates one folder after the other, so that nothing is created behind a link that leads out. */
async function makeFolder(realRoot: string, relative: string, uri: string): Promise<string> {
  let folder = realRoot;
  for (const name of relative === '.' ? [] : relative.split('/')) {
    await mkdir(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    folder = await realpath(join(folder, name));
    requireInside(folder, realRoot, uri);
  }
  return folder;
}

async function writePart(
  path: string,
  bytes: ArtifactBytes,
  signal: AbortSignal | undefined,
): Promise<Omit<StoredArtifact, 'uri'>> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const file = await open(path, 'wx', 0o644);
  try {
    for await (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) {
      signal?.throwIfAborted();
      hash.update(chunk);
      sizeBytes += chunk.byteLength;
      await file.writeFile(chunk);
    }
    signal?.throwIfAborted();
    await file.sync();
  } finally {
    await file.close();
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Syncs the folder, so that the rename survives a power loss. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

interface Wanted {
  root: string;
  uri: string;
  /** @throws ProblemError artifact_uri_refused */
  pathOf(uri: string): string;
}

async function* readFile(
  wanted: Wanted,
  options: { start?: number; endExclusive?: number; signal?: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const { start, endExclusive } = checkRange(options);
  const { uri } = wanted;
  const path = await realPathOf(wanted);
  const file = path === null ? null : await openFile(path);
  if (file === null) throw absentArtifact(uri);
  try {
    if (!(await file.stat()).isFile()) throw absentArtifact(uri);
    for (let position = start; position < endExclusive; ) {
      options.signal?.throwIfAborted();
      const length = Math.min(readChunkBytes, endExclusive - position);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle | null> {
  // O_NONBLOCK is needed because opening a FIFO would block the process until somebody writes.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Gives the path of an address of this store with all links resolved; null if nothing exists there. */
async function realPathOf({ root, uri, pathOf }: Wanted): Promise<string | null> {
  const real = await realpath(pathOf(uri)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (real === null) return null;
  requireInside(real, await realpath(root), uri);
  return real;
}

/**
 * Gives the part of a path below the folder. A row may name a folder that was moved or copied since. In that
 * case, the longest end of the path that is an object here counts; the name of the file alone (`model.txt`)
 * is not enough.
 */
function partBelow(root: string, uri: string): string {
  let path: string;
  try {
    path = fileURLToPath(new URL(uri));
  } catch {
    throw refusedUri(uri, 'its artifacts have addresses that begin with file:///');
  }
  if (path.startsWith(root + sep))
    return path
      .slice(root.length + 1)
      .split(sep)
      .join('/');
  const parts = path.split(sep);
  for (let first = 1; first < parts.length - 1; first++) {
    const key = parts.slice(first).join('/');
    if (isKey(key) && isFile(join(root, key))) return key;
  }
  throw refusedUri(uri, 'it is outside the folder of artifacts');
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function requireInside(real: string, realRoot: string, uri: string): void {
  if (real !== realRoot && !real.startsWith(realRoot + sep))
    throw refusedUri(uri, 'a link in its path leads out of the folder of artifacts');
}
