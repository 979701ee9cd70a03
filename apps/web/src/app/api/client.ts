import { Client, hasStatus, type Page, type ReplyCheck } from '@kindred/client';
import { place } from './place.js';

/** In development every reply is validated. The bundle holds no schema. */
const check: ReplyCheck | undefined = import.meta.env.DEV
  ? async (reply, body) => (await import('@kindred/client/check')).checkReply(reply, body)
  : undefined;

export const api = new Client({ baseUrl: place.service, credentials: 'same-origin', check });

/**
 * Returns the rows of a list. A list that the service refuses without a credential is empty for this visitor, and the console says why.
 */
export async function rowsOrNone<Row>(list: Promise<Row[]>): Promise<Row[]> {
  return list.catch((error: unknown) => {
    warnOrThrow(error);
    return [];
  });
}
export async function pageOrNone<Row>(page: Promise<Page<Row>>): Promise<Page<Row>> {
  return page.catch((error: unknown) => {
    warnOrThrow(error);
    return { rows: [], next: null };
  });
}
function warnOrThrow(error: unknown): void {
  if (!hasStatus(error, 401) && !hasStatus(error, 403)) throw error;
  // oxlint-disable-next-line no-console -- the interface asks for a warning, as an empty list alone says nothing
  console.warn(`An empty list is shown, as the service refused to give it: ${(error as Error).message}`);
}

/** Makes a value for Idempotency-Key. It works on plain http, too, where crypto.randomUUID is missing. */
export function submissionKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
