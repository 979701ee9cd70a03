import { type AccountRole, ProblemError } from '@kindred/contracts';
import { z } from 'zod';
import { appendAudit, userTarget } from '../store/accounts/audit.repository.js';
import { type Database, inTransaction } from '../store/postgres/db.js';
import {
  anyAdminExists,
  findUserByEmail,
  insertUser,
  lockBootstrap,
  type UserRow,
} from '../store/accounts/users.repository.js';
import { hashPassword } from './passwords.js';
import { refuseWeakPassword } from './signup.js';
import { randomSecret } from './tokens.js';

export interface AddUserRequest {
  email: string;
  role: AccountRole;
  password: string;
  /** The user gets this name; by default, it is the local part of the e-mail. */
  username?: string;
  displayName?: string;
}

/** Finds an account by an e-mail as the user typed it. */
export function findAccount(db: Database, email: string): Promise<UserRow | undefined> {
  return findUserByEmail(db, email.trim().toLowerCase());
}

/**
 * Adds an active account. It serves the command line, which needs no credential because it has the database.
 * @throws ProblemError already_exists, validation_failed
 */
export async function addUser(
  db: Database,
  request: AddUserRequest,
  passwordMinLength = 8,
): Promise<UserRow> {
  const email = request.email.trim().toLowerCase();
  if (!z.email().safeParse(email).success) {
    throw new ProblemError('validation_failed', `${JSON.stringify(request.email)} is not an e-mail address.`);
  }
  const username = request.username ?? email.slice(0, email.indexOf('@'));
  refuseWeakPassword({ email, username, password: request.password }, passwordMinLength);
  const passwordHash = await hashPassword(request.password);
  return inTransaction(db, async (trx) => {
    const user = await insertUser(trx, {
      email,
      username,
      display_name: request.displayName ?? null,
      intended_use: null,
      password_hash: passwordHash,
      role: request.role,
      status: 'active',
    });
    if (user === undefined) {
      throw new ProblemError(
        'already_exists',
        `An account with the e-mail ${email} or the user name ${username} exists.`,
      );
    }
    await appendAudit(trx, {
      actorUserId: null,
      action: 'signup',
      target: userTarget(user.id),
      payload: { by: 'command line', role: request.role },
    });
    return user;
  });
}

export interface BootstrapSettings {
  /** SVC_BOOTSTRAP_ADMIN_EMAIL names the administrator. */
  email: string | null;
  /** SVC_BOOTSTRAP_ADMIN_PASSWORD gives the password; if it is not set, the service makes one. */
  password: string | null;
  passwordMinLength: number;
}

export type BootstrapOutcome =
  /** No account was created: no administrator is wanted, one exists, or the e-mail is taken. */
  | { created: false }
  /** The terminal shows `generatedPassword` once; null if the setting gave the password. */
  | { created: true; email: string; generatedPassword: string | null };

/**
 * Makes the first administrator. Several processes may start at once; the function does nothing once an
 * administrator exists.
 */
export async function bootstrapAdmin(db: Database, settings: BootstrapSettings): Promise<BootstrapOutcome> {
  const email = settings.email?.trim().toLowerCase();
  if (!email || (await anyAdminExists(db))) return { created: false };
  const generated = settings.password === null ? randomSecret(24) : null;
  const password = settings.password ?? (generated as string);
  const username = email.slice(0, email.indexOf('@')) || email;
  refuseWeakPassword({ email, username, password }, settings.passwordMinLength);
  const passwordHash = await hashPassword(password);
  return inTransaction(db, async (trx) => {
    await lockBootstrap(trx);
    if ((await anyAdminExists(trx)) || (await findUserByEmail(trx, email)) !== undefined)
      return { created: false };
    const admin = { email, display_name: 'Bootstrap Admin', intended_use: null, password_hash: passwordHash };
    const user =
      (await insertUser(trx, { ...admin, username, role: 'admin', status: 'active' })) ??
      (await insertUser(trx, { ...admin, username: email, role: 'admin', status: 'active' }));
    if (user === undefined) return { created: false };
    await appendAudit(trx, {
      actorUserId: null,
      action: 'signup',
      target: userTarget(user.id),
      payload: { by: 'bootstrap', role: 'admin' },
    });
    return { created: true, email, generatedPassword: generated };
  });
}
