import { sql } from 'kysely';
import type { Transaction } from '../postgres/connection.js';

const ended = sql`status in ('SUCCEEDED', 'FAILED', 'CANCELLED')`;
const before = (days: number) => sql`(clock_timestamp() - make_interval(days => ${days}::integer))`;

/** Deletes up to `limit` events of jobs that ended more than `days` ago, except the last event of each. */
export async function deleteOldEvents(trx: Transaction, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from job_event where id in (
      select e.id from job j join job_event e on e.job_id = j.id
      where j.finished_at < ${before(days)} and ${ended}
        and e.id < (select max(l.id) from job_event l where l.job_id = j.id)
      limit ${limit})`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}

/** Deletes up to `limit` deliveries of webhooks that ended more than `days` ago. */
export async function deleteOldDeliveries(trx: Transaction, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_delivery where id in (
      select id from webhook_delivery where ended_at < ${before(days)} order by ended_at limit ${limit})`.execute(
    trx,
  );
  return Number(numAffectedRows ?? 0n);
}

/** Deletes up to `limit` batches of jobs that ended more than `days` ago. */
export async function deleteOldBatches(trx: Transaction, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from job_batch where ctid in (
      select b.ctid from job j join job_batch b on b.parent_job_id = j.id
      where j.finished_at < ${before(days)} and ${ended} limit ${limit})`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Deletes up to `limit` jobs of annotations without an owner that ended more than `days` ago and whose query
 * set is gone; their events, batches and comments go with them.
 */
export async function deleteAnonymousJobs(trx: Transaction, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from job where id in (
      select j.id from job j
      where j.finished_at < ${before(days)} and ${ended} and j.owner_user_id is null
        and j.operation in ('compute_embeddings', 'predict_go_terms') and j.payload ? 'query_set_id'
        and not exists (select 1 from query_set q where q.id::text = j.payload ->> 'query_set_id')
        and not exists (select 1 from prediction_set p where p.job_id = j.id)
      order by j.finished_at limit ${limit} for update skip locked)`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Counts the visits of the oldest day (UTC) if it is more than `days` ago, deletes its rows, and returns how
 * many. Ids rise with time, so the first row is found without reading the others.
 */
export async function foldOldestVisits(trx: Transaction, days: number): Promise<number> {
  const { rows } = await sql<{ visits: number }>`
    with oldest as (
      select (occurred_at at time zone 'UTC')::date as day from visitor_event order by id limit 1
    ), gone as (
      delete from visitor_event v using oldest o
      where o.day < (${before(days)} at time zone 'UTC')::date
        and v.occurred_at >= o.day::timestamp at time zone 'UTC'
        and v.occurred_at < (o.day + 1)::timestamp at time zone 'UTC'
      returning o.day, v.visitor_hash
    ), counted as (
      insert into visitor_day (day, visits, visitors)
      select day, count(*), count(distinct visitor_hash) from gone group by day
      on conflict (day) do update set visits = visitor_day.visits + excluded.visits,
        visitors = greatest(visitor_day.visitors, excluded.visitors)
    )
    select count(*) as visits from gone`.execute(trx);
  return rows[0].visits;
}
