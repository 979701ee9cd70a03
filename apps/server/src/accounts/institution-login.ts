import { type AccountRole, ProblemError } from '@kindred/contracts';
import { appendAudit, userTarget } from '../store/accounts/audit.repository.js';
import {
  deleteIdentity,
  findIdentity,
  type IdentityRow,
  identitiesOf,
  insertIdentity,
  mostIdentities,
  touchIdentity,
} from '../store/accounts/identities.repository.js';
import {
  findUser,
  findUserByEmail,
  insertUser,
  type UserRow,
  usernameTaken,
} from '../store/accounts/users.repository.js';
import { type Database, inTransaction, type Transaction } from '../store/postgres/db.js';
import { changeRole } from './administration.js';
import { type FinishedLogin, LoginFailure, newRole, type Person } from './institutions.js';
import { openSession, type SessionRequest } from './login.js';
import { hashPassword } from './passwords.js';
import { randomSecret } from './tokens.js';

/**
 * Signs in who an institution vouches for. Somebody new gets an account that waits for approval, as after a
 * sign-up. An account of the same e-mail is never taken over: its owner links the institution.
 * @throws LoginFailure
 */
export async function logInByInstitution(
  db: Database,
  secret: string,
  institution: string,
  { person, request }: { person: Person; request: SessionRequest },
): Promise<{ user: UserRow; token: string }> {
  const identity = await findIdentity(db, person);
  if (identity === undefined) {
    await addAccount(db, institution, person);
    throw new LoginFailure('pending');
  }
  const user = await findUser(db, identity.user_id);
  if (user?.status === 'pending') throw new LoginFailure('pending');
  if (user?.status !== 'active') throw new LoginFailure('deactivated');
  if (person.role !== null) await takeRole(db, user, { role: person.role, institution });
  return inTransaction(db, async (trx) => {
    await touchIdentity(trx, identity.id, person.email);
    return openSession(trx, secret, user.id, { ...request, by: `institution ${institution}` });
  });
}

/** The last active administrator stays one, so that a mistake in the table of roles locks nobody out. */
async function takeRole(
  db: Database,
  user: UserRow,
  { role, institution }: { role: AccountRole; institution: string },
): Promise<void> {
  try {
    await changeRole(db, { actorId: null, userId: user.id }, role, { by: `institution ${institution}` });
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'last_admin')) throw error;
  }
}

async function addAccount(db: Database, institution: string, person: Person): Promise<void> {
  const { email } = person;
  if (email === null || !/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 255)
    throw new LoginFailure('no_email');
  if ((await findUserByEmail(db, email)) !== undefined) throw new LoginFailure('email_taken');
  // Nobody knows this password; its owner can set one by mail, or an administrator.
  const passwordHash = await hashPassword(randomSecret(32));
  const username = await freeName(db, person.names);
  await inTransaction(db, async (trx) => {
    const user = await insertUser(trx, {
      ...{ email, username, display_name: person.displayName, intended_use: null },
      ...{ password_hash: passwordHash, role: person.role ?? newRole, status: 'pending' },
    });
    if (user === undefined) throw new LoginFailure('email_taken');
    await linkTo(trx, user.id, institution, person);
    await appendAudit(trx, {
      actorUserId: user.id,
      action: 'signup',
      target: userTarget(user.id),
      payload: { by: `institution ${institution}` },
    });
  });
}

/** Makes a user name of what the institution says, with a number where somebody has it. */
async function freeName(db: Database, proposals: readonly string[]): Promise<string> {
  const plain = proposals
    .map((text) =>
      text
        .normalize('NFKC')
        .replaceAll(/[^A-Za-z0-9._-]/g, '')
        .replace(/^[._-]+/, ''),
    )
    .find((text) => text !== '');
  const base = (plain ?? 'user').slice(0, 80);
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (number > 50) return `${base}-${randomSecret(6)}`;
    if (!(await usernameTaken(db, name))) return name;
  }
}

/**
 * Links the identity to an account whose owner is signed in.
 * @throws LoginFailure
 */
export async function linkInstitution(
  db: Database,
  institution: string,
  { person, userId }: FinishedLogin & { userId: string },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const known = await findIdentity(trx, person);
    if (known?.user_id === userId) return;
    if (known !== undefined) throw new LoginFailure('linked_elsewhere');
    if ((await findUser(trx, userId))?.status !== 'active') throw new LoginFailure('deactivated');
    if ((await identitiesOf(trx, userId)).length >= mostIdentities) throw new LoginFailure('refused');
    await linkTo(trx, userId, institution, person);
    await appendAudit(trx, {
      actorUserId: userId,
      action: 'identity_link',
      target: userTarget(userId),
      payload: { institution },
    });
  });
}

async function linkTo(
  trx: Transaction,
  userId: string,
  institution: string,
  { issuer, subject, email }: Person,
): Promise<IdentityRow> {
  const row = await insertIdentity(trx, { user_id: userId, institution, issuer, subject, email });
  if (row === undefined) throw new LoginFailure('linked_elsewhere');
  return row;
}

/**
 * Unlinks an institution from an account.
 * @throws ProblemError not_found
 */
export async function unlinkInstitution(
  db: Database,
  { id, userId }: { id: string; userId: string },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const removed = await deleteIdentity(trx, { id, userId });
    if (removed === undefined) throw new ProblemError('not_found', `Your account has no identity ${id}.`);
    await appendAudit(trx, {
      actorUserId: userId,
      action: 'identity_unlink',
      target: userTarget(userId),
      payload: { institution: removed.institution },
    });
  });
}
