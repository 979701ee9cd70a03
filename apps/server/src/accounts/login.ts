import { type AccountRole, ProblemError, roleOf } from '@kindred/contracts';
import { appendAudit } from '../store/accounts/audit.repository.js';
import { type Database, inTransaction, type Queryable, type Transaction } from '../store/postgres/db.js';
import { type Allowance, returnUnits, takeUnits } from '../store/accounts/quotas.repository.js';
import { insertSession, revokeSession } from '../store/accounts/sessions.repository.js';
import {
  findUserByEmail,
  lockUser,
  touchLastLogin,
  type UserRow,
} from '../store/accounts/users.repository.js';
import { passwordMatches } from './passwords.js';
import { issueToken, readToken, sessionSeconds, sha256Hex } from './tokens.js';

/** What is remembered of the browser. */
export interface SessionRequest {
  userAgent: string | null;
  clientHash: string;
}

export interface LoginRequest extends SessionRequest {
  email: string;
  password: string;
}

const failuresPerHour = 10;

/**
 * Checks e-mail and password and opens a session.
 * @throws ProblemError invalid_credentials, account_pending_approval, account_deactivated, too_many_failures
 */
export async function logIn(
  db: Database,
  secret: string,
  request: LoginRequest,
): Promise<{ user: UserRow; token: string }> {
  const attempts = failuresOf(request.email);
  // The attempt is taken before the password is looked at and given back when it is right, so that attempts in parallel can't pass together.
  const { granted, resetSeconds } = await takeUnits(db, attempts, 1);
  if (!granted) {
    throw new ProblemError('too_many_failures', `Too many failed logins. Try again in ${resetSeconds} s.`, {
      headers: { 'retry-after': String(resetSeconds) },
    });
  }
  const user = await findUserByEmail(db, request.email);
  const matches = await passwordMatches(user?.password_hash, request.password);
  if (!matches || user === undefined) return refuse(db, user, 'invalid_credentials');
  if (user.status === 'pending') return refuse(db, user, 'account_pending_approval');
  if (user.status !== 'active') return refuse(db, user, 'account_deactivated');
  await returnUnits(db, attempts, 1);
  return inTransaction(db, (trx) => openSession(trx, secret, user.id, request));
}

/** A new password ends the wait for the old one's failures. */
export async function forgetFailures(db: Queryable, email: string): Promise<void> {
  await returnUnits(db, failuresOf(email), failuresPerHour);
}

function failuresOf(email: string): Allowance {
  return {
    key: `login:${sha256Hex(email)}`,
    resource: 'login_failures',
    limit: failuresPerHour,
    periodSeconds: 3600,
  };
}

const refusals = {
  invalid_credentials: 'E-mail and password do not match an account.',
  account_pending_approval: 'The account waits for the approval of an administrator.',
  account_deactivated: 'The account was deactivated. Ask an administrator.',
} as const;

async function refuse(db: Database, user: UserRow | undefined, code: keyof typeof refusals): Promise<never> {
  await inTransaction(db, (trx) =>
    appendAudit(trx, {
      actorUserId: user?.id ?? null,
      action: 'login_fail',
      target: user === undefined ? null : `user:${user.id}`,
      payload: { reason: code },
    }),
  );
  throw new ProblemError(code, refusals[code]);
}

/**
 * Opens a session of an active account, and records it. The account is locked, so that none opens while it is being stopped.
 * @throws ProblemError account_deactivated
 */
export async function openSession(
  trx: Transaction,
  secret: string,
  userId: string,
  request: SessionRequest & { by?: string },
): Promise<{ user: UserRow; token: string }> {
  const user = await lockUser(trx, userId);
  if (user?.status !== 'active') throw new ProblemError('account_deactivated', refusals.account_deactivated);
  const issued = await issueToken(secret, {
    subject: user.id,
    role: roleOf(user.role) as AccountRole,
    ttlSeconds: sessionSeconds,
    session: { status: user.status },
  });
  await insertSession(trx, {
    user_id: user.id,
    jti: issued.jti as string,
    token_hash: sha256Hex(issued.token),
    expires_at: issued.expiresAt,
    user_agent: request.userAgent?.slice(0, 512) ?? null,
    client_ip_hash: request.clientHash,
  });
  await touchLastLogin(trx, user.id);
  const payload = request.by === undefined ? {} : { by: request.by };
  await appendAudit(trx, { actorUserId: user.id, action: 'login_ok', target: `user:${user.id}`, payload });
  return { user, token: issued.token };
}

/** Revokes the session of a cookie, if it is one of ours; anything else is left alone. */
export async function logOut(db: Database, secret: string, token: string | undefined): Promise<void> {
  const claims = token === undefined ? null : await readToken(secret, token);
  const jti = claims?.jti;
  if (claims === null || !jti) return;
  await inTransaction(db, async (trx) => {
    const userId = await revokeSession(trx, jti);
    if (userId === undefined) return;
    await appendAudit(trx, { actorUserId: userId, action: 'logout', target: `user:${userId}` });
  });
}
