import { noAnswer, problemOf } from './problem.js';

type Query = Record<string, string | number | boolean | undefined>;

/** An address below /v1; a query value of undefined is left out. */
export function apiPath(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return `/v1${path}${text === '' ? '' : `?${text}`}`;
}

/** @throws Problem for every answer that is not OK, and when there is none */
async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    const accept = { accept: 'application/json' };
    response = await fetch(path, {
      ...init,
      credentials: 'same-origin',
      headers: { ...accept, ...init.headers },
    });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw noAnswer();
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

export async function getJson<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return (await send(apiPath(path, query), { signal })).json() as Promise<T>;
}

export interface Page<T> {
  rows: T[];
  /** Cursor of the next page, from the Link header; null at the end. */
  next: string | null;
}

/** A list with a cursor. */
export async function getPage<T>(path: string, query: Query, signal?: AbortSignal): Promise<Page<T>> {
  const response = await send(apiPath(path, query), { signal });
  return { rows: (await response.json()) as T[], next: nextCursor(response.headers.get('link')) };
}

/** The `after` parameter of the link with rel="next"; null when there is none. */
export function nextCursor(link: string | null): string | null {
  const match = /<([^>]*)>;\s*rel="next"/.exec(link ?? '');
  if (match === null) return null;
  return new URL(match[1], 'http://here').searchParams.get('after');
}

/** Sends JSON, or a form as it is. Resolves to undefined for an answer without a body. */
export async function post<T>(
  path: string,
  body?: FormData | object,
  options: { query?: Query; headers?: Record<string, string> } = {},
): Promise<T> {
  const isForm = body instanceof FormData;
  const type: Record<string, string> =
    isForm || body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await send(apiPath(path, options.query), {
    method: 'POST',
    headers: { ...type, ...options.headers },
    body: isForm ? body : body === undefined ? undefined : JSON.stringify(body),
  });
  return (response.status === 204 ? undefined : await response.json()) as T;
}

export async function remove(path: string): Promise<void> {
  await send(apiPath(path), { method: 'DELETE' });
}

/** A value for Idempotency-Key; works on plain http too, where crypto.randomUUID is missing. */
export function submissionKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
