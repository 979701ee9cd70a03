import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

/** The operator made these choices for annotations; null means no choice. */
export interface AnnotateDefaults {
  annotation_set_id: string | null;
  embedding_config_id: string | null;
}

export async function annotateDefaults(db: Queryable): Promise<AnnotateDefaults> {
  const row = await db
    .selectFrom('annotate_reference')
    .select(['annotation_set_id', 'embedding_config_id'])
    .executeTakeFirst();
  return row ?? { annotation_set_id: null, embedding_config_id: null };
}

/** Sets both defaults in one statement, so that they never mix with those of another operator. */
export async function setAnnotateDefaults(db: Queryable, values: AnnotateDefaults): Promise<void> {
  await db
    .insertInto('annotate_reference')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('only_row').doUpdateSet({ ...values, set_at: sql`clock_timestamp()` }),
    )
    .execute();
}

/** A reference can be searched if the caller names none. */
export interface SearchableReference {
  annotation_set_id: string;
  /** The flag is true if the reference has vectors of the configuration. */
  has_vectors: boolean;
  name: string;
  version: string;
  /** The count has the annotated proteins. */
  protein_count: number;
}

/**
 * Lists the newest version of each complete reference, without the reference of the given annotation set.
 * References that annotate a protein of the taxon come first, then those with the newest annotation; at most
 * `limit`.
 */
export async function searchableReferences(
  db: Queryable,
  asked: { without: string; configId: string; taxonId: number | null; limit: number },
): Promise<SearchableReference[]> {
  const { rows } = await sql<SearchableReference>`
    with newest as (
      select distinct on (r.name) r.number, r.name, r.version, s.id as annotation_set_id, s.number as set_number, s.protein_count,
             s.newest_annotation_date
      from reference r join annotation_set s on s.id = r.annotation_set_id
      where r.status = 'complete' and s.state = 'complete'
      order by r.name, r.created_at desc, r.id desc)
    select annotation_set_id, name, version, protein_count,
      exists (select from reference_vectors v where v.reference_number = n.number and v.embedding_config_id = ${asked.configId}) as has_vectors
    from newest n
    where annotation_set_id <> ${asked.without}
      and name is distinct from (select r.name from reference r where r.annotation_set_id = ${asked.without})
    order by exists (
        select from protein p join protein_go_annotation a on a.protein_id = p.id
        where p.taxonomy_id = ${asked.taxonId} and a.annotation_set_number = n.set_number) desc,
      newest_annotation_date desc nulls last, protein_count desc, name collate "C"
    limit ${asked.limit}`.execute(db);
  return rows;
}

export interface PreferredSet {
  id: string;
  ontology_snapshot_id: string;
  /** The flag is true if the set annotates a protein of the taxon. */
  holds_taxon: boolean;
}

/**
 * Finds the complete annotation set to predict from. Sets that annotate a protein of the taxon come first,
 * then the set with the newest annotation, then the one with the most annotations. Names of releases are free
 * texts, and the order of loading is random, so neither counts.
 */
export async function preferredAnnotationSet(
  db: Queryable,
  taxonId: number | null,
): Promise<PreferredSet | undefined> {
  const { rows } = await sql<PreferredSet>`
    select s.id, s.ontology_snapshot_id, holds.taxon as holds_taxon
    from annotation_set s,
      lateral (select exists (
        select from protein p join protein_go_annotation a on a.protein_id = p.id
        where p.taxonomy_id = ${taxonId} and a.annotation_set_number = s.number) as taxon) holds
    where s.state = 'complete'
    order by holds.taxon desc, s.newest_annotation_date desc nulls last, s.annotation_count desc,
      s.source_version collate "C" desc, s.id
    limit 1`.execute(db);
  return rows[0];
}
