import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type SupportEntryRow = Selectable<Tables['support_entry']>;

/** @returns the new entry, and the number of entries with it */
export async function addSupportEntry(
  db: Queryable,
  comment: string | null,
): Promise<{ entry: SupportEntryRow; count: number }> {
  const entry = await db
    .insertInto('support_entry')
    .values({ comment })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { entry, count: await countSupportEntries(db) };
}

export async function countSupportEntries(db: Queryable): Promise<number> {
  const { count } = await db
    .selectFrom('support_entry')
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Lists entries with words, newest first. */
export async function newestComments(db: Queryable, limit: number): Promise<SupportEntryRow[]> {
  return db
    .selectFrom('support_entry')
    .selectAll()
    .where('comment', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
