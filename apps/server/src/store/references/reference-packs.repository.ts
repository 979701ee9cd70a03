import { type Selectable, sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type ReferencePackRow = Selectable<Tables['reference_pack']>;

export async function findPack(
  db: Queryable,
  referenceNumber: number,
): Promise<ReferencePackRow | undefined> {
  return db
    .selectFrom('reference_pack')
    .selectAll()
    .where('reference_number', '=', referenceNumber)
    .executeTakeFirst();
}

/** Returns the address of the previous pack, which nothing names any more; null if there was none. */
export async function replacePack(
  trx: Transaction,
  pack: Omit<ReferencePackRow, 'created_at'>,
): Promise<string | null> {
  // If two jobs pack the same reference, the second waits for the first.
  await trx
    .selectFrom('reference')
    .select('id')
    .where('number', '=', pack.reference_number)
    .forNoKeyUpdate()
    .execute();
  const before = await trx
    .deleteFrom('reference_pack')
    .where('reference_number', '=', pack.reference_number)
    .returning('uri')
    .executeTakeFirst();
  await trx.insertInto('reference_pack').values(pack).execute();
  return before?.uri ?? null;
}

export async function forgetPack(db: Queryable, referenceNumber: number): Promise<void> {
  await db.deleteFrom('reference_pack').where('reference_number', '=', referenceNumber).execute();
}

/** Lists files that were made more than a week ago, because people who wanted them have them by now. */
export async function abandonedPacks(db: Queryable, limit: number): Promise<ReferencePackRow[]> {
  return db
    .selectFrom('reference_pack')
    .selectAll()
    .where('created_at', '<', sql<string>`clock_timestamp() - interval '7 days'`)
    .orderBy('created_at')
    .limit(limit)
    .execute();
}
