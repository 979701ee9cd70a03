import type { Queryable } from '../postgres/connection.js';

/** Returns true if nothing was ever loaded: no ontology, no protein, no embedding configuration. */
export async function nothingLoaded(db: Queryable): Promise<boolean> {
  const rows = await Promise.all([
    db.selectFrom('ontology_snapshot').select('id').limit(1).executeTakeFirst(),
    db.selectFrom('protein').select('id').limit(1).executeTakeFirst(),
    db.selectFrom('embedding_config').select('id').limit(1).executeTakeFirst(),
  ]);
  return rows.every((row) => row === undefined);
}
