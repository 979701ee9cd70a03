import { ProblemError } from '@kindred/contracts';
import { type Selectable, sql } from 'kysely';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';
import { partitionOf } from '../postgres/fragments/annotation-rows.js';

export type { AnnotationStatistics } from '../postgres/column-types.js';

export type AnnotationSetRow = Selectable<Tables['annotation_set']> & {
  obo_version: string;
};

function sets(db: Queryable) {
  return db
    .selectFrom('annotation_set')
    .innerJoin('ontology_snapshot', 'ontology_snapshot.id', 'annotation_set.ontology_snapshot_id')
    .selectAll('annotation_set')
    .select('ontology_snapshot.obo_version')
    .where('annotation_set.state', '=', 'complete');
}

/** Lists complete sets, newest first. */
export async function listAnnotationSets(
  db: Queryable,
  limit: number,
  after?: Cursor,
): Promise<Page<AnnotationSetRow>> {
  const chosen = sets(db);
  return pageOf(db, chosen, { table: 'annotation_set' }, { limit, after });
}

/** Finds a complete set. A set that is still being filled does not exist for readers. */
export async function findAnnotationSet(db: Queryable, id: string): Promise<AnnotationSetRow | undefined> {
  return sets(db).where('annotation_set.id', '=', id).executeTakeFirst();
}

export async function findLoadingOrComplete(
  db: Queryable,
  id: string,
): Promise<Selectable<Tables['annotation_set']> | undefined> {
  return db.selectFrom('annotation_set').selectAll().where('id', '=', id).executeTakeFirst();
}

export interface ProteinAnnotationRow {
  annotation_set_id: string;
  source: string;
  source_version: string;
  obo_version: string;
  go_id: string;
  name: string;
  aspect: string;
  is_obsolete: boolean;
  qualifier: string | null;
  evidence_code: string;
  assigned_by: string | null;
  db_reference: string | null;
  with_from: string | null;
  annotation_date: string | null;
}

export interface AnnotationFilter {
  aspect?: string;
  /** The codes are in upper case. */
  evidenceCodes?: string[];
  annotationSetId?: string;
  /** The qualifier is one of the parts that | joins, in any case. */
  qualifier?: string;
  goId?: string;
  /** If true, the terms below `goId` are included. */
  descendants?: boolean;
}

/** Reads rows of one protein over all complete sets: newest set first, then GO id, evidence and reference. */
export async function proteinAnnotations(
  db: Queryable,
  proteinId: number,
  page: { limit: number; offset?: number },
  filter: AnnotationFilter = {},
): Promise<Page<ProteinAnnotationRow>> {
  const chosen = sql`
    from protein_go_annotation a
    join annotation_set s on s.number = a.annotation_set_number
    join ontology_snapshot o on o.id = s.ontology_snapshot_id
    join go_term t on t.id = a.go_term_id
    where a.protein_id = ${proteinId} and ${matching(filter)}`;
  const { rows } = await sql<ProteinAnnotationRow>`
    select s.id as annotation_set_id, s.source, s.source_version, o.obo_version, t.go_id, t.name, t.aspect, t.is_obsolete,
           a.qualifier, a.evidence_code, a.assigned_by, a.db_reference, a.with_from, a.annotation_date
    ${chosen}
    order by s.created_at desc, s.id, t.go_id, a.evidence_code, a.db_reference, a.with_from, a.qualifier
    limit ${page.limit} offset ${page.offset ?? 0}`.execute(db);
  const counted = await sql<{ total: number }>`select count(*)::integer as total ${chosen}`.execute(db);
  return { rows, total: counted.rows[0].total, totalIsExact: true };
}

function matching({
  aspect,
  evidenceCodes,
  annotationSetId,
  qualifier,
  goId,
  descendants,
}: AnnotationFilter) {
  const conditions = [
    sql`true`,
    ...(aspect === undefined ? [] : [sql`t.aspect = ${aspect}`]),
    ...(evidenceCodes === undefined ? [] : [sql`a.evidence_code = any(${evidenceCodes}::text[])`]),
    ...(annotationSetId === undefined ? [] : [sql`s.id = ${annotationSetId}`]),
    ...(qualifier === undefined
      ? []
      : [sql`lower(${qualifier}) = any(string_to_array(lower(a.qualifier), '|'))`]),
    ...(goId === undefined ? [] : [sql`a.go_term_id in (${termsOf(goId, descendants === true)})`]),
  ];
  return sql.join(conditions, sql` and `);
}

/**
 * Selects the rows of a term in every snapshot, with the terms below it in its aspect; a secondary id counts
 * as its term.
 */
function termsOf(goId: string, descendants: boolean) {
  const own = sql`select g.id, g.aspect from ontology_snapshot s
        join go_term g on g.ontology_snapshot_id = s.id and g.go_id = ${goId}
      union
      select g.id, g.aspect from ontology_snapshot s
        join go_term_alt_id x on x.ontology_snapshot_id = s.id and x.alt_id = ${goId}
        join go_term g on g.id = x.go_term_id`;
  if (!descendants) return sql`select id from (${own}) own`;
  return sql`with recursive below as (
      (${own})
      union
      select c.id, c.aspect from below b
      join go_term_relationship r on r.parent_go_term_id = b.id and r.relation_type in ('is_a', 'part_of')
      join go_term c on c.id = r.child_go_term_id and c.aspect = b.aspect)
    select id from below`;
}

/** Reads the row of a set and locks it until the transaction ends; undefined for an unknown id. */
export async function lockAnnotationSet(
  trx: Transaction,
  id: string,
): Promise<Selectable<Tables['annotation_set']> | undefined> {
  return trx.selectFrom('annotation_set').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** @throws ProblemError conflict */
export function refuseLoading({ id, state, job_id }: Selectable<Tables['annotation_set']>): void {
  if (state !== 'loading') return;
  throw new ProblemError('conflict', `Annotation set ${id} is being loaded; cancel job ${job_id} instead.`);
}

/** Drops the partition and the row of a set, attached or not. */
export async function dropSet(trx: Transaction, setNumber: number): Promise<void> {
  await trx.client.query(`drop table if exists ${partitionOf(setNumber)}`);
  await trx.deleteFrom('annotation_set').where('number', '=', setNumber).execute();
}

/** Works like `dropSet`, but fails (55P03) if readers of the whole table do not end within ten seconds. */
export async function dropSetInTime(trx: Transaction, setNumber: number): Promise<void> {
  await trx.client.query("set local lock_timeout = '10s'");
  await dropSet(trx, setNumber);
}
