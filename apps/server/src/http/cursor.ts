import { ProblemError } from '@kindred/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Cursor, Page } from '../store/postgres/cursor.js';

const timestampPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})$/;
const idPatterns = { uuid: /^[0-9a-f-]{36}$/, number: /^\d{1,18}$/ };

/**
 * Reads `after` in both forms.
 * @throws ProblemError validation_failed
 */
export function readAfter(
  text: string | undefined,
  ids: keyof typeof idPatterns = 'uuid',
): Cursor | undefined {
  if (text === undefined) return undefined;
  // The '+' of an offset that was not percent-encoded arrives as a space.
  const repaired = text.replace(/ (?=\d{2}:\d{2}(_|$))/, '+');
  return parseCursor(repaired, idPatterns[ids]);
}

/**
 * A cursor is `2026-11-21T10:00:00.000001Z`, or a time with `_<id>` at its end, as `Link` headers carry it.
 */
function parseCursor(text: string, idPattern: RegExp): Cursor {
  const cut = text.indexOf('_');
  const createdAt = cut < 0 ? text : text.slice(0, cut);
  const id = cut < 0 ? null : text.slice(cut + 1);
  if (
    !timestampPattern.test(createdAt) ||
    !isDay(createdAt.slice(0, 10)) ||
    Number.isNaN(Date.parse(createdAt)) ||
    (id !== null && !idPattern.test(id))
  ) {
    throw new ProblemError('validation_failed', 'The cursor does not come from a list of this service.', {
      errors: [
        {
          path: '/after',
          message:
            'expected the created_at of the last row (ISO 8601 with a zone) or the cursor of the Link header',
          code: 'bad_cursor',
        },
      ],
    });
  }
  return { createdAt, id };
}

/**
 * Returns true if the calendar has the day. `Date.parse` takes 30 February for 2 March, but the database
 * refuses it.
 */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Sets `X-Total-Count`, and `X-Total-Is-Exact: false` if counting stopped early. */
export function sayTotal(reply: FastifyReply, { total, totalIsExact }: Omit<Page<unknown>, 'rows'>): void {
  reply.header('x-total-count', total);
  if (!totalIsExact) reply.header('x-total-is-exact', 'false');
}

/** Sets the total and, when the page is full, `Link: <...>; rel="next"` with the last row's time and id. */
export function linkNext<Time extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: {
    limit: number;
    page: Page<{ [Name in Time]: string } & { id: string | number }>;
    time: Time;
    /** The parameter of this name takes the cursor. */
    by?: 'after' | 'before';
  },
): void {
  const { limit, page, time, by = 'after' } = list;
  sayTotal(reply, page);
  const last = page.rows.at(-1);
  if (last === undefined || page.rows.length < limit) return;
  const url = new URL(request.url, 'http://here');
  // The id makes the cursor exact even if two rows share a microsecond.
  url.searchParams.set(by, `${last[time]}_${last.id}`);
  addLink(reply, `<${request.server.basePath}${url.pathname}${url.search}>; rel="next"`);
}

export function linkNextOffset(
  request: FastifyRequest,
  reply: FastifyReply,
  page: { offset: number; limit: number; total: number },
): void {
  const next = page.offset + page.limit;
  if (next >= page.total) return;
  const url = new URL(request.url, 'http://here');
  url.searchParams.set('offset', String(next));
  addLink(reply, `<${request.server.basePath}${url.pathname}${url.search}>; rel="next"`);
}

export function addLink(reply: FastifyReply, link: string): void {
  const present = reply.getHeader('link');
  reply.header('link', present === undefined ? link : `${String(present)}, ${link}`);
}
