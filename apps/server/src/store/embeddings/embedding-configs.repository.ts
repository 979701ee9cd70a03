import { type EmbeddingRecipe } from '@kindred/contracts';
import { type Selectable, sql } from 'kysely';
import { importedBackend } from '@kindred/contracts/resources/embedding-configs';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type EmbeddingConfigRow = Selectable<Tables['embedding_config']>;
/** The row of a configuration comes with the number of its vectors. */
export type CountedConfigRow = EmbeddingConfigRow & { embedding_count: number };

export interface NewEmbeddingConfig extends EmbeddingRecipe {
  dimension: number;
  display_name?: string | null;
  family?: string | null;
  param_count?: number | null;
  description?: string | null;
}

export async function insertEmbeddingConfig(
  db: Queryable,
  config: NewEmbeddingConfig,
): Promise<EmbeddingConfigRow> {
  return db.insertInto('embedding_config').values(config).returningAll().executeTakeFirstOrThrow();
}

/**
 * Finds the configuration with the same recipe, whatever its name and description. If several have it, the
 * oldest counts.
 */
export async function findEqualConfig(
  db: Queryable,
  { description: _, display_name: __, family: ___, param_count: ____, ...recipe }: NewEmbeddingConfig,
): Promise<CountedConfigRow | undefined> {
  const equal = Object.entries(recipe).map(
    ([name, value]) => sql<boolean>`${sql.ref(`embedding_config.${name}`)} is not distinct from ${value}`,
  );
  return counted(db)
    .where(sql<boolean>`(${sql.join(equal, sql` and `)})`)
    .orderBy('embedding_config.created_at')
    .orderBy('embedding_config.id')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Finds a configuration without counting its vectors: jobs ask for it once a batch, and a count takes longer
 * the more vectors there are.
 */
export async function findEmbeddingConfig(
  db: Queryable,
  id: string,
): Promise<EmbeddingConfigRow | undefined> {
  return db.selectFrom('embedding_config').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Locks the configuration before its deletion, so that no new prediction set can name it. */
export async function lockEmbeddingConfig(
  trx: Transaction,
  id: string,
): Promise<EmbeddingConfigRow | undefined> {
  return trx.selectFrom('embedding_config').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function findCountedConfig(db: Queryable, id: string): Promise<CountedConfigRow | undefined> {
  return counted(db).where('embedding_config.id', '=', id).executeTakeFirst();
}

/** Lists configurations, newest first. */
export async function listEmbeddingConfigs(
  db: Queryable,
  limit: number,
  after?: Cursor,
): Promise<Page<CountedConfigRow>> {
  const chosen = counted(db);
  return pageOf(db, chosen, { table: 'embedding_config' }, { limit, after });
}

// Each count is one index-only scan: configurations are few, and the primary key starts with their number.
function counted(db: Queryable) {
  return db
    .selectFrom('embedding_config')
    .selectAll('embedding_config')
    .select(
      sql<number>`(select count(*) from sequence_embedding e where e.embedding_config_number = embedding_config.number)`.as(
        'embedding_count',
      ),
    );
}

/**
 * Finds the configuration that covers most sequences; in a tie, the newest. /annotate uses it, so that new
 * queries can be embedded.
 */
export async function bestEmbeddingConfig(db: Queryable): Promise<CountedConfigRow | undefined> {
  return counted(db)
    .where('model_backend', '<>', importedBackend)
    .orderBy('embedding_count', 'desc')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * A statement deletes at most this many vectors. A trigger looks at the deleted rows, so the server keeps
 * them until the statement ends.
 */
const vectorsDeletedAtOnce = 20_000;

/** Deletes the configuration with its vectors and curves; prediction sets must be gone before. */
export async function deleteEmbeddingConfig(
  trx: Transaction,
  row: EmbeddingConfigRow,
): Promise<{ embeddings_deleted: number }> {
  const deleted = await deleteVectors(trx, row.number);
  await trx
    .deleteFrom('calibration_curve')
    .where(sql<boolean>`more_embedding_config_ids && ${[row.id]}::uuid[]`)
    .execute();
  await trx.deleteFrom('embedding_config').where('number', '=', row.number).execute();
  return { embeddings_deleted: deleted };
}

async function deleteVectors(trx: Transaction, configNumber: number): Promise<number> {
  for (let deleted = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from sequence_embedding where ctid = any(array(
        select ctid from sequence_embedding where embedding_config_number = ${configNumber} limit ${vectorsDeletedAtOnce}))`.execute(
      trx,
    );
    if (numAffectedRows === 0n) return deleted;
    deleted += Number(numAffectedRows);
  }
}
