import { type Selectable, sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Tables } from '../postgres/tables.generated.js';

export type DeliveryRow = Selectable<Tables['webhook_delivery']>;
/** The delivery can be sent now, and its webhook is held until the lease ends. */
export interface ClaimedDelivery
  extends Pick<DeliveryRow, 'id' | 'webhook_id' | 'event' | 'job' | 'attempts' | 'created_at'> {
  user_id: string;
  url: string;
  secret_number: number;
  secret_sha256: string;
  /** The flag is true while the previous secret still signs. */
  former_secret: boolean;
  /** The webhook has failed this often since its last success. */
  failures: number;
}

/** Queues a message that belongs to no job. */
export async function insertTestDelivery(
  trx: Transaction,
  webhookId: string,
  event: string,
): Promise<DeliveryRow> {
  return trx
    .insertInto('webhook_delivery')
    .values({ webhook_id: webhookId, event })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Lists deliveries, newest first. */
export async function listDeliveries(
  db: Queryable,
  { webhookId, ...page }: { webhookId: string; limit: number; after?: Cursor },
): Promise<Page<DeliveryRow>> {
  const query = db.selectFrom('webhook_delivery').selectAll().where('webhook_id', '=', webhookId);
  return pageOf(db, query, { table: 'webhook_delivery' }, page);
}

/**
 * Claims one delivery each of up to `limit` webhooks, those with the fewest failures first, but none of a
 * webhook that another process holds.
 */
export async function claimDeliveries(
  db: Queryable,
  limit: number,
  leaseSeconds: number,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with free as (
      select w.id from webhook w join user_account u on u.id = w.user_id
      where w.id in (select webhook_id from webhook_delivery
          where state = 'waiting' and next_attempt_at <= clock_timestamp())
        and w.disabled_at is null and u.status = 'active' and w.not_before <= clock_timestamp()
        and (w.sending_until is null or w.sending_until < clock_timestamp())
      order by w.failures, w.not_before limit ${limit} for no key update of w skip locked
    ), held as (
      update webhook w set sending_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
      from free where w.id = free.id returning w.*
    )
    select d.*, h.user_id, h.url, h.secret_number, h.secret_sha256, h.failures,
      coalesce(h.previous_secret_until > clock_timestamp(), false) as former_secret
    from held h cross join lateral (
      select id, webhook_id, event, job, attempts, created_at from webhook_delivery
      where webhook_id = h.id and state = 'waiting' and next_attempt_at <= clock_timestamp()
      order by next_attempt_at limit 1) d`.execute(db);
  return rows;
}

// A settlement locks the webhook first, as a deletion does; otherwise the two could wait for each other.

/** The attempt succeeded, so the webhook works. */
export async function settleDelivered(
  trx: Transaction,
  { id, webhook_id }: ClaimedDelivery,
  status: number,
): Promise<void> {
  await sql`
    update webhook set failures = 0, failing_since = null, sending_until = null where id = ${webhook_id}`.execute(
    trx,
  );
  await sql`
    update webhook_delivery set state = 'delivered', attempts = attempts + 1, response_status = ${status},
      error = null, next_attempt_at = null, last_attempt_at = clock_timestamp(), ended_at = clock_timestamp()
    where id = ${id} and state = 'waiting'`.execute(trx);
}

export interface FailedAttempt {
  status: number | null;
  error: string;
  /** The next attempt of this delivery comes after so many seconds. */
  retrySeconds: number;
  /** The next attempt of any delivery of the webhook comes after so many seconds. */
  pauseSeconds: number;
  /** A delivery has failed if its next attempt would come later than this after it was queued. */
  limitHours: number;
}

/**
 * Returns true if the webhook has taken nothing for `limitHours`; null means that it was deleted meanwhile.
 */
export async function settleFailed(
  trx: Transaction,
  { id, webhook_id }: ClaimedDelivery,
  { status, error, retrySeconds, pauseSeconds, limitHours }: FailedAttempt,
): Promise<boolean | null> {
  const { rows } = await sql<{ over: boolean }>`
    update webhook set failures = failures + 1, failing_since = coalesce(failing_since, clock_timestamp()),
      sending_until = null, not_before = clock_timestamp() + make_interval(secs => ${pauseSeconds})
    where id = ${webhook_id}
    returning failing_since < clock_timestamp() - make_interval(hours => ${limitHours}) as over`.execute(trx);
  await sql`
    update webhook_delivery d set attempts = attempts + 1, response_status = ${status}, error = ${error},
      last_attempt_at = clock_timestamp(),
      state = case when n.over then 'failed' else 'waiting' end,
      next_attempt_at = case when not n.over then n.at end,
      ended_at = case when n.over then clock_timestamp() end
    from (select id, at, at > created_at + make_interval(hours => ${limitHours}) as over
      from (select id, created_at, clock_timestamp() + make_interval(secs => ${retrySeconds}) as at
        from webhook_delivery where id = ${id}) a) n
    where d.id = n.id and d.state = 'waiting'`.execute(trx);
  return rows.at(0)?.over ?? null;
}
