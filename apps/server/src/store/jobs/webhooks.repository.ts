import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Tables } from '../postgres/tables.generated.js';

export type WebhookRow = Selectable<Tables['webhook']>;

export async function insertWebhook(
  trx: Transaction,
  webhook: Insertable<Tables['webhook']>,
): Promise<WebhookRow> {
  return trx.insertInto('webhook').values(webhook).returningAll().executeTakeFirstOrThrow();
}

export async function countWebhooks(db: Queryable, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhook')
    .select(sql<number>`count(*)`.as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function findWebhook(db: Queryable, id: string): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function lockWebhook(trx: Transaction, id: string): Promise<WebhookRow | undefined> {
  return trx.selectFrom('webhook').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** Lists webhooks, newest first. */
export async function listWebhooks(
  db: Queryable,
  { userId, ...page }: { userId: string; limit: number; after?: Cursor },
): Promise<Page<WebhookRow>> {
  const query = db.selectFrom('webhook').selectAll().where('user_id', '=', userId);
  return pageOf(db, query, { table: 'webhook' }, page);
}

export async function updateWebhook(
  trx: Transaction,
  id: string,
  change: Updateable<Tables['webhook']>,
): Promise<WebhookRow> {
  return trx
    .updateTable('webhook')
    .set({ ...change, id })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Stops all sending: deliveries that wait have failed. */
export async function disableWebhook(trx: Transaction, id: string, reason: string): Promise<WebhookRow> {
  await sql`
    update webhook_delivery set state = 'failed', next_attempt_at = null, ended_at = clock_timestamp(),
      error = coalesce(error, 'The webhook was disabled.')
    where webhook_id = ${id} and state = 'waiting'`.execute(trx);
  return trx
    .updateTable('webhook')
    .set({ disabled_at: sql`clock_timestamp()`, disabled_reason: reason, sending_until: null })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteWebhook(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom('webhook').where('id', '=', id).execute();
}
