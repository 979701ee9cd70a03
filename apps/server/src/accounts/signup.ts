import { ProblemError } from '@kindred/contracts';
import { appendAudit, userTarget } from '../store/accounts/audit.repository.js';
import { type Database, inTransaction } from '../store/postgres/db.js';
import {
  findUserByEmail,
  insertUser,
  type UserRow,
  usernameTaken,
} from '../store/accounts/users.repository.js';
import { hashPassword, passwordFault } from './passwords.js';

export interface SignupRequest {
  email: string;
  username: string;
  password: string;
  display_name?: string | null;
  intended_use?: string | null;
}

/**
 * Adds a pending account, which an admin approves.
 * @throws ProblemError already_exists, validation_failed
 */
export async function signUp(
  db: Database,
  request: SignupRequest,
  passwordMinLength: number,
): Promise<UserRow> {
  refuseWeakPassword(request, passwordMinLength);
  await refuseTaken(db, request);
  const passwordHash = await hashPassword(request.password);
  return inTransaction(db, async (trx) => {
    const user = await insertUser(trx, {
      email: request.email,
      username: request.username,
      display_name: request.display_name ?? null,
      intended_use: request.intended_use ?? null,
      password_hash: passwordHash,
      role: 'researcher',
      status: 'pending',
    });
    if (user === undefined) throw new ProblemError('already_exists', 'The e-mail or the user name is taken.');
    await appendAudit(trx, { actorUserId: user.id, action: 'signup', target: userTarget(user.id) });
    return user;
  });
}

export function refuseWeakPassword(
  account: { email: string; username: string; password: string },
  minLength: number,
  path = '/password',
): void {
  const fault = passwordFault(account.password, account, minLength);
  if (fault === null) return;
  throw new ProblemError('validation_failed', `The password ${fault}.`, {
    errors: [{ path, message: fault, code: 'weak_password' }],
  });
}

async function refuseTaken(db: Database, request: SignupRequest): Promise<void> {
  if ((await findUserByEmail(db, request.email)) !== undefined) {
    throw new ProblemError(
      'already_exists',
      'An account with this e-mail exists. Log in, or ask an administrator.',
    );
  }
  if (await usernameTaken(db, request.username)) {
    throw new ProblemError('already_exists', `The user name ${request.username} is taken. Choose another.`);
  }
}
