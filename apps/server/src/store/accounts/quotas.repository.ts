import type { Role } from '@kindred/contracts';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { grouped } from '../postgres/grouped.js';

export interface Allowance {
  /** The key is a user id, `key:<prefix>`, or a salted hash of an address. */
  key: string;
  resource: string;
  /** A period allows at most this many units. */
  limit: number;
  /** Periods start at multiples of this since 1970 UTC, by the database's clock. */
  periodSeconds: number;
}

export interface Taken {
  granted: boolean;
  /** This number of units is used in this period after the call. */
  count: number;
  /** The next period begins after so many seconds; at least 1. */
  resetSeconds: number;
}

/**
 * Takes `units` from the allowance in one statement, so that concurrent processes together never exceed the
 * limit. A refusal takes nothing. Inside a transaction, the units come back with its rollback.
 */
export function takeUnits(db: Queryable, allowance: Allowance, units: number): Promise<Taken> {
  return takeTogether(db, { allowance, units });
}

/** Several calls together ask for more than is left, though it may be enough for some of them. */
class NotForAll extends Error {}

const takeTogether = grouped(
  async (db, calls: readonly { allowance: Allowance; units: number }[]): Promise<Taken[]> => {
    const [{ allowance }] = calls;
    const wanted = calls.reduce((sum, { units }) => sum + units, 0);
    const taken = await takeAtOnce(db, allowance, wanted);
    if (!taken.granted && calls.length > 1) throw new NotForAll();
    // The results are those of calls that come one after the other.
    let count = taken.count - (taken.granted ? wanted : 0);
    return calls.map(({ units }) => {
      if (taken.granted) count += units;
      return { ...taken, count };
    });
  },
  ({ allowance: { key, resource, limit, periodSeconds } }) =>
    JSON.stringify([key, resource, limit, periodSeconds]),
);

async function takeAtOnce(db: Queryable, allowance: Allowance, units: number): Promise<Taken> {
  const { key, resource, limit, periodSeconds } = allowance;
  const start = sql`to_timestamp(floor(extract(epoch from now()) / ${periodSeconds}) * ${periodSeconds})`;
  const { rows } = await sql<{ granted: number | null; reset_seconds: number }>`
    with taken as (
      insert into quota (key, resource, period_start, count, "limit")
      select ${key}, ${resource}, ${start}, ${units}::bigint, ${limit}::bigint where ${units}::bigint <= ${limit}::bigint
      on conflict (key, resource, period_start) do update
        set count = quota.count + excluded.count, "limit" = excluded."limit"
        where quota.count + excluded.count <= excluded."limit"
      returning count
    )
    select (select count from taken) as granted,
      greatest(1, ceil(extract(epoch from ${start} - now()) + ${periodSeconds}))::int as reset_seconds
  `.execute(db);
  const [row] = rows;
  const granted = row.granted !== null;
  return { granted, count: row.granted ?? (await usedUnits(db, allowance)), resetSeconds: row.reset_seconds };
}

/** Gives units back, for instance when a reserved attempt did not take place. */
export async function returnUnits(db: Queryable, allowance: Allowance, units: number): Promise<void> {
  await sql`
    update quota set count = greatest(0, count - ${units}::bigint)
    where key = ${allowance.key} and resource = ${allowance.resource}
      and period_start = to_timestamp(floor(extract(epoch from now()) / ${allowance.periodSeconds}) * ${allowance.periodSeconds})
  `.execute(db);
}

export async function usedUnits(db: Queryable, { key, resource, periodSeconds }: Allowance): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count from quota where key = ${key} and resource = ${resource}
      and period_start = to_timestamp(floor(extract(epoch from now()) / ${periodSeconds}) * ${periodSeconds})
  `.execute(db);
  return rows[0]?.count ?? 0;
}

export interface DailyUse {
  user_id: string | null;
  username: string | null;
  email: string | null;
  /** The owner has this role. `viewer` has no account; null means that the account is gone. */
  role: Role | null;
  sequences: number;
  jobs: number;
}

/**
 * Lists callers that used something of a daily quota today, those with the most sequences first; at most
 * `limit` of `total`.
 */
export async function usedToday(
  db: Queryable,
  limit: number,
): Promise<{ resetsAt: string; total: number; callers: DailyUse[] }> {
  const { rows } = await sql<{ resets_at: string; total: number; callers: DailyUse[] | null }>`
    with today as (
      select to_timestamp(floor(extract(epoch from now()) / 86400) * 86400) as start
    ), used as (
      select key,
        coalesce(sum(count) filter (where resource = 'sequences_per_day'), 0)::bigint as sequences,
        coalesce(sum(count) filter (where resource = 'jobs_per_day'), 0)::bigint as jobs
      from quota, today
      where period_start = today.start and resource in ('sequences_per_day', 'jobs_per_day') and count > 0
      group by key
    ), most as (
      select * from used order by sequences desc, jobs desc, key limit ${limit}
    )
    select today.start + interval '1 day' as resets_at, (select count(*) from used)::int as total,
      (select json_agg(json_build_object('user_id', u.id, 'username', u.username, 'email', u.email,
          'role', case when most.key like 'ip:%' then 'viewer' else u.role end,
          'sequences', most.sequences, 'jobs', most.jobs)
        order by most.sequences desc, most.jobs desc, most.key)
       from most left join user_account u on most.key = 'user:' || u.id::text) as callers
    from today
  `.execute(db);
  const [{ resets_at, total, callers }] = rows;
  return { resetsAt: resets_at, total, callers: callers ?? [] };
}

/** Removes counters of periods that are certainly over, because a period lasts at most a day. */
export async function deleteOldCounters(db: Queryable): Promise<number> {
  const result = await db
    .deleteFrom('quota')
    .where('period_start', '<', sql<string>`now() - interval '2 days'`)
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}

/** Gives the salt of the present UTC day, which all processes share; older salts are deleted. */
export async function saltOfToday(db: Queryable, fresh: Buffer): Promise<{ day: string; salt: Buffer }> {
  await sql`delete from daily_salt where day <> (now() at time zone 'utc')::date`.execute(db);
  const { rows } = await sql<{ day: string; salt: Buffer }>`
    insert into daily_salt (day, salt) values ((now() at time zone 'utc')::date, ${fresh})
    on conflict (day) do update set salt = daily_salt.salt
    returning day::text, salt
  `.execute(db);
  return rows[0];
}
