import { ProblemError } from '@kindred/contracts';
import { appendAudit, userTarget } from '../store/accounts/audit.repository.js';
import { type Database, inTransaction } from '../store/postgres/db.js';
import {
  deleteMailTokensOf,
  findMailTokenOwner,
  insertMailToken,
  type MailPurpose,
  takeMailToken,
} from '../store/accounts/mail-tokens.repository.js';
import { takeUnits } from '../store/accounts/quotas.repository.js';
import { revokeSessionsOf } from '../store/accounts/sessions.repository.js';
import { findUserByEmail, lockUser, updateUser, type UserRow } from '../store/accounts/users.repository.js';
import { forgetFailures, openSession, type SessionRequest } from './login.js';
import { createSmtpSender, type Mail } from './mailer.js';
import { hashPassword } from './passwords.js';
import type { AccountSettings, MailSettings } from './settings.js';
import { refuseWeakPassword } from './signup.js';
import { randomSecret, sha256Hex } from './tokens.js';

export const linkSeconds = 15 * 60;
const mailsPerHour = 5;

/** Sends links by mail in the background. */
export interface MailLinks {
  /**
   * Returns at once and never says whether the account exists. A mail goes out if the account exists and is
   * active. At most five an hour go to one account.
   */
  request(purpose: MailPurpose, email: string): void;
  /** Resolves when all requested mails were sent or have failed. */
  settled(): Promise<void>;
}

interface Warnings {
  warn(fields: object, message: string): void;
}

export function createMailLinks(db: Database, settings: MailSettings, log: Warnings | null): MailLinks {
  const send = createSmtpSender(settings);
  const underway = new Set<Promise<void>>();
  const make = async (purpose: MailPurpose, email: string) => {
    const user = await findUserByEmail(db, email);
    if (user?.status !== 'active') return;
    const allowance = { key: `mail:${user.id}`, resource: 'mails', limit: mailsPerHour, periodSeconds: 3600 };
    if (!(await takeUnits(db, allowance, 1)).granted) return;
    const token = randomSecret(32);
    const row = { token_hash: sha256Hex(token), user_id: user.id, purpose, ttlSeconds: linkSeconds };
    await insertMailToken(db, row);
    await send(letters[purpose](user, settings.baseUrl.replace(/\/+$/, ''), token));
  };
  return {
    request(purpose, email) {
      const work = make(purpose, email)
        // The error's message is left out: mail servers repeat addresses in it.
        .catch((error: { code?: string; responseCode?: number }) =>
          log?.warn({ purpose, code: error.code, reply: error.responseCode }, 'a mail could not be sent'),
        )
        .finally(() => underway.delete(work));
      underway.add(work);
    },
    settled: async () => void (await Promise.all(underway)),
  };
}

const ending = `It works once, within 15 minutes. If you did not ask for it, leave this mail alone: nothing changes.`;

const letters: Record<MailPurpose, (user: UserRow, baseUrl: string, token: string) => Mail> = {
  magic_link: (user, baseUrl, token) => ({
    to: user.email,
    subject: 'Your sign-in link for Kindred',
    text: `Open this address to sign in as ${user.username}:\n\n${baseUrl}/v1/auth/magic-link/consume?token=${token}\n\n${ending}\n`,
  }),
  // The token follows '#', so no server and no log sees it before the form is sent.
  password_reset: (user, baseUrl, token) => ({
    to: user.email,
    subject: 'A new password for Kindred',
    text: `Open this address to choose a new password for ${user.username}:\n\n${baseUrl}/password-reset#token=${token}\n\nPrograms send POST ${baseUrl}/v1/auth/password-reset/consume with token and new_password.\n${ending}\n`,
  }),
};

/**
 * Logs in by a mailed token and uses it up, in one transaction.
 * @throws ProblemError credential_invalid, account_deactivated
 */
export async function logInByLink(
  db: Database,
  secret: string,
  token: string,
  request: SessionRequest,
): Promise<{ user: UserRow; token: string }> {
  const session = await inTransaction(db, async (trx) => {
    const userId = await takeMailToken(trx, sha256Hex(token), 'magic_link');
    return userId === undefined ? null : openSession(trx, secret, userId, { ...request, by: 'magic_link' });
  });
  if (session !== null) return session;
  await inTransaction(db, (trx) =>
    appendAudit(trx, {
      actorUserId: null,
      action: 'login_fail',
      target: null,
      payload: { reason: 'link_invalid' },
    }),
  );
  throw linkInvalid();
}

/**
 * Sets a new password by a mailed token. Sessions and other mailed tokens of the account end, and API keys
 * stay.
 * @throws ProblemError credential_invalid, validation_failed (weak; the token can be used again)
 */
export async function resetPassword(
  db: Database,
  request: { token: string; newPassword: string },
  settings: Pick<AccountSettings, 'jwtSecret' | 'passwordMinLength'>,
): Promise<void> {
  const tokenHash = sha256Hex(request.token);
  const owner = await findMailTokenOwner(db, tokenHash, 'password_reset');
  if (owner === undefined) throw linkInvalid();
  refuseWeakPassword(
    { ...owner, password: request.newPassword },
    settings.passwordMinLength,
    '/new_password',
  );
  const passwordHash = await hashPassword(request.newPassword);
  await inTransaction(db, async (trx) => {
    const userId = await takeMailToken(trx, tokenHash, 'password_reset');
    const user = userId === undefined ? undefined : await lockUser(trx, userId);
    if (user?.status !== 'active') throw linkInvalid();
    await updateUser(trx, user.id, { password_hash: passwordHash });
    await deleteMailTokensOf(trx, user.id);
    await forgetFailures(trx, settings.jwtSecret, user.email);
    const revoked = await revokeSessionsOf(trx, user.id);
    await appendAudit(trx, {
      actorUserId: user.id,
      action: 'password_reset',
      target: userTarget(user.id),
      payload: { sessions_revoked: revoked },
    });
  });
}

function linkInvalid(): ProblemError {
  return new ProblemError(
    'credential_invalid',
    'The link was used before, is older than 15 minutes, or is not one of ours. Ask for a new one.',
  );
}
