import { maxSourceAnnotations } from '@kindred/contracts/resources/term-evidence';
import { experimentalEvidence } from '@kindred/contracts';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { negatedRow } from '../postgres/fragments/annotation-rows.js';
import { proteinsOfSet } from '../postgres/fragments/references.js';
import type { QueryRow } from '../proteins/queries.repository.js';

/** A query of a prediction set, with the organism that its entry or its protein names, and the donors that were stored with it. */
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

/** Residues of a donor, as the reference of the annotation set has them. */
export async function sequenceOfDonor(
  db: Queryable,
  setNumber: number,
  accession: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ sequence: string }>`
    select s.sequence from ${proteinsOfSet(setNumber)} p join sequence s on s.id = p.sequence_id
    where p.accession = ${accession}`.execute(db);
  return rows[0]?.sequence;
}

/** An annotation of a donor with a term or one below it. */
export interface SourceAnnotationRow {
  accession: string;
  go_id: string;
  name: string;
  evidence_code: string;
  db_reference: string | null;
  assigned_by: string | null;
}

/**
 * Annotations of donors in the annotation set of a prediction set, with a term and everything below it: experimental evidence first, at
 * most `maxSourceAnnotations` each. Cost: the annotations of the donors and the terms below.
 */
export async function sourceAnnotations(
  db: Queryable,
  set: { annotation_set_id: string | null; ontology_snapshot_id: string },
  { goId, accessions }: { goId: string; accessions: readonly string[] },
): Promise<Map<string, SourceAnnotationRow[]>> {
  const found = new Map<string, SourceAnnotationRow[]>();
  if (set.annotation_set_id === null || accessions.length === 0) return found;
  const { rows } = await sql<SourceAnnotationRow>`
    with recursive below as (
      select id, aspect from go_term where ontology_snapshot_id = ${set.ontology_snapshot_id}::uuid and go_id = ${goId}
      union
      select c.id, c.aspect from below b
      join go_term_relationship r on r.parent_go_term_id = b.id and r.relation_type in ('is_a', 'part_of')
      join go_term c on c.id = r.child_go_term_id and c.aspect = b.aspect)
    select accession, go_id, name, evidence_code, db_reference, assigned_by from (
      select p.accession, t.go_id, t.name, a.evidence_code, a.db_reference, a.assigned_by,
             row_number() over (partition by p.id order by a.evidence_code = any(${[...experimentalEvidence]}::text[]) desc,
               t.go_id = ${goId} desc, a.db_reference like 'PMID:%' desc nulls last, t.go_id, a.evidence_code, a.db_reference) as place
      from protein p
      join protein_go_annotation a on a.protein_id = p.id
        and a.annotation_set_number = (select number from annotation_set where id = ${set.annotation_set_id}::uuid)
      join below b on b.id = a.go_term_id
      join go_term t on t.id = a.go_term_id
      where p.accession = any(${[...accessions]}::text[])
        and not ${sql.raw(negatedRow('a'))}) ranked
    where place <= ${maxSourceAnnotations}
    order by accession, place`.execute(db);
  for (const row of rows) {
    const known = found.get(row.accession);
    if (known === undefined) found.set(row.accession, [row]);
    else known.push(row);
  }
  return found;
}
