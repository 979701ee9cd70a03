import type { Selectable } from 'kysely';
import type { AuditAction } from '@kindred/contracts/resources/audit';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type AuditRow = Selectable<Tables['audit.audit_log']>;

/** The acts that the log records. */
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

export interface AuditFilter {
  action?: AuditAction;
  actorUserId?: string;
  target?: string;
  /** ISO 8601; from this moment on. */
  since?: string;
  /** ISO 8601; before this moment. */
  untilExclusive?: string;
  limit: number;
  after?: Cursor;
}

/** Newest first. */
export async function listAudit(db: Queryable, filter: AuditFilter): Promise<Page<AuditRow>> {
  const { action, actorUserId, target, since, untilExclusive } = filter;
  let query = db.selectFrom('audit.audit_log').selectAll();
  if (action !== undefined) query = query.where('action', '=', action);
  if (actorUserId !== undefined) query = query.where('actor_user_id', '=', actorUserId);
  if (target !== undefined) query = query.where('target', '=', target);
  if (since !== undefined) query = query.where('occurred_at', '>=', since);
  if (untilExclusive !== undefined) query = query.where('occurred_at', '<', untilExclusive);
  return pageOf(db, query, { table: 'audit.audit_log', time: 'occurred_at' }, filter);
}
