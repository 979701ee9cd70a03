import { sql } from 'kysely';

/**
 * Whether the names of the set `d` were compared. Sets are made so since migration 104, which gave the rows of all older ones the value
 * false.
 */
export const namesWereCompared = sql<boolean>`
  d.created_at >= coalesce((select applied_at from schema_migration where version = 104), '-infinity')`;

/** Whether the query `q` of the set `d` is named like a reference protein of another sequence; null: nobody looked. */
export const isNamesake = sql<
  boolean | null
>`case when q.is_namesake or ${namesWereCompared} then q.is_namesake end`;
