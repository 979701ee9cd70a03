import { type RawBuilder, sql } from 'kysely';

/** The reader of a list. */
export interface Reader {
  /** Operators and administrators: every row. */
  seesAll: boolean;
  /** Id of the account; null: no account. */
  userId: string | null;
}

/** Condition for the rows of a list that the reader may find: what everyone may, and the reader's own. */
export function visibleTo(table: string, { seesAll, userId }: Reader): RawBuilder<boolean> {
  if (seesAll) return sql<boolean>`true`;
  const visibility = sql.ref(`${table}.visibility`);
  if (userId === null) return sql<boolean>`${visibility} = 'listed'`;
  return sql<boolean>`(${visibility} = 'listed' or ${sql.ref(`${table}.owner_user_id`)} = ${userId})`;
}
