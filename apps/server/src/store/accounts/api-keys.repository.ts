import type { AccountRole } from '@kindred/contracts';
import { type Selectable, sql } from 'kysely';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { grouped } from '../postgres/grouped.js';
import type { Tables } from '../postgres/tables.generated.js';

export type ApiKeyRow = Selectable<Tables['api_key']>;
/** An owned key is not revoked, and comes with the present row of its owner. */
export interface OwnedKeyRow {
  key: ApiKeyRow;
  owner: Selectable<Tables['user_account']>;
}

export interface NewApiKey {
  user_id: string;
  name: string;
  prefix: string;
  key_hash: string;
  role: AccountRole;
  for_machine: boolean;
}

export async function insertApiKey(trx: Transaction, key: NewApiKey): Promise<ApiKeyRow> {
  return trx.insertInto('api_key').values(key).returningAll().executeTakeFirstOrThrow();
}

/** Finds a key by the unique index on the hash of the raw key. */
export const findKeyByHash = grouped(
  async (db, hashes: readonly string[]): Promise<(OwnedKeyRow | undefined)[]> => {
    const keys = await db
      .selectFrom('api_key')
      .selectAll()
      .where(sql<boolean>`key_hash = any(${hashes})`)
      .where('revoked_at', 'is', null)
      .execute();
    const owners = await db
      .selectFrom('user_account')
      .selectAll()
      .where(sql<boolean>`id = any(${keys.map((key) => key.user_id)}::uuid[])`)
      .execute();
    return hashes.map((hash) => {
      const key = keys.find(({ key_hash }) => key_hash === hash);
      const owner = owners.find(({ id }) => id === key?.user_id);
      return key && owner && { key, owner };
    });
  },
);

export async function findKey(db: Queryable, id: string): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findLiveKey(db: Queryable, id: string): Promise<OwnedKeyRow | undefined> {
  return ownedKey(db, await findKey(db, id));
}

/** Returns true if a key with this public part exists and is not revoked. */
export async function isLivePrefix(db: Queryable, prefix: string): Promise<boolean> {
  const key = await db
    .selectFrom('api_key')
    .select('id')
    .where('prefix', '=', prefix)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return key !== undefined;
}

async function ownedKey(db: Queryable, key: ApiKeyRow | undefined): Promise<OwnedKeyRow | undefined> {
  if (key === undefined || key.revoked_at !== null) return undefined;
  const owner = await db
    .selectFrom('user_account')
    .selectAll()
    .where('id', '=', key.user_id)
    .executeTakeFirst();
  return owner === undefined ? undefined : { key, owner };
}

/** Notes the use of a key at most once a minute, so that a busy key does not become a hot row. */
export async function touchKey(db: Queryable, id: string): Promise<void> {
  await db
    .updateTable('api_key')
    .set({ last_used_at: sql`now()` })
    .where('id', '=', id)
    .where((where) =>
      where.or([
        where('last_used_at', 'is', null),
        where('last_used_at', '<', sql<string>`now() - interval '1 minute'`),
      ]),
    )
    .execute();
}

export interface KeyFilter {
  userId?: string;
  includeRevoked: boolean;
  limit: number;
  after?: Cursor;
}

/** Lists API keys, newest first. */
export async function listApiKeys(db: Queryable, filter: KeyFilter): Promise<Page<ApiKeyRow>> {
  const { userId } = filter;
  let query = db.selectFrom('api_key').selectAll();
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (!filter.includeRevoked) query = query.where('revoked_at', 'is', null);
  return pageOf(db, query, { table: 'api_key' }, filter);
}

/** Revokes the live keys of the account but the newest `kept`, and returns how many. */
export async function revokeKeysOf(trx: Transaction, userId: string, kept: number): Promise<number> {
  const result = await trx
    .updateTable('api_key')
    .set({ revoked_at: sql`now()` })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('id', 'not in', (of) =>
      of
        .selectFrom('api_key')
        .select('id')
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(kept),
    )
    .executeTakeFirstOrThrow();
  return Number(result.numUpdatedRows);
}

/** Reads the live keys of this machine's command line, with their owners. */
export async function machineKeys(db: Queryable): Promise<OwnedKeyRow[]> {
  const keys = await db
    .selectFrom('api_key')
    .selectAll()
    .where('for_machine', '=', true)
    .where('revoked_at', 'is', null)
    .limit(10)
    .execute();
  const owned = await Promise.all(keys.map((key) => ownedKey(db, key)));
  return owned.filter((row) => row !== undefined);
}

/** Restores a key, id included. */
export async function restoreKey(db: Queryable, key: ApiKeyRow): Promise<void> {
  await db
    .insertInto('api_key')
    .values(key)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns the row after the revocation; a key that is revoked already keeps its time. */
export async function revokeKey(trx: Transaction, id: string): Promise<ApiKeyRow | undefined> {
  return trx
    .updateTable('api_key')
    .set({ revoked_at: sql`coalesce(revoked_at, now())` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}
