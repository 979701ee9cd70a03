import { maxSourceAnnotations } from '@kindred/contracts/resources/term-evidence';
import { evidenceGroups, experimentalEvidence } from '@kindred/contracts';
import { groupedBy } from '@kindred/kernels/arrays';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { negatedRow } from '../postgres/fragments/annotation-rows.js';
import { proteinsOfSet } from '../postgres/fragments/references.js';
import type { QueryRow } from '../proteins/queries.repository.js';

/**
 * Finds a query of a prediction set, with the organism that its entry or its protein names, and the sources
 * that were stored with it.
 */
export async function queryOfSet(
  db: Queryable,
  set: { number: number; query_set_id: string | null },
  accession: string,
): Promise<(QueryRow & { donors: Uint8Array | null }) | undefined> {
  const { rows } = await sql<QueryRow & { donors: Uint8Array | null }>`
    select q.protein_accession as accession, q.sequence_id, s.length, q.donors,
           case when ${set.query_set_id}::uuid is null then p.taxonomy_id else e.taxonomy_id end as taxonomy_id
    from prediction_set_protein q join sequence s on s.id = q.sequence_id
    left join query_set_entry e on e.query_set_id = ${set.query_set_id}::uuid and e.accession = q.protein_accession
    left join protein p on p.accession = q.protein_accession
    where q.prediction_set_number = ${set.number} and q.protein_accession = ${accession} limit 1`.execute(db);
  return rows[0];
}

/** Reads the residues of sources, as the reference of the annotation set has them. */
export async function sequencesOfSources(
  db: Queryable,
  setNumber: number,
  accessions: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ accession: string; sequence: string }>`
    select p.accession, s.sequence from ${proteinsOfSet(setNumber)} p join sequence s on s.id = p.sequence_id
    where p.accession = any(${accessions}::text[])`.execute(db);
  return new Map(rows.map(({ accession, sequence }) => [accession, sequence]));
}

/** Gives the set as if it had been made with the reference that answered the query. */
export async function asAnswered<Set extends { number: number }>(
  db: Queryable,
  set: Set,
  accession: string,
): Promise<Set> {
  const row = await db
    .selectFrom('prediction_set_protein as q')
    .innerJoin('annotation_set as a', 'a.number', 'q.annotation_set_number')
    .select(['a.id as annotation_set_id', 'a.ontology_snapshot_id'])
    .where('q.prediction_set_number', '=', set.number)
    .where('q.protein_accession', '=', accession)
    .executeTakeFirst();
  return { ...set, ...row };
}

/**
 * With/From columns may name a query by its own accession, if no other protein has it, and by that of the
 * protein that it is.
 */
export interface NamesOfQuery {
  /** The query is this protein of the reference; null means none. */
  known: string | null;
  names: string[];
}

export async function namesOfQuery(
  db: Queryable,
  set: { number: number },
  accession: string,
): Promise<NamesOfQuery> {
  const query = await db
    .selectFrom('prediction_set_protein')
    .select(['known_accession', 'is_namesake'])
    .where('prediction_set_number', '=', set.number)
    .where('protein_accession', '=', accession)
    .executeTakeFirst();
  const known = query?.known_accession ?? null;
  return { known, names: [...(query?.is_namesake ? [] : [accession]), ...(known === null ? [] : [known])] };
}

/** The row has an annotation of a protein with a term or one below it. */
export interface SourceAnnotationRow {
  accession: string;
  go_id: string;
  name: string;
  evidence_code: string;
  db_reference: string | null;
  with_from: string | null;
  assigned_by: string | null;
  /** The flag is true if the annotation was made from a sequence that the query has. */
  is_copied: boolean;
  /**
   * The flag is true if each annotation of the protein with the term is copied, including those that are not
   * listed.
   */
  all_copied: boolean;
}

/** The row has an annotation that denies (NOT) a term or one above it. */
export type DenyingAnnotationRow = Omit<SourceAnnotationRow, 'accession' | 'is_copied' | 'all_copied'>;

/**
 * Reads the annotations that deny a term to a protein: those of the term itself first, at most
 * `maxSourceAnnotations`. Who has no term has none below it.
 */
export async function denyingAnnotations(
  db: Queryable,
  set: { annotation_set_id: string | null; ontology_snapshot_id: string },
  { goId, accession }: { goId: string; accession: string },
): Promise<DenyingAnnotationRow[]> {
  if (set.annotation_set_id === null) return [];
  const { rows } = await sql<DenyingAnnotationRow>`
    with recursive above as (
      select id, aspect from go_term where ontology_snapshot_id = ${set.ontology_snapshot_id}::uuid and go_id = ${goId}
      union
      select t.id, t.aspect from above b
      join go_term_relationship r on r.child_go_term_id = b.id and r.relation_type in ('is_a', 'part_of')
      join go_term t on t.id = r.parent_go_term_id and t.aspect = b.aspect)
    select t.go_id, t.name, a.evidence_code, a.db_reference, a.with_from, a.assigned_by
    from protein p
    join protein_go_annotation a on a.protein_id = p.id
      and a.annotation_set_number = (select number from annotation_set where id = ${set.annotation_set_id}::uuid)
    join above b on b.id = a.go_term_id
    join go_term t on t.id = a.go_term_id
    where p.accession = ${accession} and ${sql.raw(negatedRow('a'))}
    order by t.go_id = ${goId} desc, t.go_id, a.evidence_code, a.db_reference, a.with_from
    limit ${maxSourceAnnotations}`.execute(db);
  return rows;
}

/**
 * Evidence of these groups is copied from the protein in With/From; with other codes, the column names a
 * partner or a cross.
 */
const copying = [...evidenceGroups.computational, ...evidenceGroups.electronic];

/**
 * Reads annotations of proteins in the annotation set of a prediction set, with a term and everything below
 * it: experimental evidence first, at most `maxSourceAnnotations` each. The cost depends on the annotations
 * of the proteins and the terms below.
 *
 * @param names of the query, as With/From may have them: `UniProtKB:P12345`, `UniProtKB:P12345-2`,
 * `UniProtKB:P12345:PRO_0000012345`
 */
export async function sourceAnnotations(
  db: Queryable,
  set: { annotation_set_id: string | null; ontology_snapshot_id: string },
  { goId, accessions, names }: { goId: string; accessions: readonly string[]; names: readonly string[] },
): Promise<Map<string, SourceAnnotationRow[]>> {
  if (set.annotation_set_id === null || accessions.length === 0) return new Map();
  const { rows } = await sql<SourceAnnotationRow>`
    with recursive below as (
      select id, aspect from go_term where ontology_snapshot_id = ${set.ontology_snapshot_id}::uuid and go_id = ${goId}
      union
      select c.id, c.aspect from below b
      join go_term_relationship r on r.parent_go_term_id = b.id and r.relation_type in ('is_a', 'part_of')
      join go_term c on c.id = r.child_go_term_id and c.aspect = b.aspect),
    found as (
      select p.id, p.accession, t.go_id, t.name, a.evidence_code, a.db_reference, a.with_from, a.assigned_by,
             a.evidence_code = any(${copying}::text[]) and exists (
               select from regexp_split_to_table(a.with_from, '[|,]') as one
               where regexp_replace(regexp_replace(one, '^[^:]*:', ''), '(-[0-9]+)?(:PRO_[0-9]+)?$', '') = any(${[...names]}::text[])
             ) as is_copied
      from protein p
      join protein_go_annotation a on a.protein_id = p.id
        and a.annotation_set_number = (select number from annotation_set where id = ${set.annotation_set_id}::uuid)
      join below b on b.id = a.go_term_id
      join go_term t on t.id = a.go_term_id
      where p.accession = any(${[...accessions]}::text[])
        and not ${sql.raw(negatedRow('a'))})
    select accession, go_id, name, evidence_code, db_reference, with_from, assigned_by, is_copied, all_copied from (
      select *, bool_and(is_copied) over (partition by id) as all_copied,
             row_number() over (partition by id order by evidence_code = any(${[...experimentalEvidence]}::text[]) desc,
               go_id = ${goId} desc, db_reference like 'PMID:%' desc nulls last, go_id, evidence_code, db_reference, with_from) as place
      from found) ranked
    where place <= ${maxSourceAnnotations}
    order by accession, place`.execute(db);
  return groupedBy(rows, (row) => row.accession);
}
