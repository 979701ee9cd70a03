import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';

/** A statement handles at most this many rows, so that no lock lasts long. */
const batch = 10_000;

const orphan: RawBuilder<boolean> = sql`
  not exists (select 1 from protein p where p.sequence_id = s.id)
  and not exists (select 1 from query_set_entry e where e.sequence_id = s.id)
  and not exists (select 1 from reference_protein r where r.sequence_id = s.id)`;
const unindexed: RawBuilder<boolean> = sql`
  not exists (select 1 from protein p where p.sequence_id = v.sequence_id)
  and not exists (select 1 from reference_protein r where r.sequence_id = v.sequence_id)`;

/** Counts sequences that no protein, no entry of a query set and no reference has. */
export async function countOrphanSequences(db: Queryable): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from sequence s where ${orphan}`.execute(db);
  return rows[0].count;
}

/** Deletes some orphans, with their vectors; 0 means that none is left. */
export async function deleteOrphanSequences(db: Queryable): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from sequence where id in (select s.id from sequence s where ${orphan} limit ${batch})`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}

/**
 * Deletes the given sequences that are orphans, with their vectors; a sequence that an upload is about to use
 * stays.
 */
export async function deleteOrphansAmong(trx: Transaction, ids: readonly number[]): Promise<void> {
  await sql`
    delete from sequence where id in (
      select s.id from sequence s where s.id = any(${ids}::bigint[]) and ${orphan} for update skip locked)`.execute(
    trx,
  );
}

/** Counts vectors of sequences that no protein and no reference has, including those of query sets. */
export async function countUnindexedEmbeddings(db: Queryable): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from sequence_embedding v where ${unindexed}`.execute(db);
  return rows[0].count;
}

/** Deletes some vectors; 0 means that none is left. */
export async function deleteUnindexedEmbeddings(db: Queryable): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from sequence_embedding where ctid in (
      select v.ctid from sequence_embedding v where ${unindexed} limit ${batch})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Lists the ids of up to ten running jobs, because they may hold ids of sequences that a vacuum would delete.
 * No job begins until the transaction ends.
 */
export async function runningJobs(trx: Transaction): Promise<string[]> {
  await sql`lock table job in share mode`.execute(trx);
  const { rows } = await sql<{ id: string }>`
    select id from job where status = 'RUNNING' order by created_at limit 10`.execute(trx);
  return rows.map((row) => row.id);
}
