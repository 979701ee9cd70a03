import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError, type SourceStream } from '@kindred/contracts';
import { pauseMs, type RetryRule, retryPolicy } from '../retry-policy.js';
import type { AddressCheck, OpenOptions, SourceOpener } from './source-opener.js';
import { FetchGuard, type ResolveAll } from './fetch-guard.js';
import { type FetchedBody, fetchOnce, TransientError } from './http-fetch.js';
import { checkImportFile, openImportFile } from './import-folder.js';
import { defaultLimits, unpack, type UnpackLimits } from './unpack.js';

export interface OpenerSettings {
  /** file:// may read from these folders (SVC_IMPORT_DIR, and the example data at the first start). */
  importDirs: readonly string[];
  /** SVC_FETCH_ALLOWED_HOSTS lists these hosts; null means the built-in list of public sources. */
  allowedHosts: readonly string[] | null;
  limits?: Partial<UnpackLimits>;
  /** A request is retried in this way. The default is in retry-policy.ts. */
  retry?: RequestRetry;
  /** A request may be idle for this many milliseconds. The default is 60,000. */
  timeoutMs?: number;
  userAgent?: string;
  resolve?: ResolveAll;
  /**
   * Opens a file that was sent to the service (upload:<sha256>); without this function, such files are
   * refused.
   */
  sentFile?: (sha256: string) => Promise<SentFile | null>;
}

export interface SentFile {
  sizeBytes: number;
  bytes: AsyncIterable<Uint8Array>;
}

/** A random delay of at most half the first pause is added to each pause. */
export type RequestRetry = Pick<RetryRule, 'retries' | 'pause'>;

export const noRetry: RequestRetry = { ...retryPolicy.sourceRequest, retries: 0 };

/** The scheme names files that were sent to the service, by their SHA-256. */
const sentScheme = 'upload:';

export function createSourceOpener(settings: OpenerSettings): SourceOpener & AddressCheck {
  const limits = { ...defaultLimits, ...settings.limits };
  const retry = settings.retry ?? retryPolicy.sourceRequest;
  const guard = new FetchGuard(settings.allowedHosts, settings.resolve);

  async function open(text: string, options: OpenOptions): Promise<SourceStream> {
    const url = parseAddress(text);
    if (url.protocol === sentScheme) {
      const file = await openSent(url, settings);
      return { headers: {}, sizeBytes: file.sizeBytes, bytes: unpack(file.bytes, limits, text) };
    }
    if (url.protocol === 'file:') {
      const file = await openImportFile(url, settings.importDirs);
      return { headers: {}, sizeBytes: file.sizeBytes, bytes: unpack(file.bytes, limits, url.pathname) };
    }
    const headers = {
      'user-agent': settings.userAgent ?? 'kindred',
      'accept-encoding': 'gzip',
      ...options.headers,
    };
    const request = {
      guard,
      headers,
      timeoutMs: options.timeoutMs ?? settings.timeoutMs ?? 60_000,
      signal: options.signal,
      ...(options.form && {
        post: {
          contentType: 'application/x-www-form-urlencoded',
          body: new URLSearchParams(options.form).toString(),
        },
      }),
    };
    const attempts = options.form === undefined ? retry : noRetry;
    const body = await withRetries(attempts, options, () => fetchOnce(url, request));
    if (body.notModified || options.packed === true) return body;
    return { ...body, bytes: unpack(body.bytes, limits, url.host + url.pathname) };
  }

  async function check(text: string): Promise<void> {
    const url = parseAddress(text);
    if (url.protocol === sentScheme) await openSent(url, settings);
    else if (url.protocol === 'file:') await checkImportFile(url, settings.importDirs);
    else guard.check(url);
  }
  return { open, check };
}

/** @throws ProblemError address_refused, fetch_failed */
async function openSent(url: URL, { sentFile }: OpenerSettings): Promise<SentFile> {
  const sha256 = url.pathname;
  if (sentFile === undefined || !/^[0-9a-f]{64}$/.test(sha256))
    throw new ProblemError('address_refused', `${url.href} is not a file that was sent to this service.`);
  const file = await sentFile(sha256);
  if (file !== null) return file;
  throw new ProblemError(
    'fetch_failed',
    `The file with SHA-256 ${sha256} was not sent, or its week is over: send it again.`,
  );
}

function parseAddress(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new ProblemError(
      'address_refused',
      `${JSON.stringify(text.slice(0, 200))} must be a file:///..., http://... or https://... URL`,
    );
  }
}

async function withRetries(
  { retries, pause }: RequestRetry,
  options: OpenOptions,
  attempt: () => Promise<FetchedBody>,
): Promise<FetchedBody> {
  for (let n = 1; ; n++) {
    options.signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      if (n > retries) {
        throw new ProblemError('fetch_failed', `${error.message}; given up after ${n} attempts.`, {
          cause: error,
        });
      }
      const asked = error.retryAfterMs ?? pauseMs(pause, n - 1);
      const waitMs = Math.min(asked, 1000 * pause.longestSeconds) + (Math.random() * pauseMs(pause, 0)) / 2;
      await options.onRetry?.({ attempt: n, waitMs: Math.round(waitMs), reason: error.message });
      await sleep(waitMs, undefined, { signal: options.signal });
    }
  }
}
