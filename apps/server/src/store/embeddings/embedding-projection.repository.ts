import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type EmbeddingProjectionRow = Selectable<Tables['embedding_projection']>;

export async function findProjection(
  db: Queryable,
  configNumber: number,
): Promise<EmbeddingProjectionRow | undefined> {
  return db
    .selectFrom('embedding_projection')
    .selectAll()
    .where('embedding_config_number', '=', configNumber)
    .executeTakeFirst();
}

/** Stores the projection unless another one is stored, and returns the stored one. */
export async function keepProjection(
  db: Queryable,
  row: Omit<EmbeddingProjectionRow, 'created_at'>,
): Promise<EmbeddingProjectionRow> {
  await db
    .insertInto('embedding_projection')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return db
    .selectFrom('embedding_projection')
    .selectAll()
    .where('embedding_config_number', '=', row.embedding_config_number)
    .executeTakeFirstOrThrow();
}

/**
 * Chooses up to `limit` sequences of proteins that have a vector in the configuration. The lowest MD5s count,
 * so that the sample does not depend on the order of loading. The query passes once over the keys of the
 * vectors.
 */
export async function sampledSequences(
  db: Queryable,
  configNumber: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.id from sequence s
    where exists (select from protein p where p.sequence_id = s.id)
      and exists (select from sequence_embedding e where e.embedding_config_number = ${configNumber} and e.sequence_id = s.id)
    order by s.sequence_md5 limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}
