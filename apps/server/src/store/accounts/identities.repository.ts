import { type Insertable, type Selectable, sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

/** An identity says who somebody is at an institution: an issuer never gives the same subject to two people. */
export type IdentityRow = Selectable<Tables['user_identity']>;
type NewIdentity = Pick<
  Insertable<Tables['user_identity']>,
  'user_id' | 'institution' | 'issuer' | 'subject' | 'email'
>;

export async function findIdentity(
  db: Queryable,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<IdentityRow | undefined> {
  return db
    .selectFrom('user_identity')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Inserts the identity, or returns undefined when another request did meanwhile. */
export async function insertIdentity(trx: Transaction, row: NewIdentity): Promise<IdentityRow | undefined> {
  return trx
    .insertInto('user_identity')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Notes a login with the e-mail that the institution gives now. */
export async function touchIdentity(trx: Transaction, id: string, email: string | null): Promise<void> {
  await trx
    .updateTable('user_identity')
    .set({ last_login_at: sql`now()`, email })
    .where('id', '=', id)
    .execute();
}

/** An account has at most this many; more would be a mistake. */
export const mostIdentities = 20;

/** Lists the identities of an account, oldest first. */
export async function identitiesOf(db: Queryable, userId: string): Promise<IdentityRow[]> {
  return db
    .selectFrom('user_identity')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(mostIdentities)
    .execute();
}

/** Deletes an identity of the account, and returns it, or undefined where it has no such one. */
export async function deleteIdentity(
  trx: Transaction,
  { id, userId }: { id: string; userId: string },
): Promise<IdentityRow | undefined> {
  return trx
    .deleteFrom('user_identity')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}
