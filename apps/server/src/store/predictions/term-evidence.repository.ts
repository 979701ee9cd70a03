import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
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

/** Residues of a protein by its accession. */
export async function sequenceOfProtein(db: Queryable, accession: string): Promise<string | undefined> {
  const { rows } = await sql<{ sequence: string }>`
    select s.sequence from protein p join sequence s on s.id = p.sequence_id where p.accession = ${accession}`.execute(
    db,
  );
  return rows[0]?.sequence;
}
