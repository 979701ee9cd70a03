import { type Selectable, sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type MailPurpose = 'magic_link' | 'password_reset';

export interface NewMailToken {
  token_hash: string;
  user_id: string;
  purpose: MailPurpose;
  ttlSeconds: number;
}

export async function insertMailToken(db: Queryable, token: NewMailToken): Promise<void> {
  const { ttlSeconds, ...row } = token;
  const expires_at = sql<string>`clock_timestamp() + make_interval(secs => ${ttlSeconds})`;
  await db
    .insertInto('mail_token')
    .values({ ...row, expires_at })
    .execute();
}

/** Finds the account of a token that can still be used; undefined otherwise. The token stays usable. */
export async function findMailTokenOwner(
  db: Queryable,
  tokenHash: string,
  purpose: MailPurpose,
): Promise<Selectable<Tables['user_account']> | undefined> {
  return db
    .selectFrom('mail_token')
    .innerJoin('user_account', 'user_account.id', 'mail_token.user_id')
    .selectAll('user_account')
    .where('token_hash', '=', tokenHash)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<string>`clock_timestamp()`)
    .executeTakeFirst();
}

/**
 * Uses the token up, and returns its owner's id, or undefined if the token was used, has expired or does not
 * exist. Only one of several callers succeeds.
 */
export async function takeMailToken(
  trx: Transaction,
  tokenHash: string,
  purpose: MailPurpose,
): Promise<string | undefined> {
  const row = await trx
    .updateTable('mail_token')
    .set({ used_at: sql`clock_timestamp()` })
    .where('token_hash', '=', tokenHash)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<string>`clock_timestamp()`)
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id;
}

/** Makes every token invalid that was mailed to the account before. */
export async function deleteMailTokensOf(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom('mail_token').where('user_id', '=', userId).execute();
}

export async function deleteOldMailTokens(db: Queryable): Promise<number> {
  const result = await db
    .deleteFrom('mail_token')
    .where('expires_at', '<', sql<string>`now() - interval '1 day'`)
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}
