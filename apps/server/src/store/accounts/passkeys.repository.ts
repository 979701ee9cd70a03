import { type Insertable, type Selectable, sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type PasskeyRow = Selectable<Tables['passkey']>;

/** An account has at most this many passkeys; more would be a mistake. */
export const mostPasskeys = 20;

/** Lists the passkeys of an account, oldest first. */
export async function passkeysOf(db: Queryable, userId: string): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkey')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(mostPasskeys)
    .execute();
}

export async function findPasskey(db: Queryable, credentialId: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkey').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
}

/** Inserts the passkey, or returns undefined if some account has this credential already. */
export async function insertPasskey(
  trx: Transaction,
  row: Insertable<Tables['passkey']>,
): Promise<PasskeyRow | undefined> {
  return trx
    .insertInto('passkey')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/**
 * Notes a login. Returns false where the passkey is gone, or has signed in since the login began: a challenge is good for one
 * login.
 */
export async function usePasskey(
  trx: Transaction,
  id: string,
  { counter, begunAt }: { counter: number; begunAt: Date },
): Promise<boolean> {
  const row = await trx
    .updateTable('passkey')
    .set({ counter, last_used_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .where((where) =>
      where.or([where('last_used_at', 'is', null), where('last_used_at', '<', begunAt.toISOString())]),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes a passkey of the account, and returns it, or undefined where it has no such one. */
export async function deletePasskey(
  trx: Transaction,
  { id, userId }: { id: string; userId: string },
): Promise<PasskeyRow | undefined> {
  return trx
    .deleteFrom('passkey')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}
