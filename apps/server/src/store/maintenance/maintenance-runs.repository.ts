import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

/** Returns true for the one caller that does this chore today (within 24 hours of the last time). */
export async function claimDailyRun(db: Queryable, name: string): Promise<boolean> {
  const { rows } = await sql`
    insert into maintenance_run (name) values (${name})
    on conflict (name) do update set started_at = clock_timestamp()
      where maintenance_run.started_at < clock_timestamp() - interval '1 day'
    returning name`.execute(db);
  return rows.length > 0;
}

/** The chore failed, so any process may try it again in an hour. */
export async function retryDailyRun(db: Queryable, name: string): Promise<void> {
  await sql`update maintenance_run set started_at = clock_timestamp() - interval '23 hours'
    where name = ${name}`.execute(db);
}
