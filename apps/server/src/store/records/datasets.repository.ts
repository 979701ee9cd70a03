import type { Insertable, Selectable } from 'kysely';
import { anywhere, type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import { namesArtifact } from '../postgres/fragments/artifacts.js';
import type { Queryable } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type DatasetRow = Selectable<Tables['dataset']>;
export type NewDataset = Omit<Insertable<Tables['dataset']>, 'created_at'>;

export interface DatasetFilter {
  nameLike?: string;
  embeddingConfigId?: string;
}

/** Lists datasets, newest first. `nameLike` is found anywhere in the name, in any case. */
export async function listDatasets(
  db: Queryable,
  filter: DatasetFilter,
  limit: number,
  after?: Cursor,
): Promise<Page<DatasetRow>> {
  const { nameLike, embeddingConfigId } = filter;
  const chosen = db
    .selectFrom('dataset')
    .selectAll()
    .$if(nameLike !== undefined, (query) => query.where('name', 'ilike', anywhere(nameLike as string)))
    .$if(embeddingConfigId !== undefined, (query) =>
      query.where('embedding_config_id', '=', embeddingConfigId as string),
    );
  return pageOf(db, chosen, { table: 'dataset' }, { limit, after });
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Finds a dataset by UUID, else by name. A dataset whose name is a UUID is found by its own id first. */
export async function findDataset(db: Queryable, idOrName: string): Promise<DatasetRow | undefined> {
  const byId = uuidPattern.test(idOrName)
    ? await db.selectFrom('dataset').selectAll().where('id', '=', idOrName.toLowerCase()).executeTakeFirst()
    : undefined;
  return byId ?? db.selectFrom('dataset').selectAll().where('name', '=', idOrName).executeTakeFirst();
}

export async function datasetOfJob(db: Queryable, jobId: string): Promise<DatasetRow | undefined> {
  return db.selectFrom('dataset').selectAll().where('job_id', '=', jobId).executeTakeFirst();
}

/** Returns null when the name is taken. */
export async function insertDataset(db: Queryable, row: NewDataset): Promise<DatasetRow | null> {
  const inserted = await db
    .insertInto('dataset')
    .values({ ...row, meta: JSON.stringify(row.meta ?? {}) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  return inserted ?? null;
}

export async function deleteDataset(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('dataset').where('id', '=', id).execute();
}

/** Returns true if a dataset names the file of this key. */
export async function isDatasetFile(db: Queryable, key: string): Promise<boolean> {
  const found = await db
    .selectFrom('dataset')
    .select('id')
    .where((row) =>
      row.or(['train_uri', 'eval_uri', 'manifest_uri'].map((column) => namesArtifact(column, key))),
    )
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
