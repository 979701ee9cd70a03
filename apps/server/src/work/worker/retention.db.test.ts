import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultsOf } from '../../ground/settings/setting-row.js';
import { retentionSettingRows } from '../../ground/settings/retention.js';
import {
  closeDatabase,
  type Database,
  inTransaction,
  openDatabase,
} from '../../store/postgres/connection.js';
import {
  deleteExpiredPredictionSets,
  deleteExpiredQuerySets,
} from '../../store/maintenance/expiry.repository.js';
import { testDatabase } from '../../testing/test-database.js';
import { forgetOld } from './retention.js';

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 2);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

const kept = defaultsOf(retentionSettingRows);
const daysOfRound = 14;
const jobsOfRound = 42;
const eventsOfJob = 6;

/** Adds the rows of two weeks: ended annotations of people without an account, their uploads, and visits. */
async function liveOneRound(round: number): Promise<void> {
  await sql`
    with age as (select n, clock_timestamp() - n * (${daysOfRound} * interval '1 day') / ${jobsOfRound} as at
        from generate_series(1, ${jobsOfRound}) n),
      s as (insert into sequence (sequence, sequence_md5, length)
        select ${`W${round}N`} || n, md5(${`W${round}N`} || n), 4 from age returning id, sequence),
      q as (insert into query_set (name, entry_count, expires_at)
        select ${`W${round}N`} || n, 1, at + interval '1 day' from age returning id, name),
      e as (insert into query_set_entry (query_set_id, position, header, accession, sequence_id)
        select q.id, 0, 'q', 'q', s.id from q join s on s.sequence = q.name),
      j as (insert into job (operation, queue_name, payload, status, created_at, finished_at)
        select 'predict_go_terms', 'svc.predictions', jsonb_build_object('query_set_id', q.id), 'SUCCEEDED', at, at
        from age join q on q.name = ${`W${round}N`} || n returning id, finished_at),
      b as (insert into job_batch (parent_job_id, batch_index, queue_name, operation, payload, state)
        select id, 0, 'q', 'o', '{}', 'stored' from j),
      v as (insert into job_event (job_id, event, ts)
        select id, 'step' || n, finished_at from j, generate_series(1, ${eventsOfJob}) n)
    insert into visitor_event (visitor_hash, occurred_at)
      select lpad((n % 5)::text, 16, '0'), at from age, generate_series(1, 3) order by at`.execute(db);
  // Jobs of someone with an account stay.
  await sql`
    with j as (insert into job (operation, queue_name, status, owner_user_id, created_at, finished_at)
      select 'ping', 'svc.ping', 'SUCCEEDED', gen_random_uuid(), clock_timestamp(), clock_timestamp()
      from generate_series(1, 2) returning id)
    insert into job_event (job_id, event) select id, 'step' || n from j, generate_series(1, 3) n`.execute(db);
}

/** Moves the clock by two weeks: everything becomes older. */
async function moveClock(): Promise<void> {
  const round = sql`${daysOfRound} * interval '1 day'`;
  await sql`update job set created_at = created_at - ${round}, finished_at = finished_at - ${round}`.execute(
    db,
  );
  await sql`update query_set set expires_at = expires_at - ${round}`.execute(db);
  await sql`update visitor_event set occurred_at = occurred_at - ${round}`.execute(db);
  await sql`update visitor_day set day = day - 7000 - ${daysOfRound}::integer`.execute(db);
  await sql`update visitor_day set day = day + 7000`.execute(db);
}

async function forgetAll(): Promise<void> {
  for (let more = true; more; ) {
    const forgotten = await inTransaction(db, async (trx) => {
      await deleteExpiredQuerySets(trx, { sets: 1000, rows: 1000 });
      return forgetOld(trx, kept);
    });
    more = Object.values(forgotten).some((count) => count > 0);
  }
}

async function counts(): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*) from sequence) as sequences, (select count(*) from query_set) as query_sets,
    (select count(*) from job where owner_user_id is null) as anonymous_jobs,
    (select count(*) from job where owner_user_id is not null) as own_jobs,
    (select count(*) from job_batch) as batches, (select count(*) from job_event) as events,
    (select count(*) from visitor_event) as visits, (select count(*) from visitor_day) as days,
    (select sum(visits) from visitor_day)::bigint as counted`.execute(db);
  return rows[0];
}

it('keeps the tables of a busy year bounded, and the jobs of accounts', async () => {
  const most: Record<string, number> = {};
  for (let round = 0; round < 26; round++) {
    await moveClock();
    await liveOneRound(round);
    await forgetAll();
    for (const [name, count] of Object.entries(await counts())) most[name] = Math.max(most[name] ?? 0, count);
  }
  const perDay = jobsOfRound / daysOfRound;
  const ownJobs = 26 * 2;
  expect(most.sequences).toBeLessThanOrEqual(3 * perDay);
  expect(most.query_sets).toBeLessThanOrEqual(3 * perDay);
  expect(most.anonymous_jobs).toBeLessThanOrEqual((kept.anonymousJobDays + 2) * perDay);
  expect(most.batches).toBeLessThanOrEqual((kept.anonymousJobDays + 2) * perDay);
  expect(most.own_jobs).toBe(ownJobs);
  // One event of each job stays for the whole time, and all events for 90 days.
  expect(most.events).toBeLessThanOrEqual(
    (kept.anonymousJobDays + 2) * perDay * eventsOfJob + ownJobs + 2 * 2 * 14,
  );
  expect(most.visits).toBeLessThanOrEqual((kept.visitDays + 2) * perDay * 3);
  // Every visit is counted, in its own row or in that of its day.
  const { visits, counted } = await counts();
  expect(visits + counted).toBe(26 * jobsOfRound * 3);
});

it('forgets in a round as many expired sets as have so many rows together, and at least one', async () => {
  await sql`
    with s as (insert into ontology_snapshot (obo_version, obo_url, obo_sha256, term_counts, relationship_count, alt_id_count)
        values ('o', 'x', repeat('0', 64), '{}', 0, 0) returning id),
      sizes as (select * from (values (4, 3), (3, 5), (2, 100), (1, 1)) v (age, rows)),
      q as (insert into query_set (name, entry_count, expires_at)
        select 'expired', rows, clock_timestamp() - age * interval '1 hour' from sizes)
    insert into prediction_set (ontology_snapshot_id, limit_per_entry, prediction_count, expires_at)
      select s.id, 1, rows, clock_timestamp() - age * interval '1 hour' from s, sizes`.execute(db);
  for (const forget of [deleteExpiredPredictionSets, deleteExpiredQuerySets]) {
    const round = (rows: number, sets = 10) => inTransaction(db, (trx) => forget(trx, { sets, rows }));
    expect(await round(8)).toBe(2);
    expect(await round(8)).toBe(1);
    expect(await round(8)).toBe(1);
    expect(await round(8)).toBe(0);
  }
});

it('counts and deletes the visits of many days in one round', async () => {
  await sql`delete from visitor_event`.execute(db);
  await sql`delete from visitor_day`.execute(db);
  await sql`insert into visitor_event (visitor_hash, occurred_at)
    select lpad((n % 5)::text, 16, '0'), clock_timestamp() - make_interval(days => day)
    from generate_series(${kept.visitDays + 60}::integer, ${kept.visitDays}::integer, -1) day, generate_series(1, 20) n`.execute(
    db,
  );
  expect((await inTransaction(db, (trx) => forgetOld(trx, kept))).visits).toBe(60 * 20);
  const { rows } = await sql<{ days: number; visits: number; visitors: number }>`
    select count(*) as days, min(visits) as visits, max(visitors) as visitors from visitor_day`.execute(db);
  expect(rows).toEqual([{ days: 60, visits: 20, visitors: 5 }]);
  expect((await counts()).visits).toBe(20);
});

it('leaves running work, young rows and the last event of an ended job alone', async () => {
  const { rows } = await sql<{ id: string }>`
    insert into job (operation, queue_name, status, finished_at) values
      ('ping', 'svc.ping', 'RUNNING', null),
      ('ping', 'svc.ping', 'SUCCEEDED', clock_timestamp() - interval '91 days'),
      ('ping', 'svc.ping', 'SUCCEEDED', clock_timestamp() - interval '89 days') returning id`.execute(db);
  const [running, old, young] = rows.map((row) => row.id);
  await sql`insert into job_event (job_id, event) select id, e from unnest(${[running, old, young]}::uuid[]) id,
    unnest(array['job.started', 'job.succeeded']) e`.execute(db);
  await forgetAll();
  const left = async (id: string) =>
    (
      await sql<{ event: string }>`select event from job_event where job_id = ${id} order by id`.execute(db)
    ).rows.map((row) => row.event);
  expect(await left(running)).toHaveLength(2);
  expect(await left(young)).toHaveLength(2);
  expect(await left(old)).toEqual(['job.succeeded']);
});
