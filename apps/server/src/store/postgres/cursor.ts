import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Queryable } from './connection.js';

/**
 * A cursor is a position in a list that is ordered newest first: rows strictly older follow. `id` is null for
 * a bare timestamp.
 */
export interface Cursor {
  createdAt: string;
  id: string | null;
}

/** Makes the condition for the rows after the cursor in a list that is ordered oldest first. */
function newerThan(table: string, after: Cursor, timeColumn = 'created_at'): RawBuilder<boolean> {
  const time = sql.ref(`${table}.${timeColumn}`);
  if (after.id === null) return sql<boolean>`${time} > ${after.createdAt}::timestamptz`;
  return sql<boolean>`(${time}, ${sql.ref(`${table}.id`)}) > (${after.createdAt}::timestamptz, ${after.id})`;
}

/**
 * Makes the condition for the rows after the cursor. With an id, rows of the same microsecond are neither
 * lost nor repeated.
 */
function olderThan(table: string, after: Cursor, timeColumn = 'created_at'): RawBuilder<boolean> {
  const time = sql.ref(`${table}.${timeColumn}`);
  if (after.id === null) return sql<boolean>`${time} < ${after.createdAt}::timestamptz`;
  return sql<boolean>`(${time}, ${sql.ref(`${table}.id`)}) < (${after.createdAt}::timestamptz, ${after.id})`;
}

export interface Page<Row> {
  rows: Row[];
  total: number;
  /** If false, the list has more rows than `total`, where counting stops. */
  totalIsExact: boolean;
}

/** Counting stops here, so that its cost does not grow with the list. */
const countedRows = 10_000;

/**
 * Reads a page of a list in the order of `time` and id: newest first, or oldest first.
 * @param chosen the whole list, not ordered
 */
export async function pageOf<DB, TB extends keyof DB, Row>(
  db: Queryable,
  chosen: SelectQueryBuilder<DB, TB, Row>,
  { table, time = 'created_at', order = 'desc' }: { table: string; time?: string; order?: 'asc' | 'desc' },
  { limit, after }: { limit: number; after?: Cursor },
): Promise<Page<Row>> {
  const beyond = order === 'desc' ? olderThan : newerThan;
  const rows = (await chosen
    .$if(after !== undefined, (query) => query.where(beyond(table, after as Cursor, time)))
    .orderBy(sql.ref(`${table}.${time}`), order)
    .orderBy(sql.ref(`${table}.id`), order)
    .limit(limit)
    .execute()) as Row[];
  if (after === undefined && rows.length < limit) return { rows, total: rows.length, totalIsExact: true };
  const counted = chosen
    .clearSelect()
    .select(sql<number>`1`.as('one'))
    .limit(countedRows + 1);
  const { found } = await db
    .selectFrom(counted.as('counted'))
    .select(sql<number>`count(*)`.as('found'))
    .executeTakeFirstOrThrow();
  return { rows, total: Math.min(found, countedRows), totalIsExact: found <= countedRows };
}

/**
 * Makes a pattern for `like` and `ilike`, for lists that are searched. It fits texts that contain the given
 * one, whatever signs it has.
 */
export function anywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}%`;
}
