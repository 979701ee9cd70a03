import { type AccountRole, atLeast, ProblemError } from '@kindred/contracts';
import type { AuditAction } from '@kindred/contracts/audit-actions';
import { deleteMailTokensOf } from '../store/accounts/mail-tokens.repository.js';
import { revokeKeysOf } from '../store/accounts/api-keys.repository.js';
import { appendAudit, userTarget } from '../store/accounts/audit.repository.js';
import { type Database, inTransaction, type Transaction } from '../store/postgres/db.js';
import { revokeSessionsOf } from '../store/accounts/sessions.repository.js';
import {
  deleteUser,
  findUser,
  lockActiveAdmins,
  lockUser,
  updateUser,
  type UserRow,
  type UserStatus,
} from '../store/accounts/users.repository.js';
import { forgetFailures } from './login.js';
import { hashPassword } from './passwords.js';
import type { AccountSettings } from './settings.js';
import { refuseWeakPassword } from './signup.js';

/** An administrator acts on an account. `actorId` is null without authentication (development). */
export interface Act {
  actorId: string | null;
  userId: string;
}

/**
 * Lets a pending account in.
 * @throws ProblemError not_found, conflict (not pending)
 */
export async function approveUser(db: Database, act: Act, role: AccountRole): Promise<UserRow> {
  return onUser(db, act, async (trx, user) => {
    requireStatus(user, 'pending', 'Only a pending account can be approved.');
    await record(trx, act, 'user_approve', { role });
    return updateUser(trx, user.id, { status: 'active', role });
  });
}

/**
 * Stops an account at once: its sessions and keys are revoked for good. A second call changes nothing.
 * @throws ProblemError not_found, conflict (pending), last_admin
 */
export async function deactivateUser(db: Database, act: Act): Promise<UserRow> {
  return onUser(db, act, async (trx, user, admins) => {
    if (user.status === 'deactivated') return user;
    requireStatus(user, 'active', 'A pending account is approved or deleted.');
    refuseLastAdmin(admins, user);
    const sessions = await revokeSessionsOf(trx, user.id);
    const keys = await revokeKeysOf(trx, user.id, 0);
    await record(trx, act, 'user_deactivate', { sessions_revoked: sessions, keys_revoked: keys });
    return updateUser(trx, user.id, { status: 'deactivated' });
  });
}

/**
 * Makes a deactivated account active again. Its old sessions and keys stay revoked. @throws ProblemError not_found,
 * conflict (pending)
 */
export async function reactivateUser(db: Database, act: Act): Promise<UserRow> {
  return onUser(db, act, async (trx, user) => {
    if (user.status === 'active') return user;
    requireStatus(user, 'deactivated', 'A pending account is approved, not reactivated.');
    await record(trx, act, 'user_reactivate');
    return updateUser(trx, user.id, { status: 'active' });
  });
}

/**
 * Changes the role from the next request on, for keys and sessions, too.
 * @throws ProblemError not_found, last_admin
 */
export async function changeRole(
  db: Database,
  act: Act,
  role: AccountRole,
  reason: { by?: string } = {},
): Promise<UserRow> {
  return onUser(db, act, async (trx, user, admins) => {
    if (user.role === role) return user;
    if (role !== 'admin') refuseLastAdmin(admins, user);
    // A researcher has one key, so the newest stays.
    const keys = atLeast(role, 'operator') ? 0 : await revokeKeysOf(trx, user.id, 1);
    await record(trx, act, 'role_change', { from: user.role, to: role, keys_revoked: keys, ...reason });
    return updateUser(trx, user.id, { role });
  });
}

/** Deletes the account, its sessions and keys; jobs and sets that it made stay. @throws ProblemError not_found, last_admin */
export async function removeUser(db: Database, act: Act): Promise<void> {
  await onUser(db, act, async (trx, user, admins) => {
    refuseLastAdmin(admins, user);
    await record(trx, act, 'user_delete', {
      username: user.username,
      role: user.role,
      status: user.status,
    });
    await deleteUser(trx, user.id);
  });
}

/**
 * Refuses to delete a user if something prevents it.
 * @throws ProblemError not_found, last_admin
 */
export async function refuseRemoval(db: Database, act: Act): Promise<void> {
  await onUser(db, act, async (_trx, user, admins) => refuseLastAdmin(admins, user));
}

/**
 * Ends every session of the account, and returns how many were live. The keys stay.
 * @throws ProblemError not_found
 */
export async function revokeSessions(db: Database, act: Act): Promise<number> {
  return onUser(db, act, async (trx, user) => {
    const revoked = await revokeSessionsOf(trx, user.id);
    await record(trx, act, 'admin_session_revoke', { sessions_revoked: revoked });
    return revoked;
  });
}

/**
 * Sets the password of somebody who lost theirs; a service without mail has no other way. Sessions and mailed
 * links of the account end, and keys stay. The result counts the sessions that were live.
 * @throws ProblemError not_found, validation_failed (weak)
 */
export async function setPassword(
  db: Database,
  act: Act,
  newPassword: string,
  { passwordMinLength, jwtSecret }: Pick<AccountSettings, 'passwordMinLength' | 'jwtSecret'>,
): Promise<number> {
  const account = await findUser(db, act.userId);
  if (account === undefined) throw noUser(act);
  refuseWeakPassword({ ...account, password: newPassword }, passwordMinLength, '/new_password');
  const passwordHash = await hashPassword(newPassword);
  return onUser(db, act, async (trx, user) => {
    await updateUser(trx, user.id, { password_hash: passwordHash });
    await deleteMailTokensOf(trx, user.id);
    await forgetFailures(trx, jwtSecret, user.email);
    const revoked = await revokeSessionsOf(trx, user.id);
    await record(trx, act, 'password_reset', { by: 'administrator', sessions_revoked: revoked });
    return revoked;
  });
}

const noUser = ({ userId }: Act) => new ProblemError('not_found', `No user ${userId}.`);

/** All acts lock the administrators before the account, in the same order, so that they cannot deadlock. */
async function onUser<T>(
  db: Database,
  act: Act,
  work: (trx: Transaction, user: UserRow, admins: readonly string[]) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (trx) => {
    const admins = await lockActiveAdmins(trx);
    const user = await lockUser(trx, act.userId);
    if (user === undefined) throw noUser(act);
    return work(trx, user, admins);
  });
}

function record(
  trx: Transaction,
  { actorId, userId }: Act,
  action: AuditAction,
  payload: Record<string, unknown> = {},
): Promise<void> {
  return appendAudit(trx, { actorUserId: actorId, action, target: userTarget(userId), payload });
}

function requireStatus(user: UserRow, status: UserStatus, sentence: string): void {
  if (user.status !== status)
    throw new ProblemError('conflict', `The account ${user.id} is ${user.status}. ${sentence}`);
}

function refuseLastAdmin(admins: readonly string[], user: UserRow): void {
  if (admins.length !== 1 || admins[0] !== user.id) return;
  throw new ProblemError(
    'last_admin',
    'This is the last active administrator. Make another one first, then repeat this.',
  );
}
