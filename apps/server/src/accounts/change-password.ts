import { ProblemError } from '@kindred/contracts';
import { appendAudit, userTarget } from '../store/accounts/audit.repository.js';
import { revokeSessionsOf } from '../store/accounts/sessions.repository.js';
import { lockUser, updateUser, type UserRow } from '../store/accounts/users.repository.js';
import { type Database, inTransaction } from '../store/postgres/db.js';
import { hashPassword, passwordMatches } from './passwords.js';
import type { AccountSettings } from './settings.js';
import { refuseWeakPassword } from './signup.js';

export interface PasswordChange {
  password: string;
  newPassword: string;
  /** The session that asks has this id and continues; null stands for a credential without a session. */
  jti: string | null;
}

/**
 * Replaces the password of an account whose owner knows it. All other sessions end, because somebody else may have opened one.
 * @throws ProblemError validation_failed (a wrong or a weak password)
 */
export async function changePassword(
  db: Database,
  user: UserRow,
  { password, newPassword, jti }: PasswordChange,
  { passwordMinLength }: Pick<AccountSettings, 'passwordMinLength'>,
): Promise<void> {
  if (!(await passwordMatches(user.password_hash, password))) throw wrong();
  refuseWeakPassword({ ...user, password: newPassword }, passwordMinLength, '/new_password');
  const passwordHash = await hashPassword(newPassword);
  await inTransaction(db, async (trx) => {
    const locked = await lockUser(trx, user.id);
    // Another change may have come first.
    if (locked?.password_hash !== user.password_hash) throw wrong();
    await updateUser(trx, user.id, { password_hash: passwordHash });
    const revoked = await revokeSessionsOf(trx, user.id, jti);
    await appendAudit(trx, {
      actorUserId: user.id,
      action: 'password_reset',
      target: userTarget(user.id),
      payload: { by: 'owner', sessions_revoked: revoked },
    });
  });
}

function wrong(): ProblemError {
  return new ProblemError('validation_failed', 'The present password is not right.', {
    errors: [{ path: '/password', message: 'is not right', code: 'wrong_password' }],
  });
}
