import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatCursor, parseCursor } from '../jobs/cursor.js';
import type { Cursor } from '../store/postgres/cursor.js';

/** Reads `after` in both forms. @throws ProblemError validation_failed */
export function readAfter(text: string | undefined, ids: 'uuid' | 'number' = 'uuid'): Cursor | undefined {
  if (text === undefined) return undefined;
  // The '+' of an offset that was not percent-encoded arrives as a space.
  const repaired = text.replace(/ (?=\d{2}:\d{2}(_|$))/, '+');
  return parseCursor(repaired, ids === 'uuid' ? undefined : /^\d{1,18}$/);
}

/** `Link: <...>; rel="next"` when the page is full: the last row's time and id. */
export function linkNext(
  request: FastifyRequest,
  reply: FastifyReply,
  page: { limit: number; rows: readonly { time: string; id: string | number }[] },
): void {
  const last = page.rows.at(-1);
  if (last === undefined || page.rows.length < page.limit) return;
  const url = new URL(request.url, 'http://here');
  url.searchParams.set('after', formatCursor({ id: last.id, created_at: last.time }));
  addLink(reply, `<${url.pathname}${url.search}>; rel="next"`);
}

/** Next page of a list with an offset. */
export function linkNextOffset(
  request: FastifyRequest,
  reply: FastifyReply,
  page: { offset: number; limit: number; total: number },
): void {
  const next = page.offset + page.limit;
  if (next >= page.total) return;
  const url = new URL(request.url, 'http://here');
  url.searchParams.set('offset', String(next));
  addLink(reply, `<${url.pathname}${url.search}>; rel="next"`);
}

export function addLink(reply: FastifyReply, link: string): void {
  const present = reply.getHeader('link');
  reply.header('link', present === undefined ? link : `${String(present)}, ${link}`);
}
