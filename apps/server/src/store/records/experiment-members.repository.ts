import { sql } from 'kysely';
import { type MemberKind, maxMembers } from '@kindred/contracts/resources/experiment-runs';
import type { Queryable } from '../postgres/connection.js';

export interface MemberJobRow {
  id: string;
  operation: string;
  status: string;
  created_at: string;
  finished_at: string | null;
}
export interface MemberResultRow {
  id: string;
  evaluation_set_id: string;
  prediction_set_id: string;
  /** The figures are found by category and aspect. */
  results: Record<string, Record<string, Record<string, number | null>>>;
  created_at: string;
}
export interface MemberRerankerRow {
  id: string;
  name: string;
  artifact_uri: string | null;
  metrics: unknown;
  created_at: string;
}

export async function memberJobs(db: Queryable, runId: string): Promise<MemberJobRow[]> {
  const { rows } = await sql<MemberJobRow>`
    select j.id, j.operation, j.status, j.created_at, j.finished_at
    from experiment_run_member m join job j on j.id = m.member_id
    where m.experiment_run_id = ${runId} and m.kind = 'job' order by j.created_at, j.id limit ${maxMembers}`.execute(
    db,
  );
  return rows;
}

export async function memberResults(db: Queryable, runId: string): Promise<MemberResultRow[]> {
  const { rows } = await sql<MemberResultRow>`
    select r.id, r.evaluation_set_id, r.prediction_set_id, r.results, r.created_at
    from experiment_run_member m join evaluation_result r on r.id = m.member_id
    where m.experiment_run_id = ${runId} and m.kind = 'evaluation_result'
    order by r.created_at, r.id limit ${maxMembers}`.execute(db);
  return rows;
}

export async function memberRerankers(db: Queryable, runId: string): Promise<MemberRerankerRow[]> {
  const { rows } = await sql<MemberRerankerRow>`
    select r.id, r.name, r.artifact_uri, r.metrics, r.created_at
    from experiment_run_member m join reranker_model r on r.id = m.member_id
    where m.experiment_run_id = ${runId} and m.kind = 'reranker_model'
    order by r.created_at, r.id limit ${maxMembers}`.execute(db);
  return rows;
}

const tableOf: Record<MemberKind, string> = {
  job: 'job',
  evaluation_result: 'evaluation_result',
  reranker_model: 'reranker_model',
};

/** Finds the ids that no row of the kind has. */
export async function unknownMembers(
  db: Queryable,
  kind: MemberKind,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select wanted.id::text as id from unnest(${ids}::uuid[]) as wanted (id)
    where not exists (select from ${sql.table(tableOf[kind])} t where t.id = wanted.id)`.execute(db);
  return rows.map((row) => row.id);
}

/** Attaches members; those that are attached already stay unchanged. */
export async function attachMembers(
  db: Queryable,
  runId: string,
  kind: MemberKind,
  ids: readonly string[],
): Promise<void> {
  await sql`
    insert into experiment_run_member (experiment_run_id, kind, member_id)
    select ${runId}, ${kind}, id from unnest(${ids}::uuid[]) as given (id) on conflict do nothing`.execute(
    db,
  );
}

export async function countMembers(db: Queryable, runId: string, kind: MemberKind): Promise<number> {
  const row = await db
    .selectFrom('experiment_run_member')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('experiment_run_id', '=', runId)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Returns false if the member was not attached. Ids are unique over all kinds. */
export async function detachMember(db: Queryable, runId: string, memberId: string): Promise<boolean> {
  const done = await db
    .deleteFrom('experiment_run_member')
    .where('experiment_run_id', '=', runId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return done.numDeletedRows > 0n;
}
