import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { negatedRow } from '../postgres/fragments/annotation-rows.js';

/** One reference has these rows, and the other lacks them. */
export interface AnnotationChange {
  aspect: string;
  evidence_code: string;
  gained: number;
  lost: number;
}

export interface ProteinChanges {
  gained: number;
  lost: number;
  sequence_changed: number;
}

export interface TermChanges {
  added: number;
  /** These terms were live and are obsolete now. */
  obsolete: number;
  /** These terms were live and are an alternative id of another term now. */
  replaced: number;
}

/**
 * Compares the distinct (protein, GO id, evidence code, NOT or not) of two annotation sets, by aspect and
 * evidence code. The newer ontology gives the aspect of a term if it has the term.
 */
export async function annotationChanges(
  db: Queryable,
  fromSetId: string,
  toSetId: string,
): Promise<AnnotationChange[]> {
  const rowsOf = (setId: string) => sql`
    select distinct g.protein_id, t.go_id, t.aspect, g.evidence_code, ${sql.raw(negatedRow('g'))} as negated
    from protein_go_annotation g join go_term t on t.id = g.go_term_id
    where g.annotation_set_number = (select number from annotation_set where id = ${setId})`;
  const { rows } = await sql<AnnotationChange>`
    select coalesce(b.aspect, a.aspect) as aspect, evidence_code,
      count(*) filter (where a.aspect is null) as gained, count(*) filter (where b.aspect is null) as lost
    from (${rowsOf(fromSetId)}) a full join (${rowsOf(toSetId)}) b using (protein_id, go_id, evidence_code, negated)
    where a.aspect is null or b.aspect is null
    group by 1, 2 order by array_position(array['P', 'F', 'C'], coalesce(b.aspect, a.aspect)::text), 2`.execute(
    db,
  );
  return rows;
}

export async function proteinChanges(
  db: Queryable,
  fromNumber: number,
  toNumber: number,
): Promise<ProteinChanges> {
  const { rows } = await sql<ProteinChanges>`
    select count(*) filter (where a.protein_id is null) as gained, count(*) filter (where b.protein_id is null) as lost,
      count(*) filter (where a.sequence_id <> b.sequence_id) as sequence_changed
    from (select * from reference_protein where reference_number = ${fromNumber}) a
    full join (select * from reference_protein where reference_number = ${toNumber}) b using (protein_id)`.execute(
    db,
  );
  return rows[0];
}

export async function termChanges(
  db: Queryable,
  fromSnapshotId: string,
  toSnapshotId: string,
): Promise<TermChanges> {
  const { rows } = await sql<TermChanges>`
    select count(*) filter (where a.go_id is null and not b.is_obsolete) as added,
      count(*) filter (where not a.is_obsolete and b.is_obsolete) as obsolete,
      count(*) filter (where not a.is_obsolete and b.go_id is null and exists (
        select from go_term_alt_id x where x.ontology_snapshot_id = ${toSnapshotId} and x.alt_id = a.go_id)) as replaced
    from (select go_id, is_obsolete from go_term where ontology_snapshot_id = ${fromSnapshotId}) a
    full join (select go_id, is_obsolete from go_term where ontology_snapshot_id = ${toSnapshotId}) b using (go_id)`.execute(
    db,
  );
  return rows[0];
}
