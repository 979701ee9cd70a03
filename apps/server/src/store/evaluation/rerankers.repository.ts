import { type Insertable, type Selectable, sql } from 'kysely';
import { namesArtifact } from '../postgres/fragments/artifacts.js';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type RerankerRow = Selectable<Tables['reranker_model']>;
/** The row comes without its long texts. */
export type ListedRerankerRow = Omit<RerankerRow, 'model_data' | 'spec_yaml' | 'run_json'>;
export type NewReranker = Omit<Insertable<Tables['reranker_model']>, 'id' | 'created_at'>;

const listed = [
  'id',
  'name',
  'run_id',
  'artifact_uri',
  'model_sha256',
  'model_bytes',
  'objective',
  'tree_count',
  'feature_names',
  'feature_schema_sha',
  'schema_sha_v2',
  'category_values',
  'category',
  'aspect',
  'embedding_config_id',
  'ontology_snapshot_id',
  'dataset_id',
  'producer_version',
  'producer_git_sha',
  'external_source',
  'metrics',
  'feature_importance',
  'created_at',
] as const satisfies readonly (keyof Tables['reranker_model'])[];

/** Lists re-rankers, newest first. */
export async function listRerankers(
  db: Queryable,
  limit: number,
  after?: Cursor,
): Promise<Page<ListedRerankerRow>> {
  const chosen = db.selectFrom('reranker_model').select(listed);
  return pageOf(db, chosen, { table: 'reranker_model' }, { limit, after });
}

export async function findReranker(db: Queryable, id: string): Promise<RerankerRow | undefined> {
  return db.selectFrom('reranker_model').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findRerankerByName(db: Queryable, name: string): Promise<RerankerRow | undefined> {
  return db.selectFrom('reranker_model').selectAll().where('name', '=', name).executeTakeFirst();
}

/** Lists re-rankers that were trained on these vectors and this ontology, by name. */
export async function rerankersOfReference(
  db: Queryable,
  { snapshotId, configIds }: { snapshotId: string; configIds: readonly string[] },
): Promise<RerankerRow[]> {
  return db
    .selectFrom('reranker_model')
    .selectAll()
    .where('ontology_snapshot_id', '=', snapshotId)
    .where('embedding_config_id', 'in', configIds)
    .orderBy(sql`name collate "C"`)
    .limit(100)
    .execute();
}

/** Lists at most five rows whose booster has this key. */
export async function rerankersAt(
  db: Queryable,
  key: string,
): Promise<Pick<RerankerRow, 'id' | 'name' | 'model_sha256'>[]> {
  return db
    .selectFrom('reranker_model')
    .select(['id', 'name', 'model_sha256'])
    .where(namesArtifact('artifact_uri', key))
    .limit(5)
    .execute();
}

/** Returns null when the name is taken. Links to rows that are missing in this database stay null. */
export async function insertReranker(trx: Transaction, row: NewReranker): Promise<RerankerRow | null> {
  const inserted = await trx
    .insertInto('reranker_model')
    .values({
      ...row,
      embedding_config_id: present('embedding_config', row.embedding_config_id),
      ontology_snapshot_id: present('ontology_snapshot', row.ontology_snapshot_id),
      dataset_id: present('dataset', row.dataset_id),
      category_values: JSON.stringify(row.category_values),
      run_json: JSON.stringify(row.run_json),
      metrics: JSON.stringify(row.metrics),
      feature_importance: JSON.stringify(row.feature_importance),
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  return inserted ?? null;
}

function present(table: string, id: string | null | undefined) {
  return sql<string | null>`(select id from ${sql.table(table)} where id = ${id ?? null}::uuid)`;
}

export async function deleteReranker(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('reranker_model').where('id', '=', id).execute();
}
