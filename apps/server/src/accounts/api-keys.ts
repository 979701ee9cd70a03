import { type AccountRole, atLeast, ProblemError, roleOf } from '@kindred/contracts';
import { appendAudit } from '../store/accounts/audit.repository.js';
import {
  type ApiKeyRow,
  findKey,
  findKeyByHash,
  insertApiKey,
  listApiKeys,
  revokeKey,
} from '../store/accounts/api-keys.repository.js';
import { type Database, inTransaction, type Transaction } from '../store/postgres/db.js';
import { findUser, lockUser } from '../store/accounts/users.repository.js';
import type { Principal } from './principal.js';
import { issueToken, randomSecret, sha256Hex } from './tokens.js';

export interface KeyRequest {
  name: string;
  /** The key gets this role; by default, it gets that of the caller, but at most that of the owner. */
  role?: AccountRole;
  /** The key belongs to the owner of this id, which only administrators may name. */
  userId?: string;
  /** The flag is true for a key of the command line of the service's own machine. */
  forMachine?: boolean;
}

/**
 * Makes a key and returns it raw, for the only time.
 * @throws ProblemError role_too_low (above one's own role, or another's key without being admin), not_found (owner),
 * conflict (a researcher who has one)
 */
export async function mintApiKey(
  db: Database,
  principal: Principal,
  request: KeyRequest,
): Promise<{ key: ApiKeyRow; raw: string }> {
  const owner = await ownerOf(db, principal, request.userId);
  const ownerRole = roleOf(owner.role) as AccountRole;
  const highest = atLeast(ownerRole, principal.role) ? principal.role : ownerRole;
  const role = request.role ?? (highest as AccountRole);
  if (!atLeast(highest, role)) {
    throw new ProblemError(
      'role_too_low',
      `A key of role ${role} is above ${highest}, the highest possible here.`,
    );
  }
  const raw = randomSecret(32);
  return inTransaction(db, async (trx) => {
    await refuseSecondKey(trx, owner.id);
    const key = await insertApiKey(trx, {
      user_id: owner.id,
      name: request.name,
      prefix: raw.slice(0, 8),
      key_hash: sha256Hex(raw),
      role,
      for_machine: request.forMachine ?? false,
    });
    await appendAudit(trx, {
      actorUserId: principal.user?.id ?? null,
      action: 'api_key_mint',
      target: `api_key:${key.id}`,
      payload: { name: key.name, prefix: key.prefix, role, owner_user_id: owner.id },
    });
    return { key, raw };
  });
}

/** The owner is locked, so that the second of two simultaneous requests sees the key of the first. */
async function refuseSecondKey(trx: Transaction, ownerId: string): Promise<void> {
  const owner = await lockUser(trx, ownerId);
  if (owner === undefined || atLeast(roleOf(owner.role), 'operator')) return;
  const { rows } = await listApiKeys(trx, { userId: ownerId, includeRevoked: false, limit: 1 });
  const active = rows.at(0);
  if (active === undefined) return;
  throw new ProblemError(
    'conflict',
    `A researcher can have one active API key, and ${active.prefix}... is active. Revoke it first, then make another.`,
  );
}

async function ownerOf(db: Database, principal: Principal, userId: string | undefined) {
  if (userId !== undefined && userId !== principal.user?.id) {
    if (principal.role !== 'admin') {
      throw new ProblemError(
        'role_too_low',
        'Only an admin makes keys for another user (required role: admin).',
      );
    }
    const user = await findUser(db, userId);
    if (user === undefined) throw new ProblemError('not_found', `No user ${userId}.`);
    return user;
  }
  if (principal.user === null) {
    throw new ProblemError(
      'validation_failed',
      'Without authentication a key needs an owner: give user_id.',
      { errors: [{ path: '/user_id', message: 'give the id of the owner', code: 'required' }] },
    );
  }
  return principal.user;
}

/** Revokes a key. Owners revoke their own keys, and admins any. A second call changes nothing. */
export async function revokeApiKey(db: Database, principal: Principal, id: string): Promise<ApiKeyRow> {
  const before = await findKey(db, id);
  // A key of another account looks like an absent one to callers who may not see it.
  if (before === undefined || (principal.role !== 'admin' && before.user_id !== principal.user?.id)) {
    throw new ProblemError('not_found', `No API key ${id} of yours.`);
  }
  if (before.revoked_at !== null) return before;
  return inTransaction(db, async (trx) => {
    const key = await revokeKey(trx, id);
    if (key === undefined) throw new ProblemError('not_found', `No API key ${id}.`);
    await appendAudit(trx, {
      actorUserId: principal.user?.id ?? null,
      action: 'api_key_revoke',
      target: `api_key:${id}`,
      payload: { name: key.name, prefix: key.prefix },
    });
    return key;
  });
}

/** Makes a short-lived Bearer token for a key; it ends at the latest with the key. */
export async function exchangeKey(
  db: Database,
  secret: string,
  raw: string,
  ttlSeconds: number,
): Promise<{ token: string; expiresIn: number; role: AccountRole; keyId: string }> {
  const found = await findKeyByHash(db, sha256Hex(raw));
  if (found === undefined || found.owner.status !== 'active') {
    throw new ProblemError(
      'credential_invalid',
      'The API key is unknown or revoked, or its owner is not active.',
    );
  }
  const keyRole = roleOf(found.key.role);
  const ownerRole = roleOf(found.owner.role);
  const role = (atLeast(keyRole, ownerRole) ? ownerRole : keyRole) as AccountRole;
  const { token } = await issueToken(secret, { subject: found.key.id, role, ttlSeconds });
  return { token, expiresIn: ttlSeconds, role, keyId: found.key.id };
}
