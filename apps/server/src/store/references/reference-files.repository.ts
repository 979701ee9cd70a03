import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type ReferenceFileRow = Selectable<Tables['reference_file']>;

export async function findReferenceFile(
  db: Queryable,
  sha256: string,
): Promise<ReferenceFileRow | undefined> {
  return db.selectFrom('reference_file').selectAll().where('sha256', '=', sha256).executeTakeFirst();
}

/** Keeps the first of two equal files; false means that this one is not needed. */
export async function addReferenceFile(
  db: Queryable,
  file: { sha256: string; size_bytes: number; uri: string },
): Promise<boolean> {
  const row = await db
    .insertInto('reference_file')
    .values(file)
    .onConflict((conflict) => conflict.doNothing())
    .returning('sha256')
    .executeTakeFirst();
  return row !== undefined;
}

export async function forgetReferenceFile(db: Queryable, sha256: string): Promise<void> {
  await db.deleteFrom('reference_file').where('sha256', '=', sha256).execute();
}

/** Lists files that no build took in a week. */
export async function abandonedReferenceFiles(db: Queryable, limit: number): Promise<ReferenceFileRow[]> {
  return db
    .selectFrom('reference_file')
    .selectAll()
    .where('created_at', '<', sql<string>`clock_timestamp() - interval '7 days'`)
    .where(
      sql<boolean>`not exists (select from reference r where r.status = 'building'
        and strpos(r.inputs::text, 'upload:' || reference_file.sha256) > 0)`,
    )
    .orderBy('created_at')
    .limit(limit)
    .execute();
}
