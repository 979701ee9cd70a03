import { Client, type ReplyCheck } from '@kindred/client';

/** In development every reply is validated; the bundle holds no schema. */
const check: ReplyCheck | undefined = import.meta.env.DEV
  ? async (reply, body) => (await import('@kindred/client/check')).checkReply(reply, body)
  : undefined;

export const api = new Client({ credentials: 'same-origin', check });

/** A value for Idempotency-Key; works on plain http too, where crypto.randomUUID is missing. */
export function submissionKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
