import { type Selectable, sql } from 'kysely';
import type { AuditAction } from '@kindred/contracts/audit-actions';
import { anywhere, type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type AuditRow = Selectable<Tables['audit.audit_log']>;

export interface AuditEntry {
  actorUserId: string | null;
  action: AuditAction;
  /** The target is `user:<id>`, `api_key:<id>` or `webhook:<id>`. */
  target: string | null;
  /** The payload never has a password, a raw key, a token or an address. */
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
  /** The text is part of a name, as `auditNames` gives them, or of an e-mail. */
  search?: string;
  /** The list begins at this moment, ISO 8601. */
  since?: string;
  /** The list ends before this moment, ISO 8601. */
  untilExclusive?: string;
  limit: number;
  after?: Cursor;
}

/**
 * A search finds at most this many accounts, keys and webhooks whose acts it looks up; a text that fits more
 * is too short to be useful.
 */
const maxFound = 500;

/** Lists the audit log, newest first. */
export async function listAudit(db: Queryable, filter: AuditFilter): Promise<Page<AuditRow>> {
  const { action, actorUserId, target, search, since, untilExclusive } = filter;
  let query = db.selectFrom('audit.audit_log').selectAll();
  if (action !== undefined) query = query.where('action', '=', action);
  if (actorUserId !== undefined) query = query.where('actor_user_id', '=', actorUserId);
  if (target !== undefined) query = query.where('target', '=', target);
  if (search !== undefined) {
    const targets = await targetsNamed(db, search);
    const users = targets.flatMap((one) => (one.startsWith('user:') ? [one.slice('user:'.length)] : []));
    query = query.where(
      sql<boolean>`(target = any(${targets}::text[]) or actor_user_id = any(${users}::uuid[]))`,
    );
  }
  if (since !== undefined) query = query.where('occurred_at', '>=', since);
  if (untilExclusive !== undefined) query = query.where('occurred_at', '<', untilExclusive);
  return pageOf(db, query, { table: 'audit.audit_log', time: 'occurred_at' }, filter);
}

/** Finds targets whose name has the text: existing ones, and those whose last act recorded their name. */
async function targetsNamed(db: Queryable, text: string): Promise<string[]> {
  const like = anywhere(text);
  const { rows } = await sql<{ target: string }>`
    (select 'user:' || id as target from user_account
      where email ilike ${like} or username ilike ${like} or display_name ilike ${like} limit ${maxFound})
    union (select 'api_key:' || id from api_key where name ilike ${like} or prefix ilike ${like} limit ${maxFound})
    union (select 'webhook:' || id from webhook where substring(url from '^[a-z]+://([^/?#]*)') ilike ${like} limit ${maxFound})
    union (select target from audit.audit_log
      where action = any(${namingActs}) and target is not null
        and (payload->>'username' ilike ${like} or payload->>'name' ilike ${like} or payload->>'prefix' ilike ${like}
          or payload->>'host' ilike ${like})
      order by occurred_at desc limit ${maxFound})`.execute(db);
  return rows.map((row) => row.target);
}

/** The entries of these acts keep the name of their target, which may be gone by now. */
const namingActs: readonly AuditAction[] = [
  'user_delete',
  'api_key_mint',
  'api_key_revoke',
  'webhook_create',
  'webhook_delete',
];

/** The map has the names of targets, by target (`user:<id>`). */
export type AuditNames = ReadonlyMap<string, string>;

export function userTarget(id: string): string {
  return `user:${id}`;
}

/**
 * Gives the names of the actors and targets of some entries: the present names, or the last one in the log if
 * the account, key or webhook is gone.
 */
export async function auditNames(
  db: Queryable,
  rows: readonly Pick<AuditRow, 'actor_user_id' | 'target'>[],
): Promise<AuditNames> {
  const targets = new Set(
    rows.flatMap(({ actor_user_id, target }) => [
      ...(actor_user_id === null ? [] : [userTarget(actor_user_id)]),
      ...(target === null ? [] : [target]),
    ]),
  );
  const idsOf = (kind: string) =>
    [...targets].flatMap((target) => (target.startsWith(`${kind}:`) ? [target.slice(kind.length + 1)] : []));
  const { rows: found } = await sql<{ target: string; name: string }>`
    select 'user:' || id as target, username as name from user_account where id = any(${idsOf('user')}::uuid[])
    union all select 'api_key:' || id, name || ' (' || prefix || '…)' from api_key where id = any(${idsOf('api_key')}::uuid[])
    union all select 'webhook:' || id, substring(url from '^[a-z]+://([^/?#]*)') from webhook
      where id = any(${idsOf('webhook')}::uuid[])`.execute(db);
  const names = new Map(found.map(({ target, name }) => [target, name]));
  const gone = [...targets].filter((target) => !names.has(target));
  if (gone.length > 0) for (const { target, name } of await lastNames(db, gone)) names.set(target, name);
  return names;
}

async function lastNames(
  db: Queryable,
  targets: readonly string[],
): Promise<{ target: string; name: string }[]> {
  const { rows } = await sql<{ target: string; name: string }>`
    select distinct on (target) target,
      coalesce(payload->>'username', payload->>'host',
        coalesce(payload->>'name' || ' ', '') || '(' || (payload->>'prefix') || '…)') as name
    from audit.audit_log
    where target = any(${targets}::text[]) and action = any(${namingActs})
      and payload ?| array['username', 'host', 'prefix']
    order by target, payload ? 'name' desc, occurred_at desc`.execute(db);
  return rows;
}
