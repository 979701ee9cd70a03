import { type RawBuilder, sql } from 'kysely';

/** Readers know a reference by these columns. */
export interface ReferenceMark {
  id: string;
  name: string;
  version: string;
  content_sha256: string | null;
}

/**
 * Gives the mark of the reference that has this annotation set (a column of the query); null if none has it.
 */
export function markOf(annotationSetColumn: string): RawBuilder<ReferenceMark | null> {
  return sql`(select jsonb_build_object('id', r.id, 'name', r.name, 'version', r.version,
    'content_sha256', r.content_sha256) from reference r where r.annotation_set_id = ${sql.ref(annotationSetColumn)})`;
}

/**
 * Selects proteins with the sequences and taxa that the annotation set was made with: those of its reference,
 * else those of the catalogue. The subquery has the columns id, accession, sequence_id, taxonomy_id.
 */
export function proteinsOfSet(setNumber: number | RawBuilder<unknown>): RawBuilder<unknown> {
  const number = sql`(select r.number from reference r join annotation_set s on s.id = r.annotation_set_id where s.number = ${setNumber})`;
  return sql`(
    select m.protein_id as id, p.accession, m.sequence_id, m.taxonomy_id
    from reference_protein m join protein p on p.id = m.protein_id where m.reference_number = ${number}
    union all
    select p.id, p.accession, p.sequence_id, p.taxonomy_id from protein p
    where not exists (select from reference_protein m where m.reference_number = ${number}))`;
}
