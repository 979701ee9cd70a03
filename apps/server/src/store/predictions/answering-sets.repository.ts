import { sql } from 'kysely';
import type { TermsOf } from '../ontology/known-terms.repository.js';
import type { Queryable } from '../postgres/connection.js';

/** The proteins of such an annotation set answer queries of a prediction set. */
export interface AnsweringSet {
  id: string;
  number: number;
  /** Its reference has this name and version; null if it has none. */
  name: string | null;
  /** Its annotations name these terms. */
  ontology: TermsOf;
}

/** Reads the annotation sets that a prediction set was compared with, by number. */
export async function answeringSets(
  db: Queryable,
  set: { annotation_set_id: string | null; more_annotation_set_ids: readonly string[] | null },
): Promise<ReadonlyMap<number, AnsweringSet>> {
  const ids = [set.annotation_set_id, ...(set.more_annotation_set_ids ?? [])].filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<AnsweringSet>`
    select s.id, s.number,
           (select r.name || '@' || r.version from reference r where r.annotation_set_id = s.id) as name,
           json_build_object('id', o.id, 'relationship_count', o.relationship_count) as ontology
    from annotation_set s join ontology_snapshot o on o.id = s.ontology_snapshot_id
    where s.id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.number, row]));
}
