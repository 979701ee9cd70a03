import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { ProblemError } from '@kindred/contracts';
import type { FetchGuard } from './fetch-guard.js';

const maxRedirects = 5;
const retryStatuses = new Set([408, 429, 500, 502, 503, 504]);

/** The request failed before the first byte, and a retry may help. */
export class TransientError extends Error {
  /** Retry-After asks for this wait in milliseconds; null if the response has no such header. */
  readonly retryAfterMs: number | null;
  constructor(message: string, retryAfterMs: number | null, cause?: unknown) {
    super(message, { cause });
    this.name = 'TransientError';
    this.retryAfterMs = retryAfterMs;
  }
}

export interface FetchRequest {
  guard: FetchGuard;
  headers: Record<string, string>;
  /**
   * The timeout counts idle time: until the response starts, and between its chunks while the reader waits
   * for them.
   */
  timeoutMs: number;
  signal?: AbortSignal;
  /** A request with these fields is a POST, and its redirects are refused. */
  post?: { contentType: string; body: string };
}

export interface FetchedBody {
  headers: Record<string, string>;
  sizeBytes: number | null;
  bytes: AsyncIterable<Uint8Array>;
  notModified?: boolean;
}

/**
 * Makes one attempt and follows redirects, each checked by the guard. The promise resolves with the first
 * bytes of a 200 response.
 * @throws TransientError, ProblemError address_refused, fetch_failed
 */
export async function fetchOnce(start: URL, request: FetchRequest): Promise<FetchedBody> {
  let url = start;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await requestOnce(url, request);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return firstBytes(url, response, request);
    response.destroy();
    if (status === 304 && isConditional(request))
      return { headers: plainHeaders(response), sizeBytes: 0, bytes: nothing(), notModified: true };
    if (
      status < 300 ||
      status >= 400 ||
      response.headers.location === undefined ||
      request.post !== undefined
    )
      throw refusal(url, response);
    const next = new URL(response.headers.location, url);
    if (url.protocol === 'https:' && next.protocol !== 'https:') {
      throw new ProblemError(
        'address_refused',
        `${url.host} leads from https to ${next.protocol}//${next.host}.`,
      );
    }
    url = next;
  }
  throw new ProblemError('fetch_failed', `${start.host} leads on more than ${maxRedirects} times.`);
}

const isConditional = ({ headers }: FetchRequest) =>
  headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;

async function* nothing(): AsyncGenerator<Uint8Array> {}

function refusal(url: URL, response: IncomingMessage): Error {
  const status = response.statusCode ?? 0;
  const text = `${nameOf(url)} answered ${status} ${response.statusMessage ?? ''}`.trim();
  if (retryStatuses.has(status))
    return new TransientError(text, retryAfterMs(response.headers['retry-after']));
  return new ProblemError('fetch_failed', `${text}.`);
}

/** @internal The header holds seconds or an HTTP date. */
export function retryAfterMs(text: string | undefined, nowMs = Date.now()): number | null {
  if (text === undefined) return null;
  if (/^\s*\d+\s*$/.test(text)) return 1000 * Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

function requestOnce(url: URL, request: FetchRequest): Promise<IncomingMessage> {
  const lookup = request.guard.lookupFor(url);
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      clearTimeout(timer);
      if (request.signal?.aborted) reject(request.signal.reason);
      else if (error instanceof ProblemError) reject(error);
      else reject(new TransientError(`${url.host}: ${reasonOf(error)}`, null, error));
    };
    const client = url.protocol === 'https:' ? https : http;
    const { post } = request;
    const headers = {
      ...request.headers,
      ...(post && { 'content-type': post.contentType, 'content-length': Buffer.byteLength(post.body) }),
    };
    const method = post === undefined ? 'GET' : 'POST';
    const options = { method, lookup, headers, signal: request.signal, agent: false as const };
    const call = client.request(url, options, (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    const timer = setTimeout(() => call.destroy(silence(request.timeoutMs)), request.timeoutMs);
    call.on('error', fail);
    call.end(post?.body);
  });
}

/**
 * Sends one POST and gives its status. Neither redirects nor the answer's body are read.
 * @throws TransientError, ProblemError address_refused
 */
export async function postOnce(
  url: URL,
  request: FetchRequest & Required<Pick<FetchRequest, 'post'>>,
): Promise<number> {
  const response = await requestOnce(url, request);
  response.destroy();
  return response.statusCode ?? 0;
}

function silence(timeoutMs: number): Error {
  return new Error(`no answer for ${timeoutMs / 1000} s`);
}

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}

async function firstBytes(url: URL, response: IncomingMessage, request: FetchRequest): Promise<FetchedBody> {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && !/^(x-)?gzip$/i.test(encoding)) {
    response.destroy();
    throw new ProblemError(
      'fetch_failed',
      `${nameOf(url)} answered in the encoding ${encoding}, which was not requested.`,
    );
  }
  const length = response.headers['content-length'];
  const sizeBytes = length === undefined ? null : Number(length);
  const body = bodyOf(response, sizeBytes, request);
  let first: IteratorResult<Uint8Array>;
  try {
    first = await body.next();
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new TransientError(`${url.host}: ${reasonOf(error)}`, null, error);
  }
  return { headers: plainHeaders(response), sizeBytes, bytes: withFirst(url, first, body, request.signal) };
}

async function* withFirst(
  url: URL,
  first: IteratorResult<Uint8Array>,
  body: AsyncGenerator<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    if (first.done) return;
    yield first.value;
    yield* body;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new ProblemError('fetch_failed', `${nameOf(url)} broke off: ${reasonOf(error)}.`, { cause: error });
  } finally {
    await body.return(undefined);
  }
}

/**
 * Throws if the connection is cut, if it is idle for too long while the reader waits, or if the body differs
 * from the announced length.
 */
async function* bodyOf(
  response: IncomingMessage,
  sizeBytes: number | null,
  request: FetchRequest,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(() => response.destroy(silence(request.timeoutMs)), request.timeoutMs);
  };
  try {
    wait();
    for await (const chunk of response as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      received += chunk.length;
      yield chunk;
      wait();
    }
    if (!response.complete || (sizeBytes !== null && received !== sizeBytes)) {
      throw new Error(`${received} of ${sizeBytes ?? 'unknown'} bytes came`);
    }
  } finally {
    clearTimeout(timer);
    response.destroy();
  }
}

function plainHeaders(response: IncomingMessage): Record<string, string> {
  const entries = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return Object.fromEntries(entries);
}

/** Gives the address for messages, without the query, which may be long or hold a key. */
export function nameOf(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
