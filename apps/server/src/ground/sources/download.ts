import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError, type SourceStream } from '@kindred/contracts';
import { pauseMs, retryPolicy } from '../retry-policy.js';
import type { OpenOptions, SourceOpener } from './source-opener.js';

/** The state of a file on a server decides whether a partial download can be continued. */
export interface RemoteFile {
  url: string;
  sizeBytes: number | null;
  etag: string | null;
  lastModified: string | null;
  /** The server publishes this MD5; null means none. */
  md5: string | null;
}

export interface DownloadOptions extends Pick<OpenOptions, 'signal' | 'onRetry'> {
  /** The file at this path holds the part that has come; a later call continues it. */
  path: string;
  onBytes?: (done: number) => void | Promise<void>;
  timeoutMs?: number;
  /** Tests shorten the pause after a cut connection. */
  pauseMs?: number;
}

/**
 * Asks a server for the size and the state of a file, without reading it.
 * @throws ProblemError address_refused, fetch_failed
 */
export async function describeRemote(
  sources: SourceOpener,
  url: string,
  options: Pick<OpenOptions, 'signal' | 'onRetry'>,
): Promise<Omit<RemoteFile, 'md5'>> {
  const stream = await openPacked(sources, url, { ...options, headers: { range: 'bytes=0-0' } });
  await stream.bytes[Symbol.asyncIterator]().return?.(undefined);
  const total = contentRange(stream)?.total ?? stream.sizeBytes;
  return { url, sizeBytes: total, ...validatorsOf(stream) };
}

/**
 * Downloads a file into `path`, packed as it is. After a cut connection, and in a later call, the download
 * continues where it stopped.
 * @throws ProblemError fetch_failed; conflict if the server has another file by now; the error of a full disk
 */
export async function downloadFile(
  sources: SourceOpener,
  file: RemoteFile,
  options: DownloadOptions,
): Promise<void> {
  for (let idle = 0; ; ) {
    options.signal?.throwIfAborted();
    const before = await sizeOf(options.path);
    if (before > 0 && before === file.sizeBytes && (await isPartOf(file, options.path))) return;
    try {
      await downloadRest(sources, file, options);
      return;
    } catch (error) {
      if (!isCutOff(error)) throw error;
      const done = await sizeOf(options.path);
      idle = done > before ? 0 : idle + 1;
      // The opener itself retries failures before the first byte.
      if (idle > retryPolicy.download.retries || !(error instanceof BrokenOff))
        throw new ProblemError(
          'fetch_failed',
          `${error.message} ${done.toLocaleString('en')} bytes are kept: run the same command again, and it goes on from there.`,
          { cause: error },
        );
      const waitMs = options.pauseMs ?? pauseMs(retryPolicy.download.pause, idle);
      await options.onRetry?.({ attempt: idle + 1, waitMs, reason: error.message });
      await sleep(waitMs, undefined, { signal: options.signal });
    }
  }
}

/** The connection ended before the file did. */
class BrokenOff extends Error {}

const isCutOff = (error: unknown): error is Error =>
  error instanceof BrokenOff || (error instanceof ProblemError && error.code === 'fetch_failed');

async function downloadRest(
  sources: SourceOpener,
  file: RemoteFile,
  { path, onBytes, ...options }: DownloadOptions,
): Promise<void> {
  const validator = strongValidator(file);
  const had = (await isPartOf(file, path)) ? await sizeOf(path) : 0;
  const headers: Record<string, string> =
    had > 0 && validator !== null ? { range: `bytes=${had}-`, 'if-range': validator } : {};
  const stream = await openPacked(sources, file.url, { ...options, headers });
  const range = contentRange(stream);
  const from = range?.start ?? 0;
  if (isOther(file, stream) || (from !== had && from !== 0)) {
    await stream.bytes[Symbol.asyncIterator]().return?.(undefined);
    throw changed(file);
  }
  if (validator !== null) await writeFile(stateFile(path), validator);
  const part = await open(path, from === 0 ? 'w' : 'a');
  let done = from;
  try {
    for await (const chunk of brokenOff(stream.bytes, options.signal)) {
      await part.appendFile(chunk);
      done += chunk.length;
      await onBytes?.(done);
    }
  } finally {
    await part.close();
  }
  if (file.sizeBytes !== null && done !== file.sizeBytes) throw changed(file);
}

async function* brokenOff(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new BrokenOff((error as Error).message, { cause: error });
  }
}

/**
 * Reads the whole part, and compares it with the size and MD5 that the server publishes.
 * @throws ProblemError bad_file, after which the part is deleted
 */
export async function* checkedBytes(path: string, file: RemoteFile): AsyncGenerator<Uint8Array> {
  const md5 = createHash('md5');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    md5.update(chunk);
    yield chunk;
  }
  if (file.md5 === null || md5.digest('hex') === file.md5) return;
  await forgetPart(path);
  throw new ProblemError(
    'bad_file',
    `${file.url} has another checksum than its server publishes: it was damaged on the way, or a release is being published. Run the same command again.`,
  );
}

export async function forgetPart(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(stateFile(path), { force: true });
}

function openPacked(sources: SourceOpener, url: string, options: OpenOptions): Promise<SourceStream> {
  const headers = { 'accept-encoding': 'identity', ...options.headers };
  return sources.open(url, { ...options, headers, packed: true });
}

/** Reads which bytes of its file a partial reply has. */
function contentRange({ headers }: SourceStream): { start: number; total: number | null } | null {
  const match = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '');
  return match && { start: Number(match[1]), total: match[2] === '*' ? null : Number(match[2]) };
}

function validatorsOf({ headers }: SourceStream): Pick<RemoteFile, 'etag' | 'lastModified'> {
  return { etag: headers.etag ?? null, lastModified: headers['last-modified'] ?? null };
}

/** A weak ETag does not promise equal bytes, so the date of the last change is used. */
function strongValidator({ etag, lastModified }: RemoteFile): string | null {
  return etag !== null && !etag.startsWith('W/') ? etag : lastModified;
}

/**
 * Returns true if the bytes that were downloaded before belong to this state of the file; without a strong
 * validator, false.
 */
async function isPartOf(file: RemoteFile, path: string): Promise<boolean> {
  const validator = strongValidator(file);
  return validator !== null && (await stateOf(path)) === validator;
}

function isOther(file: RemoteFile, stream: SourceStream): boolean {
  const now = validatorsOf(stream);
  const total = contentRange(stream)?.total ?? (contentRange(stream) === null ? stream.sizeBytes : null);
  return (
    (file.etag !== null && now.etag !== null && file.etag !== now.etag) ||
    (file.etag === null && file.lastModified !== now.lastModified) ||
    (file.sizeBytes !== null && total !== null && file.sizeBytes !== total)
  );
}

function changed({ url }: RemoteFile): ProblemError {
  return new ProblemError(
    'conflict',
    `${url} changed on its server after Kindred read its size: there is a new release. Run the same command again; files that did not change are not downloaded twice.`,
  );
}

const stateFile = (path: string) => `${path}.state`;

async function stateOf(path: string): Promise<string | null> {
  return readFile(stateFile(path), 'utf8').catch(() => null);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}
