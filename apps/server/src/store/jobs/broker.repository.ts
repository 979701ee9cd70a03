import type { Database, Queryable, Transaction } from '../postgres/connection.js';
import { grouped } from '../postgres/grouped.js';

/**
 * The rows of broker.message are the queues of the embedded broker. A message that is locked is in work at
 * `locked_by`.
 */
export interface NewMessage {
  queue: string;
  body: Uint8Array;
  headers: Record<string, string>;
  delayMs: number;
}

export interface TakenMessage {
  id: number;
  body: Buffer;
  headers: Record<string, string>;
  /** The first delivery counts as 1. */
  deliveries: number;
}

export interface DeadMessage {
  id: number;
  body: Buffer;
  headers: Record<string, string>;
  created_at: string;
}

export const brokerChannel = 'kindred_broker';
/** Session locks, by which consumers show that they are alive, have this first key. */
export const brokerLockClass = 740_211;
export const deadQueueHeader = 'x-death-queue';
export const deadTimeHeader = 'x-death-time';
const deadLetters = 'svc.dead-letter';

/**
 * The setting ends its statement without waiting for the disk. It is only for locks and acknowledgements: if
 * a crash of the server loses one, a message is delivered again, which consumers expect. A message itself is
 * never lost.
 */
const asyncCommit = "(select set_config('synchronous_commit', 'off', true)) asyncCommit";

/** Unlocks messages, and wakes the consumers of their queues. */
const releaseWhere = (condition: string) => `
  with released as (
    update broker.message set locked_by = null, locked_until = null where locked_by is not null and ${condition} returning queue)
  select pg_notify('${brokerChannel}', queue) from (select distinct queue from released) ready`;

const writeMessages = async (db: Queryable | Transaction, messages: readonly NewMessage[]): Promise<void> => {
  const connection = 'client' in db ? db.client : (db as Database).pool;
  await connection.query(
    `with sent as (
       insert into broker.message (queue, body, headers, ready_at)
       select queue, body, headers::jsonb, clock_timestamp() + delay_ms * interval '1 millisecond'
       from unnest($1::text[], $2::bytea[], $3::text[], $4::float8[]) with ordinality as t (queue, body, headers, delay_ms, position)
       order by position
       returning queue, ready_at)
     select pg_notify('${brokerChannel}', queue) from (select distinct queue from sent where ready_at <= clock_timestamp()) ready`,
    [
      messages.map((message) => message.queue),
      messages.map(({ body }) => Buffer.from(body.buffer, body.byteOffset, body.byteLength)),
      messages.map((message) => JSON.stringify(message.headers)),
      messages.map((message) => message.delayMs),
    ],
  );
};

const writeFewMessages = grouped(async (db, groups: readonly (readonly NewMessage[])[]): Promise<void[]> => {
  await writeMessages(db, groups.flat());
  return groups.map(() => {});
});
/** Up to these limits, messages may share a statement with others. */
const fewMessages = 16;
const fewBytes = 64 << 10;

/**
 * Inserts messages in the given order; all become visible when the caller's transaction (or this statement)
 * commits.
 */
export async function insertMessages(
  db: Database | Transaction,
  messages: readonly NewMessage[],
): Promise<void> {
  const bytes = messages.reduce((sum, { body }) => sum + body.byteLength, 0);
  const isSmall = messages.length <= fewMessages && bytes <= fewBytes;
  await (isSmall ? writeFewMessages(db, messages) : writeMessages(db, messages));
}

/** Locks up to `limit` ready messages for `owner`, oldest first, and skips those that others are taking. */
export async function takeMessages(
  db: Database,
  queue: string,
  options: { owner: string; limit: number; leaseSeconds: number },
): Promise<TakenMessage[]> {
  const { rows } = await db.pool.query(
    `with next as (
       select id from broker.message where queue = $1 and ready_at <= now() and locked_by is null
       order by ready_at, id limit $2 for update skip locked)
     update broker.message m set locked_by = $3, locked_until = now() + $4 * interval '1 second', deliveries = deliveries + 1
     from next, ${asyncCommit} where m.id = next.id
     returning m.id, m.body, m.headers, m.deliveries, extract(epoch from m.ready_at)::float8 as ready`,
    [queue, options.limit, options.owner, options.leaseSeconds],
  );
  return rows.sort((a, b) => a.ready - b.ready || a.id - b.id);
}

/** Gives the milliseconds until the next delayed message of the queue is due, or null. */
export async function nextDueMs(db: Database, queue: string): Promise<number | null> {
  const { rows } = await db.pool.query(
    `select (extract(epoch from ready_at - now()) * 1000)::float8 as ms
     from broker.message where queue = $1 and ready_at > now() order by ready_at limit 1`,
    [queue],
  );
  return rows[0]?.ms ?? null;
}

/** Deletes messages that are done, except those that another owner has taken over from `owner`. */
export async function deleteMessages(db: Database, owner: string, ids: readonly number[]): Promise<void> {
  await db.pool.query('delete from broker.message where id = any($1::bigint[]) and locked_by = $2', [
    ids,
    owner,
  ]);
}

/** Puts messages back to their places in the queues. */
export async function releaseMessages(db: Database, owner: string, ids: readonly number[]): Promise<void> {
  await db.pool.query(releaseWhere('id = any($1::bigint[]) and locked_by = $2'), [ids, owner]);
}

/**
 * Moves messages to the dead letters, with headers that say where and when they died; a dead letter that is
 * rejected is gone.
 */
export async function buryMessages(db: Database, owner: string, ids: readonly number[]): Promise<void> {
  await db.pool.query(
    `with dead as (delete from broker.message where id = any($1::bigint[]) and locked_by = $2 returning *)
     insert into broker.message (queue, body, headers)
     select $3, body, headers || jsonb_build_object($4::text, queue, $5::text, to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
     from dead where queue <> $3 order by id`,
    [ids, owner, deadLetters, deadQueueHeader, deadTimeHeader],
  );
}

export async function renewLeases(
  db: Database,
  owner: string,
  { ids, leaseSeconds }: { ids: readonly number[]; leaseSeconds: number },
): Promise<void> {
  await db.pool.query(
    `update broker.message set locked_until = now() + $3 * interval '1 second'
     from ${asyncCommit} where id = any($1::bigint[]) and locked_by = $2`,
    [ids, owner, leaseSeconds],
  );
}

/** Finds owners of locked messages whose session is gone. */
export async function absentOwners(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query(
    `select distinct locked_by as owner from broker.message
     where locked_by is not null and not exists (
       select from pg_locks l where l.locktype = 'advisory' and l.classid = $1 and l.objid::text = locked_by and l.objsubid = 2
         and l.database = (select oid from pg_database where datname = current_database()))`,
    [brokerLockClass],
  );
  return rows.map(({ owner }) => owner);
}

/** Gives back the messages whose lease was not renewed. */
export async function releaseExpired(db: Database): Promise<void> {
  await db.pool.query(releaseWhere('locked_until < now()'));
}

/** Gives back the messages that `owner` took from the queue, except those that it knows of. */
export async function releaseUnknown(
  db: Database,
  queue: string,
  { owner, held }: { owner: string; held: readonly number[] },
): Promise<void> {
  await db.pool.query(releaseWhere('queue = $1 and locked_by = $2 and id <> all($3::bigint[])'), [
    queue,
    owner,
    held,
  ]);
}

/** Gives back the messages that the owners held. */
export async function releaseOwners(db: Database, owners: readonly string[]): Promise<void> {
  await db.pool.query(releaseWhere('locked_by = any($1::text[])'), [owners]);
}

export async function countReady(db: Database, queue: string): Promise<number> {
  const { rows } = await db.pool.query(
    'select count(*) as count from broker.message where queue = $1 and ready_at <= now() and locked_by is null',
    [queue],
  );
  return rows[0].count;
}

/** Lists dead letters, oldest first. */
export async function listDeadLetters(db: Database, limit: number): Promise<DeadMessage[]> {
  const { rows } = await db.pool.query(
    `select id, body, headers, created_at from broker.message where queue = $1 and locked_by is null order by ready_at, id limit $2`,
    [deadLetters, limit],
  );
  return rows;
}

/** Sends dead letters, oldest first, back to the queues that they died on, and returns how many. */
export async function replayDeadLetters(db: Database, limit: number): Promise<number> {
  const { rows } = await db.pool.query(
    `with chosen as (
       select id from broker.message where queue = $1 and locked_by is null and headers ? $3::text
       order by ready_at, id limit $2 for update skip locked),
     dead as (delete from broker.message m using chosen where m.id = chosen.id returning m.*),
     sent as (
       insert into broker.message (queue, body, headers)
       select headers ->> $3::text, body, headers - $3::text - $4::text from dead order by ready_at, id returning queue)
     select count(*) as count, count(pg_notify('${brokerChannel}', queue)) from sent`,
    [deadLetters, limit, deadQueueHeader, deadTimeHeader],
  );
  return rows[0].count;
}

export async function purgeDeadLetters(db: Database): Promise<number> {
  const result = await db.pool.query('delete from broker.message where queue = $1 and locked_by is null', [
    deadLetters,
  ]);
  return result.rowCount ?? 0;
}
