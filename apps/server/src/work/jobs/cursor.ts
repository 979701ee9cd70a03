import { ProblemError } from '@kindred/contracts';
import type { Cursor } from '../../store/postgres/cursor.js';

const timestampPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})$/;

/** `2026-11-21T10:00:00.000001Z`, or the same with `_<id>`, as `Link` headers carry it. */
export function parseCursor(text: string, idPattern: RegExp = /^[0-9a-f-]{36}$/): Cursor {
  const cut = text.indexOf('_');
  const createdAt = cut < 0 ? text : text.slice(0, cut);
  const id = cut < 0 ? null : text.slice(cut + 1);
  if (
    !timestampPattern.test(createdAt) ||
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

/** Cursor of a row for the next page: exact also when two rows share a microsecond. */
export function formatCursor(row: { id: string | number; created_at?: string; ts?: string }): string {
  return `${row.created_at ?? row.ts}_${row.id}`;
}
