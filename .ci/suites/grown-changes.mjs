// Checks the changes of a grown world: retention, the migrations of a new version, a reset.
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { retentionSettingRows } from '@kindred/server/ground/settings/retention';
import { migrate } from '@kindred/server/store/migrations/migrate';
import { closeDatabase, openDatabase } from '@kindred/server/store/postgres/connection';
import { earlierReleases, filesOfRelease } from '@kindred/testkit/previous-release';
import { caller } from '../../tools/grown-work.mjs';
import { differences, expect, withDatabaseOf } from './grown-lib.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const migrations = join(root, 'apps/server/src/store/migrations');
const patienceMs = 600_000;
const days = (name) => `make_interval(days => ${retentionSettingRows[name].schema.parse(undefined)})`;
const ended = `t.status in ('SUCCEEDED', 'FAILED', 'CANCELLED')`;
const gone = (table, column, at) =>
  `${column} in (select ${table === 'query_set' ? 'id' : 'number'} from ${table} x where x.expires_at < ${at})`;

/**
 * The rules for which rows of a table `t` must go, given a moment. Rows that go at none of the moments of the sweep must stay as they
 * are.
 */
const rules = {
  prediction_set: (at) => `t.expires_at < ${at}`,
  prediction_set_protein: (at) => gone('prediction_set', 't.prediction_set_number', at),
  go_prediction: (at) => gone('prediction_set', 't.prediction_set_number', at),
  go_prediction_pair_features: (at) => gone('prediction_set', 't.prediction_set_number', at),
  query_set: (at) => `t.expires_at < ${at}`,
  query_set_entry: (at) => gone('query_set', 't.query_set_id', at),
  job: (at) => `${ended} and t.finished_at < ${at} - ${days('anonymousJobDays')} and t.owner_user_id is null
    and t.operation in ('compute_embeddings', 'predict_go_terms') and t.payload ? 'query_set_id'
    and not exists (select 1 from query_set q where q.id::text = t.payload ->> 'query_set_id' and (q.expires_at is null or q.expires_at >= ${at}))`,
  job_event: (
    at,
  ) => `t.job_id in (select t.id from job t where ${rules.job(at)}) or t.id < (select max(l.id) from job_event l where l.job_id = t.job_id)
    and t.job_id in (select id from job t where ${ended} and t.finished_at < ${at} - ${days('eventDays')})`,
  job_batch: (at) =>
    `t.parent_job_id in (select id from job t where ${ended} and t.finished_at < ${at} - ${days('batchDays')} or ${rules.job(at)})`,
  webhook_delivery: (at) => `t.ended_at < ${at} - ${days('webhookDeliveryDays')}`,
  visitor_event: (at) =>
    `(t.occurred_at at time zone 'UTC')::date < ((${at} - ${days('visitDays')}) at time zone 'UTC')::date`,
};
/** The rows that do not change by themselves; a delivery that is still tried does. */
const settled = { webhook_delivery: 't.ended_at is not null', job: ended };
/** The tables that a service writes whenever it runs, or folds old rows into. */
const unsteady = new Set(
  'visitor_day daily_salt maintenance_run worker_metric idempotency_key quota bank_change protein_search protein_search_state sequence sequence_embedding user_session api_key backup service_state unsettled message audit_log'.split(
    ' ',
  ),
);

/** Notes, before the service starts, which rows must go, and which must stay even if the sweep takes an hour. */
async function foresee(db) {
  await db.pool.query('drop schema if exists foreseen cascade; create schema foreseen');
  let going = 0;
  for (const [table, rule] of Object.entries(rules)) {
    const { rowCount } = await db.pool.query(
      `create table foreseen.${table}_go as select md5(t::text) as row from ${table} t where ${rule('now()')}`,
    );
    going += rowCount;
    const { rows } = await db.pool.query(`select count(*)::integer as going from foreseen.${table}_go`);
    expect(
      rows[0].going > 0 || table === 'go_prediction_pair_features',
      `no row of ${table} goes: the world has nothing to forget there`,
    );
    await db.pool.query(`create table foreseen.${table}_stay as select md5(t::text) as row from ${table} t
      where (${rule(`(now() + interval '1 hour')`)}) is not true and ${settled[table] ?? 'true'}`);
  }
  return going;
}

async function countRows(db, text) {
  return (await db.pool.query(text)).rows[0].count;
}

/** Starts a service, waits until all rows that must go are gone, and compares. */
export async function retention(dataDir, serve) {
  const going = await withDatabaseOf(dataDir, foresee);
  const before = await withDatabaseOf(dataDir, steadyTables);
  const service = await serve(dataDir);
  try {
    await withDatabaseOf(dataDir, async (db) => {
      for (const table of Object.keys(rules)) {
        const left = `select count(*)::integer from foreseen.${table}_go join ${table} t on md5(t::text) = row`;
        for (const deadline = Date.now() + patienceMs; (await countRows(db, left)) > 0; await sleep(2000))
          expect(Date.now() < deadline, `${await countRows(db, left)} rows of ${table} are still there`);
      }
    });
  } finally {
    await service.stop();
  }
  await withDatabaseOf(dataDir, async (db) => {
    for (const table of Object.keys(rules)) {
      const lost = await countRows(
        db,
        `select count(*)::integer from (select row from foreseen.${table}_stay except all select md5(t::text) from ${table} t) lost`,
      );
      expect(lost === 0, `${lost} rows of ${table} that had to stay are gone or changed`);
    }
    const differing = differences(before, await steadyTables(db));
    expect(differing.length === 0, `these changed, too: ${differing}`);
    await db.pool.query('drop schema foreseen cascade');
  });
  return `${going} rows went, ${Object.keys(before).length} other tables are as they were`;
}

/** Returns digests of the tables that no rule is about. */
async function steadyTables(db) {
  const { rows } = await db.pool.query(
    `select c.relname as name, n.nspname || '.' || quote_ident(c.relname) as place from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'audit', 'broker') and c.relkind = 'r' order by 1`,
  );
  const found = {};
  for (const { name, place } of rows) {
    if (name in rules || unsteady.has(name) || /worker_process|process_report|schema_migration/.test(name))
      continue;
    const { rows: counted } = await db.pool.query(
      `select count(*) || ' ' || coalesce(sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint), 0) as digest from ${place} t`,
    );
    found[name] = counted[0].digest;
  }
  return found;
}

const shape = `
  select 'table' as kind, c.relname as name, '' as part from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname !~ '_s[0-9]+$'
  union all select 'column', c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped and c.relname !~ '_s[0-9]+$'
  union all select 'index', c.relname, '' from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('i', 'I') and c.relname !~ '_s[0-9]+_'
  union all select 'function', p.oid::regprocedure::text, '' from pg_proc p where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`;

/** Returns the names of the migrations that the version before lacks: those since the last release, or else the newest. */
async function newMigrations() {
  const names = readdirSync(migrations)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  expect(names.length > 1, `no migrations in ${migrations}`);
  const [release] = await earlierReleases();
  if (release === undefined) return names.slice(-1);
  // A baseline has been made since then, perhaps, of migrations that the release has one by one.
  const had = (await filesOfRelease(release, migrations)).filter((name) => name.endsWith('.sql')).sort();
  const since = names.filter((name) => name > had[had.length - 1]);
  return since.length === 0 ? names.slice(-1) : since;
}

/** Returns the shape of a database without some migrations. */
async function shapeWithout(missing, db, { url, folder }) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(migrations))
    if (name.endsWith('.sql') && !missing.includes(name))
      copyFileSync(join(migrations, name), join(folder, name));
  await db.pool.query('drop database if exists version_before');
  await db.pool.query("create database version_before template template0 encoding 'UTF8' locale 'C'");
  const other = new URL(url);
  other.pathname = '/version_before';
  const before = openDatabase(other.href, 1);
  try {
    await migrate(before, folder);
    return (await before.pool.query(shape)).rows;
  } finally {
    await closeDatabase(before);
    await db.pool.query('drop database version_before');
  }
}

/** Removes what was added since the version before. @returns the names of the migrations */
export async function goBack(db, folder) {
  const names = await newMigrations();
  const rows = await shapeWithout(names, db, { url: db.pool.options.connectionString, folder });
  const key = ({ kind, name, part }) => `${kind} ${name} ${part}`;
  const old = new Set(rows.map(key));
  const added = (await db.pool.query(shape)).rows.filter((row) => !old.has(key(row)));
  const tables = new Set(added.filter(({ kind }) => kind === 'table').map(({ name }) => name));
  for (const { kind, name, part } of added) {
    if (kind === 'table') await db.pool.query(`drop table "${name}" cascade`);
    else if (kind === 'column' && !tables.has(name))
      await db.pool.query(`alter table "${name}" drop column "${part}" cascade`);
    // With its triggers.
    else if (kind === 'function') await db.pool.query(`drop function if exists ${name} cascade`);
    else if (kind === 'index') await db.pool.query(`drop index if exists "${name}" cascade`);
  }
  await db.pool.query('delete from schema_migration where name = any($1)', [names]);
  return names;
}

export const countsOfTables = async (db) => {
  const { rows } = await db.pool.query(
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  );
  const found = {};
  for (const { relname } of rows)
    found[relname] = await countRows(db, `select count(*)::integer from "${relname}"`);
  return found;
};

/** Fails if a migration is missing, or a table that no work shrinks has fewer rows than before. */
export async function checkUpgraded(db, names, before) {
  const after = await countsOfTables(db);
  const lost = Object.keys(before).filter(
    (name) =>
      after[name] === undefined ||
      (!unsteady.has(name) &&
        !/^(job|job_event|job_batch|process_report|worker_process|visitor_event|webhook_delivery)$/.test(
          name,
        ) &&
        after[name] < before[name]),
  );
  expect(lost.length === 0, `rows of ${lost} are gone`);
  const { rows } = await db.pool.query('select name from schema_migration where name = any($1)', [names]);
  expect(rows.length === names.length, `of ${names} only ${rows.map(({ name }) => name)} were applied`);
}

export async function upgrade(dataDir, { serve, folder, ping }) {
  const { names, before } = await withDatabaseOf(dataDir, async (db) => ({
    before: await countsOfTables(db),
    names: await goBack(db, join(folder, 'migrations')),
  }));
  const service = await serve(dataDir);
  try {
    await ping(service);
  } finally {
    await service.stop();
  }
  await withDatabaseOf(dataDir, (db) => checkUpgraded(db, names, before));
  return `${names} over ${Object.values(before).reduce((sum, count) => sum + count, 0)} rows`;
}

export async function reset(dataDir, world, { serve, ping }) {
  const service = await serve(dataDir);
  try {
    const admin = caller(service.url, { authorization: `ApiKey ${world.keys.admin.key}` });
    await admin('POST', '/admin/reset-db');
    await ping(service);
  } finally {
    await service.stop();
  }
  return withDatabaseOf(dataDir, async (db) => {
    const counts = await countsOfTables(db);
    const full = Object.keys(counts).filter(
      (name) =>
        counts[name] > 0 &&
        /protein|go_term|annotation|prediction|query|evaluation|dataset|webhook|sequence|experiment/.test(
          name,
        ) &&
        name !== 'protein_search_state',
    );
    expect(full.length === 0, `these still have rows: ${full}`);
    const kept = await countRows(
      db,
      `select count(*)::integer from audit.audit_log where action = 'db_reset'`,
    );
    expect(kept === 1, 'the audit log has no line of the reset');
    const signups = await countRows(
      db,
      `select count(*)::integer from audit.audit_log where action = 'signup'`,
    );
    expect(signups > 3, 'the audit log lost what was before the reset');
  });
}
