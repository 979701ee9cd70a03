import type { Selectable } from 'kysely';
import type { Transaction } from './db.js';
import type { AuditAuditLogTable } from './tables.js';

export type AuditRow = Selectable<AuditAuditLogTable>;

/** The acts that the log records. */
export type AuditAction =
  | 'signup'
  | 'login_ok'
  | 'login_fail'
  | 'logout'
  | 'role_change'
  | 'user_approve'
  | 'user_deactivate'
  | 'user_reactivate'
  | 'user_delete'
  | 'api_key_mint'
  | 'api_key_revoke'
  | 'admin_session_revoke'
  | 'db_reset';

export interface AuditEntry {
  actorUserId: string | null;
  action: AuditAction;
  /** `user:<id>` or `api_key:<id>`. */
  target: string | null;
  /** Never a password, a raw key, a token or an address. */
  payload?: Record<string, unknown>;
}

/** Appends to the log in the transaction of the act that it records. */
export async function appendAudit(trx: Transaction, entry: AuditEntry): Promise<void> {
  await trx
    .insertInto('audit.audit_log')
    .values({
      actor_user_id: entry.actorUserId,
      action: entry.action,
      target: entry.target,
      payload: JSON.stringify(entry.payload ?? {}),
    })
    .execute();
}
