import { type RawBuilder, sql } from 'kysely';

export interface Reader {
  /** If true, the reader is an operator or administrator, and sees every row. */
  seesAll: boolean;
  /** The account has this id; null means no account. */
  userId: string | null;
}

/**
 * Makes the condition for the rows of a list that the reader may find: rows for everyone, and the reader's
 * own.
 */
export function visibleTo(table: string, { seesAll, userId }: Reader): RawBuilder<boolean> {
  if (seesAll) return sql<boolean>`true`;
  const visibility = sql.ref(`${table}.visibility`);
  if (userId === null) return sql<boolean>`${visibility} = 'listed'`;
  return sql<boolean>`(${visibility} = 'listed' or ${sql.ref(`${table}.owner_user_id`)} = ${userId})`;
}
