import { type RawBuilder, sql } from 'kysely';

/** Position in a list that is ordered newest first: rows strictly older follow. `id` is null for a bare timestamp. */
export interface Cursor {
  createdAt: string;
  id: string | null;
}

/** Condition for the rows after the cursor in a list that is ordered oldest first. */
export function newerThan(table: string, after: Cursor, timeColumn = 'created_at'): RawBuilder<boolean> {
  const time = sql.ref(`${table}.${timeColumn}`);
  if (after.id === null) return sql<boolean>`${time} > ${after.createdAt}::timestamptz`;
  return sql<boolean>`(${time}, ${sql.ref(`${table}.id`)}) > (${after.createdAt}::timestamptz, ${after.id})`;
}

/** Condition for the rows after the cursor. With an id, rows of the same microsecond are neither lost nor doubled. */
export function olderThan(table: string, after: Cursor, timeColumn = 'created_at'): RawBuilder<boolean> {
  const time = sql.ref(`${table}.${timeColumn}`);
  if (after.id === null) return sql<boolean>`${time} < ${after.createdAt}::timestamptz`;
  return sql<boolean>`(${time}, ${sql.ref(`${table}.id`)}) < (${after.createdAt}::timestamptz, ${after.id})`;
}
