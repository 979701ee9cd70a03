import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import type { QueryRow } from '../proteins/queries.repository.js';

/** A query of a prediction set, with the organism that its entry or its protein names. */
export async function queryOfSet(
  db: Queryable,
  set: { number: number; query_set_id: string | null },
  accession: string,
): Promise<QueryRow | undefined> {
  const { rows } = await sql<QueryRow>`
    select q.protein_accession as accession, q.sequence_id, s.length,
           case when ${set.query_set_id}::uuid is null then p.taxonomy_id else e.taxonomy_id end as taxonomy_id
    from prediction_set_protein q join sequence s on s.id = q.sequence_id
    left join query_set_entry e on e.query_set_id = ${set.query_set_id}::uuid and e.accession = q.protein_accession
    left join protein p on p.accession = q.protein_accession
    where q.prediction_set_number = ${set.number} and q.protein_accession = ${accession} limit 1`.execute(db);
  return rows[0];
}
