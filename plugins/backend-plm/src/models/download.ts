import { createHash, type Hash } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import { digestOf } from './files.js';

export interface Download {
  url: string;
  path: string;
  sizeBytes: number;
  /** The hex digest: sha256 of the content, or git's own digest of a small file (sha1 of a header and the content). */
  digest: { kind: 'sha256' | 'git'; hex: string };
}
export interface DownloadOptions {
  signal?: AbortSignal;
  /** A function that is called with the number of bytes present, 0 to `sizeBytes`. */
  progress?: (bytes: number) => void;
  /** The delay before the second attempt, which is doubled for each further one. */
  initialWaitMs?: number;
}

const tries = 6;
const silenceMs = 60_000;

/** A failed attempt that can be retried. */
class Interrupted extends Error {}

/**
 * Fetches a file to `path`, through `path`.part. After an interrupted connection, this or a later call resumes the download. The file
 * gets its name only if its digest is correct; otherwise it is deleted.
 *
 * @throws ProblemError fetch_failed, bad_file if the content differs from the hub's list
 */
export async function download(file: Download, options: DownloadOptions = {}): Promise<void> {
  const part = `${file.path}.part`;
  for (let attempt = 1; ; attempt++) {
    try {
      await fetchRest(file, part, options);
      break;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof Interrupted)) throw error;
      if (attempt === tries)
        throw new ProblemError(
          'fetch_failed',
          `${file.url} could not be fetched in ${tries} tries: ${error.message}. What came is kept; run the command again to go on.`,
        );
      await pause((options.initialWaitMs ?? 1000) * 2 ** (attempt - 1), options.signal);
    }
  }
  const hex = await digestOf(part, startOf(file));
  if (hex !== file.digest.hex) {
    await rm(part, { force: true });
    throw new ProblemError(
      'bad_file',
      `${basename(file.path)} has the ${file.digest.kind} digest ${hex}, the hub says ${file.digest.hex}: it was thrown away. Run the command again; if it stays so, the hub or a proxy gives wrong content.`,
    );
  }
  await rename(part, file.path);
}

function startOf({ digest, sizeBytes }: Download): Hash {
  return digest.kind === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${sizeBytes}\0`);
}

async function fetchRest(file: Download, part: string, options: DownloadOptions): Promise<void> {
  const size = (await stat(part).catch(() => null))?.size ?? 0;
  // A part that is larger than the expected file is a remainder of another file.
  if (size > file.sizeBytes) await rm(part);
  const have = size > file.sizeBytes ? 0 : size;
  options.progress?.(have);
  if (have === file.sizeBytes && have > 0) return;
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const signal = AbortSignal.any([silence.signal, ...(options.signal ? [options.signal] : [])]);
    const headers: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {};
    const response = await fetch(file.url, {
      headers: { ...headers, 'accept-encoding': 'identity' },
      signal,
    });
    const from = startOfAnswer(response, have, file.url);
    const handle = await open(part, from === 0 ? 'w' : 'r+');
    try {
      let at = from;
      for await (const block of response.body ?? []) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), silenceMs);
        if (at + block.length > file.sizeBytes)
          throw new ProblemError(
            'bad_file',
            `${file.url} is larger than the hub says (${file.sizeBytes} bytes)`,
          );
        await handle.write(block, 0, block.length, at);
        at += block.length;
        options.progress?.(at);
      }
      if (at < file.sizeBytes)
        throw new Interrupted(`the connection ended at byte ${at} of ${file.sizeBytes}`);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof ProblemError || error instanceof Interrupted) throw error;
    throw new Interrupted(reasonOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the first byte of the response. */
function startOfAnswer(response: Response, have: number, url: string): number {
  const { status } = response;
  if (status === 206) {
    const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
    if (Number(start) === have) return have;
    throw new Interrupted('the server sent another range than was requested');
  }
  if (status === 200) return 0;
  if (status === 429 || status === 416 || status >= 500)
    throw new Interrupted(`the server answered ${status}`);
  throw new ProblemError('fetch_failed', `${url} answered ${status}`);
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
