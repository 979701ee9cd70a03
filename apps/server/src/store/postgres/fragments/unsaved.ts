import { sql } from 'kysely';

/**
 * Makes the condition of a row of `query_set` or `prediction_set` that was not to be kept: nobody could find
 * and delete it before the rows that it was made from.
 */
export const isUnsaved = (table: string) =>
  sql<boolean>`(not ${sql.ref(`${table}.listed`)} and ${sql.ref(`${table}.expires_at`)} is not null)`;
