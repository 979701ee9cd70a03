import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { testDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, openDatabase } from '../postgres/connection.js';
import { migrate } from './migrate.js';
import { migrateUntil } from '../../testing/migrations/migrate-until.js';

/** Stores rows as they were before uploads had a visibility; returns the id of each row by its name. */
async function storeBefore(db: Database): Promise<Record<string, string>> {
  const { rows } = await sql<{ ids: Record<string, string> }>`
    with u as (insert into user_account (email, username, password_hash, role, status)
        values ('a@b.c', 'u', 'x', 'researcher', 'active') returning id),
      o as (insert into ontology_snapshot (obo_version, obo_url, obo_sha256, term_counts, relationship_count, alt_id_count)
        values ('v', 'u', 's', '{}', 0, 0) returning id),
      q as (insert into query_set (name, entry_count) values ('upload', 1) returning id),
      catalogue as (insert into prediction_set (ontology_snapshot_id, limit_per_entry, method)
        select id, 5, 'naive' from o returning id),
      owned as (insert into prediction_set (ontology_snapshot_id, limit_per_entry, method, owner_user_id)
        select o.id, 5, 'naive', u.id from o, u returning id),
      uploaded as (insert into prediction_set (ontology_snapshot_id, limit_per_entry, method, query_set_id)
        select o.id, 5, 'naive', q.id from o, q returning id)
    select jsonb_build_object('query_set', (select id from q), 'catalogue', (select id from catalogue),
      'owned', (select id from owned), 'uploaded', (select id from uploaded)) as ids`.execute(db);
  const { ids } = rows[0];
  for (const [operation, payload] of [
    ['load', {}],
    ['embed', { query_set_id: ids.query_set }],
    ['score catalogue', { prediction_set_id: ids.catalogue }],
    ['score uploaded', { prediction_set_id: ids.uploaded }],
    ['score gone', { prediction_set_id: ids.query_set }],
  ] as const)
    await sql`insert into job (operation, queue_name, payload) values (${operation}, 'svc.jobs', ${JSON.stringify(payload)})`.execute(
      db,
    );
  return ids;
}

it('makes uploads from before private, and keeps work on the catalogue in the lists', async () => {
  const database = await testDatabase();
  const db = openDatabase(database.url, 2);
  try {
    await migrateUntil(db, '000022');
    const ids = await storeBefore(db);
    await migrate(db);
    const visibilityOf = async (id: string | undefined) =>
      (await sql<{ v: string }>`select visibility as v from prediction_set where id = ${id}`.execute(db))
        .rows[0].v;
    expect(await visibilityOf(ids.catalogue)).toBe('listed');
    expect(await visibilityOf(ids.owned)).toBe('link');
    expect(await visibilityOf(ids.uploaded)).toBe('link');
    const { rows: sets } = await sql`select visibility from query_set`.execute(db);
    expect(sets).toEqual([{ visibility: 'link' }]);
    const { rows: jobs } = await sql<{ operation: string; visibility: string }>`
      select operation, visibility from job order by operation`.execute(db);
    expect(Object.fromEntries(jobs.map((job) => [job.operation, job.visibility]))).toEqual({
      load: 'listed',
      embed: 'link',
      'score catalogue': 'listed',
      'score uploaded': 'link',
      'score gone': 'listed',
    });
  } finally {
    await closeDatabase(db);
    await database.close();
  }
});
