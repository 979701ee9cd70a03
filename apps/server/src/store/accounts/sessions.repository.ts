import { type Selectable, sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export interface NewSession {
  user_id: string;
  jti: string;
  token_hash: string;
  expires_at: string;
  user_agent: string | null;
  client_ip_hash: string | null;
}

export async function insertSession(trx: Transaction, session: NewSession): Promise<void> {
  await trx
    .insertInto('user_session')
    .values({ ...session, last_seen_at: sql`now()` })
    .execute();
}

/** Finds the account of a live session, which is neither revoked nor expired; undefined otherwise. */
export async function findSessionOwner(
  db: Queryable,
  jti: string,
): Promise<(Selectable<Tables['user_account']> & { token_hash: string }) | undefined> {
  return db
    .selectFrom('user_session')
    .innerJoin('user_account', 'user_account.id', 'user_session.user_id')
    .selectAll('user_account')
    .select('user_session.token_hash')
    .where('user_session.jti', '=', jti)
    .where('user_session.revoked_at', 'is', null)
    .where('user_session.expires_at', '>', sql<string>`now()`)
    .executeTakeFirst();
}

/** Revokes a live session, and returns its owner, or undefined if no live session was found. */
export async function revokeSession(trx: Transaction, jti: string): Promise<string | undefined> {
  const row = await trx
    .updateTable('user_session')
    .set({ revoked_at: sql`now()` })
    .where('jti', '=', jti)
    .where('revoked_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id;
}

/** Revokes every live session of the account, and returns how many there were. */
export async function revokeSessionsOf(
  trx: Transaction,
  userId: string,
  keptJti: string | null = null,
): Promise<number> {
  const result = await trx
    .updateTable('user_session')
    .set({ revoked_at: sql`now()` })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<string>`now()`)
    .$if(keptJti !== null, (query) => query.where('jti', '!=', keptJti as string))
    .executeTakeFirstOrThrow();
  return Number(result.numUpdatedRows);
}

export async function touchSession(db: Queryable, jti: string): Promise<void> {
  await db.updateTable('user_session').set({ last_seen_at: sql`now()` }).where('jti', '=', jti).execute();
}

/** Removes sessions that ended more than a day ago. */
export async function deleteOldSessions(db: Queryable): Promise<number> {
  const result = await db
    .deleteFrom('user_session')
    .where('expires_at', '<', sql<string>`now() - interval '1 day'`)
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}
