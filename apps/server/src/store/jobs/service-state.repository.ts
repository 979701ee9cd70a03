import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

/** The metrics read this state of the service from its tables. */
export interface ServiceState {
  /**
   * Each queue with open jobs shows how many are QUEUED (and due) or RUNNING, and the age of the oldest in
   * seconds.
   */
  jobs: { queue: string; status: string; count: number; oldest_seconds: number }[];
  /** The batches of running jobs either wait for a place, or are with the broker or in work. */
  batches: { queue: string; state: string; count: number }[];
  database_bytes: number;
}

export async function serviceState(db: Queryable): Promise<ServiceState> {
  const { rows } = await sql<ServiceState>`
    with open_job as (
      select queue_name as queue, status, count(*) as count,
        extract(epoch from clock_timestamp() - min(coalesce(started_at, greatest(created_at, not_before))))::float8 as oldest_seconds
      from job where status = 'RUNNING'
        or (status = 'QUEUED' and (not_before is null or not_before < clock_timestamp())
          and (waits_for_job_id is null or published_at is not null))
      group by queue_name, status
    ), batch as (
      select b.queue_name as queue, case when b.published_at is null then 'waiting' else 'published' end as state, count(*) as count
      from job j join job_batch b on b.parent_job_id = j.id and b.state = 'pending'
      where j.status = 'RUNNING' and j.dispatched_at is not null group by 1, 2
    )
    select (select coalesce(json_agg(open_job), '[]') from open_job) as jobs,
      (select coalesce(json_agg(batch), '[]') from batch) as batches,
      pg_database_size(current_database()) as database_bytes`.execute(db);
  return rows[0];
}
