import { sql } from 'kysely';
import { prepared } from '../postgres/connection.js';

/** A query has a place in its set. */
export interface AnswerPlace {
  /** The upload has this line for the query, without the '>'; null without a query set. */
  header: string | null;
  /**
   * The previous and the next query have these accessions, in the order of the upload, or else by accession.
   */
  previous: string | null;
  next: string | null;
}

/** If the set is not complete, at most all entries of the upload are read. */
export const placeOf = prepared((db, setId: string, accession: string) => {
  const byPosition = (compared: '<' | '>', order: 'asc' | 'desc') => sql`
    (select e.accession from query_set_entry e
     where e.query_set_id = own.query_set_id and e.position ${sql.raw(compared)} own.position
       and exists (select from prediction_set_protein q
                   where q.prediction_set_number = own.number and q.protein_accession = e.accession)
     order by e.position ${sql.raw(order)} limit 1)`;
  const byAccession = (compared: '<' | '>', order: 'asc' | 'desc') => sql`
    (select q.protein_accession from prediction_set_protein q
     where q.prediction_set_number = own.number and q.protein_accession collate "C" ${sql.raw(compared)} own.accession
     order by q.protein_accession collate "C" ${sql.raw(order)} limit 1)`;
  return sql<AnswerPlace>`
    select own.header,
      case when own.position is null then ${byAccession('<', 'desc')} else ${byPosition('<', 'desc')} end as previous,
      case when own.position is null then ${byAccession('>', 'asc')} else ${byPosition('>', 'asc')} end as next
    from (select given.accession, d.number, d.query_set_id, e.position, e.header
          from (select ${setId}::uuid as id, ${accession}::text as accession) given
          join prediction_set d on d.id = given.id
          left join query_set_entry e on e.query_set_id = d.query_set_id and e.accession = given.accession) own`.compile(
    db,
  );
});
