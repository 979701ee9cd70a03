import { atLeast, lowerOf, ProblemError, type Role, roleOf } from '@kindred/contracts';
import {
  findKeyByHash,
  findLiveKey,
  type OwnedKeyRow,
  touchKey,
} from '../store/accounts/api-keys.repository.js';
import type { Queryable } from '../store/postgres/db.js';
import { findSessionOwner } from '../store/accounts/sessions.repository.js';
import { findUser, type UserRow } from '../store/accounts/users.repository.js';
import { readToken, sha256Hex } from './tokens.js';

export type CredentialForm = 'bearer' | 'api-key' | 'cookie';
export interface Credential {
  form: CredentialForm;
  value: string;
}

/**
 * The principal is the caller. `role` is what the caller may do now, never more than the owner's role in the
 * database.
 */
export interface Principal {
  kind: 'anonymous' | 'account' | 'development';
  role: Role;
  user: UserRow | null;
  form: CredentialForm | null;
  /** A session has this id; null stands for another credential. */
  jti: string | null;
  /**
   * The caller's rate limits count by this key: `key:<prefix>` or `user:<id>`. It is null for anonymous
   * callers, who are counted by address.
   */
  limitKey: string | null;
}

export const anonymous: Principal = {
  kind: 'anonymous',
  role: 'viewer',
  user: null,
  form: null,
  jti: null,
  limitKey: null,
};
/** With SVC_AUTHN_REQUIRED=false, everyone passes as admin. */
export const development: Principal = { ...anonymous, kind: 'development', role: 'admin' };

/** An operator may change any row, a researcher only their own. */
export function mayChange({ role, user }: Principal, ownerUserId: string | null): boolean {
  if (atLeast(role, 'operator')) return true;
  return atLeast(role, 'researcher') && ownerUserId !== null && user?.id === ownerUserId;
}

/** @throws ProblemError not_owner */
export function requireOwner(principal: Principal, ownerUserId: string | null): void {
  if (mayChange(principal, ownerUserId)) return;
  throw new ProblemError('not_owner', 'The row belongs to someone else; this needs the role operator.');
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds the account behind a credential.
 * @throws ProblemError credential_invalid if the credential is unknown, expired, revoked or wrongly signed,
 * or if its owner is not active
 */
export async function authenticate(
  db: Queryable,
  secret: string,
  credential: Credential,
): Promise<Principal> {
  const principal =
    credential.form === 'api-key'
      ? await byKey(db, credential.value)
      : await byToken(db, secret, credential.value, credential.form);
  if (principal === null || principal.user?.status !== 'active') {
    throw new ProblemError('credential_invalid', sentences[credential.form]);
  }
  return principal;
}

const sentences: Record<CredentialForm, string> = {
  'api-key': 'The API key is unknown or revoked, or its owner is not active. Make a new one.',
  bearer: 'The Bearer token is expired, revoked or not signed by this service. Ask for a new one.',
  cookie: 'The session is over. Log in again.',
};

async function byKey(db: Queryable, raw: string): Promise<Principal | null> {
  const found = await findKeyByHash(db, sha256Hex(raw));
  if (found === undefined) return null;
  if (isUseOld(found.key.last_used_at)) await touchKey(db, found.key.id);
  return principalOfKey(found, 'admin', 'api-key');
}

/** The database decides by its own clock, but most requests need not ask it. */
function isUseOld(lastUsedAt: string | null): boolean {
  return lastUsedAt === null || Date.now() - Date.parse(lastUsedAt) > 60_000;
}

function principalOfKey({ key, owner }: OwnedKeyRow, atMost: Role, form: CredentialForm): Principal {
  return {
    kind: 'account',
    role: lowerOf(lowerOf(roleOf(key.role), roleOf(owner.role)), atMost),
    user: owner,
    form,
    jti: null,
    limitKey: `key:${key.prefix}`,
  };
}

async function byToken(
  db: Queryable,
  secret: string,
  token: string,
  form: CredentialForm,
): Promise<Principal | null> {
  const claims = await readToken(secret, token);
  if (claims === null || !uuidPattern.test(claims.subject)) return null;
  if (claims.jti !== null || form === 'cookie') {
    return bySession(db, token, claims, form);
  }
  // A token from /auth/api-key-login names its key, so that it ends with the key.
  const key = await findLiveKey(db, claims.subject);
  if (key !== undefined) return principalOfKey(key, claims.role, form);
  const user = await findUser(db, claims.subject);
  return user === undefined ? null : principalOfUser(user, claims.role, form, null);
}

async function bySession(
  db: Queryable,
  token: string,
  claims: { subject: string; role: Role; jti: string | null },
  form: CredentialForm,
): Promise<Principal | null> {
  if (claims.jti === null || !uuidPattern.test(claims.jti)) return null;
  const found = await findSessionOwner(db, claims.jti);
  if (found === undefined || found.id !== claims.subject.toLowerCase()) return null;
  const { token_hash, ...user } = found;
  if (token_hash !== sha256Hex(token)) return null;
  return principalOfUser(user, claims.role, form, claims.jti);
}

function principalOfUser(user: UserRow, atMost: Role, form: CredentialForm, jti: string | null): Principal {
  return {
    kind: 'account',
    role: lowerOf(roleOf(user.role), atMost),
    user,
    form,
    jti,
    limitKey: `user:${user.id}`,
  };
}
