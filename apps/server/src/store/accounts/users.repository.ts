import type { AccountRole } from '@kindred/contracts';
import { type Insertable, type Selectable, sql } from 'kysely';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type UserRow = Selectable<Tables['user_account']>;
export type UserStatus = 'pending' | 'active' | 'deactivated';

export interface NewUser
  extends Pick<
    Insertable<Tables['user_account']>,
    'email' | 'username' | 'display_name' | 'password_hash' | 'intended_use'
  > {
  role: AccountRole;
  status: UserStatus;
}

/**
 * Inserts the account, or returns undefined when the e-mail or the user name is taken. The e-mail is in lower
 * case.
 */
export async function insertUser(trx: Transaction, user: NewUser): Promise<UserRow | undefined> {
  return trx
    .insertInto('user_account')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Restores an account, id included. */
export async function restoreUser(db: Queryable, user: UserRow): Promise<void> {
  await db
    .insertInto('user_account')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findUser(db: Queryable, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('user_account').selectAll().where('id', '=', id).executeTakeFirst();
}

/** User names by id, for users that exist. */
export async function usernamesOf(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('user_account')
    .select(['id', 'username'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}

export async function findUserByEmail(db: Queryable, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('user_account').selectAll().where('email', '=', email).executeTakeFirst();
}

export async function usernameTaken(db: Queryable, username: string): Promise<boolean> {
  const row = await db
    .selectFrom('user_account')
    .select('id')
    .where(sql<boolean>`lower(username) = lower(${username})`)
    .executeTakeFirst();
  return row !== undefined;
}

export async function anyAdminExists(db: Queryable): Promise<boolean> {
  const row = await db
    .selectFrom('user_account')
    .select('id')
    .where('role', '=', 'admin')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Only one process at a time makes the first administrator, even if several start at once. */
export async function lockBootstrap(trx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(7402111932)`.execute(trx);
}

export async function touchLastLogin(trx: Transaction, id: string): Promise<void> {
  await trx.updateTable('user_account').set({ last_login_at: sql`now()` }).where('id', '=', id).execute();
}

export interface UserFilter {
  status?: UserStatus;
  role?: AccountRole;
  limit: number;
  after?: Cursor;
}

/** Lists users, newest first. */
export async function listUsers(
  db: Queryable,
  { status, role, limit, after }: UserFilter,
): Promise<Page<UserRow>> {
  let query = db.selectFrom('user_account').selectAll();
  if (status !== undefined) query = query.where('status', '=', status);
  if (role !== undefined) query = query.where('role', '=', role);
  return pageOf(db, query, { table: 'user_account' }, { limit, after });
}

/**
 * Locks every active administrator and returns their ids. If two acts would each take one away, the second
 * waits and then sees what the first left.
 */
export async function lockActiveAdmins(trx: Transaction): Promise<string[]> {
  // Row locks alone could deadlock. A row whose role changed during the wait stays locked although its user
  // is no longer an administrator, and two calls that each hold such a row wait for each other.
  await sql`select pg_advisory_xact_lock(7402111933)`.execute(trx);
  const rows = await trx
    .selectFrom('user_account')
    .select('id')
    .where('role', '=', 'admin')
    .where('status', '=', 'active')
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map((row) => row.id);
}

export async function lockUser(trx: Transaction, id: string): Promise<UserRow | undefined> {
  return trx.selectFrom('user_account').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function updateUser(
  trx: Transaction,
  id: string,
  change: { role?: AccountRole; status?: UserStatus; password_hash?: string },
): Promise<UserRow> {
  return trx
    .updateTable('user_account')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Sessions and keys of the account are deleted with it; rows that it owned stay. */
export async function deleteUser(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom('user_account').where('id', '=', id).execute();
}
