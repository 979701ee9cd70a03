import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatCursor, parseCursor } from '../work/jobs/cursor.js';
import type { Cursor, Page } from '../store/postgres/cursor.js';

/** Reads `after` in both forms. @throws ProblemError validation_failed */
export function readAfter(text: string | undefined, ids: 'uuid' | 'number' = 'uuid'): Cursor | undefined {
  if (text === undefined) return undefined;
  // The '+' of an offset that was not percent-encoded arrives as a space.
  const repaired = text.replace(/ (?=\d{2}:\d{2}(_|$))/, '+');
  return parseCursor(repaired, ids === 'uuid' ? undefined : /^\d{1,18}$/);
}

/** `X-Total-Count`, with `X-Total-Is-Exact: false` where counting stopped. */
export function sayTotal(reply: FastifyReply, { total, totalIsExact }: Omit<Page<unknown>, 'rows'>): void {
  reply.header('x-total-count', total);
  if (!totalIsExact) reply.header('x-total-is-exact', 'false');
}

/** The total, and `Link: <...>; rel="next"` when the page is full: the last row's time and id. */
export function linkNext<Time extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: {
    limit: number;
    page: Page<{ [Name in Time]: string } & { id: string | number }>;
    time: Time;
    /** The parameter that takes the cursor. */
    by?: 'after' | 'before';
  },
): void {
  const { limit, page, time, by = 'after' } = list;
  sayTotal(reply, page);
  const last = page.rows.at(-1);
  if (last === undefined || page.rows.length < limit) return;
  const url = new URL(request.url, 'http://here');
  url.searchParams.set(by, formatCursor({ id: last.id, created_at: last[time] }));
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
