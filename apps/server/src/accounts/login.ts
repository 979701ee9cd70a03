import { createHmac } from 'node:crypto';
import { type AccountRole, ProblemError, roleOf } from '@kindred/contracts';
import { appendAudit, userTarget } from '../store/accounts/audit.repository.js';
import { type Database, inTransaction, type Queryable, type Transaction } from '../store/postgres/db.js';
import {
  deleteLoginFailures,
  isKnownAddress,
  type LoginSource,
  rememberLogin,
  takeLoginAttempt,
} from '../store/accounts/logins.repository.js';
import { insertSession, revokeSession } from '../store/accounts/sessions.repository.js';
import {
  findUserByEmail,
  lockUser,
  touchLastLogin,
  type UserRow,
} from '../store/accounts/users.repository.js';
import { passwordMatches } from './passwords.js';
import { callerAddress } from './caller-address.js';
import { issueToken, readToken, sessionSeconds, sha256Hex } from './tokens.js';

/** A session keeps these facts of its browser. */
export interface SessionRequest {
  userAgent: string | null;
  clientHash: string;
}

export interface LoginRequest extends SessionRequest {
  /** The address of the client is stored only as a keyed hash. */
  address: string;
  email: string;
  password: string;
}

/**
 * Checks e-mail and password and opens a session. Failures are counted by account and address, with a growing
 * wait, so that a stranger cannot lock the owner out. An address that sent the right password before is never
 * blocked.
 * @throws ProblemError invalid_credentials, account_pending_approval, account_deactivated, too_many_failures
 */
export async function logIn(
  db: Database,
  secret: string,
  request: LoginRequest,
): Promise<{ user: UserRow; token: string }> {
  const user = await findUserByEmail(db, request.email);
  const source = sourceOf(secret, request);
  // The attempt is counted before the password is checked, so that attempts in parallel can't pass together.
  const waitSeconds = await takeLoginAttempt(db, source);
  const mayPass =
    waitSeconds === null || (user !== undefined && (await isKnownAddress(db, user.id, source.addressHash)));
  const matches = mayPass && (await passwordMatches(user?.password_hash, request.password));
  if (!matches && waitSeconds !== null) return refuseLogin(db, user, request, { reason: waitSeconds });
  if (!matches || user === undefined)
    return refuseLogin(db, user, request, { reason: 'invalid_credentials' });
  if (user.status === 'pending')
    return refuseLogin(db, user, request, { reason: 'account_pending_approval' });
  if (user.status !== 'active') return refuseLogin(db, user, request, { reason: 'account_deactivated' });
  return inTransaction(db, async (trx) => {
    await rememberLogin(trx, source, user.id);
    return openSession(trx, secret, user.id, request);
  });
}

/** A new password ends the wait for the old one's failures. */
export async function forgetFailures(db: Queryable, secret: string, email: string): Promise<void> {
  await deleteLoginFailures(db, keyedHash(secret, 'account', email));
}

function sourceOf(secret: string, { email, address }: LoginRequest): LoginSource {
  return {
    accountHash: keyedHash(secret, 'account', email),
    // The hash includes the account, so that rows of different accounts do not reveal a shared address.
    addressHash: keyedHash(secret, 'address', `${email} ${callerAddress(address)}`),
  };
}

/**
 * Hashes with a key, so that nobody without the secret can find an address or an e-mail by trying all of
 * them.
 */
function keyedHash(secret: string, kind: string, text: string): string {
  return createHmac('sha256', secret).update(`login ${kind}: ${text}`).digest('hex');
}

const refusals = {
  invalid_credentials: 'E-mail and password do not match an account.',
  account_pending_approval: 'The account waits for the approval of an administrator.',
  account_deactivated: 'The account was deactivated. Ask an administrator.',
} as const;

export interface RefusedLogin {
  /** The reason, or the seconds to wait. */
  reason: keyof typeof refusals | number;
  /** The sentence, where the reason has another one. */
  words?: string;
}

/** Records a login that failed, and throws. */
export async function refuseLogin(
  db: Database,
  user: UserRow | undefined,
  { clientHash }: SessionRequest,
  { reason, words }: RefusedLogin,
): Promise<never> {
  const code = typeof reason === 'number' ? 'too_many_failures' : reason;
  await inTransaction(db, (trx) =>
    appendAudit(trx, {
      actorUserId: user?.id ?? null,
      action: 'login_fail',
      target: user === undefined ? null : userTarget(user.id),
      payload: { reason: code, address_hash: clientHash },
    }),
  );
  if (typeof reason !== 'number') throw new ProblemError(reason, words ?? refusals[reason]);
  throw new ProblemError('too_many_failures', `Too many failed logins. Try again in ${reason} s.`, {
    headers: { 'retry-after': String(reason) },
  });
}

/**
 * Opens a session of an active account, and records it. The account is locked, so that no session opens while the account
 * is being deactivated.
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
  await appendAudit(trx, { actorUserId: user.id, action: 'login_ok', target: userTarget(user.id), payload });
  return { user, token: issued.token };
}

/** Revokes the session of a cookie; a cookie that is not ours is ignored. */
export async function logOut(db: Database, secret: string, token: string | undefined): Promise<void> {
  const claims = token === undefined ? null : await readToken(secret, token);
  const jti = claims?.jti;
  if (claims === null || !jti) return;
  await inTransaction(db, async (trx) => {
    const userId = await revokeSession(trx, jti);
    if (userId === undefined) return;
    await appendAudit(trx, { actorUserId: userId, action: 'logout', target: userTarget(userId) });
  });
}
