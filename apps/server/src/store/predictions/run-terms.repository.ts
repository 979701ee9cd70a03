import { answerEnd } from '@kindred/kernels/combined';
import { sql } from 'kysely';
import { prepared, type Queryable } from '../postgres/connection.js';
import { answeredBy, knownProtein } from './answers.repository.js';
import { isListed } from '../postgres/fragments/listed-terms.js';

/** The row has the predicted terms of the answer for a query as rows of go_term. */
export interface RunTermsRow {
  protein_accession: string;
  known_accession: string | null;
  annotation_set_number: number | null;
  term_ids: number[];
}
const proteinsPerPage = 2000;

/** Reads the queries of a set after an accession, in its order, without their sources, whose bytes are many. */
const knownQueriesAfter = prepared((db, setNumber: number, after: string) =>
  sql<Omit<RunTermsRow, 'term_ids'>>`
    select q.protein_accession, k.known_accession, ${answeredBy} as annotation_set_number
    from (select number, method, annotation_set_id from prediction_set where number = ${setNumber}) d
    cross join lateral (
      select protein_accession, sequence_id, known_accession, known_by, annotation_set_number
      from prediction_set_protein
      where prediction_set_number = d.number and protein_accession collate "C" > ${after}
      order by protein_accession collate "C" limit ${sql.lit(proteinsPerPage)}) q ${knownProtein}
    order by q.protein_accession collate "C"`.compile(db),
);

/**
 * Reads the queries of a set with the terms that their overview lists, in pages, for counts of whole runs.
 *
 * @param minProbability terms below it, and terms without a probability, are left out; null keeps all
 */
export async function* runTermPages(
  db: Queryable,
  setNumber: number,
  minProbability: number | null,
): AsyncGenerator<RunTermsRow[]> {
  for (let after = ''; ; ) {
    const queries = await knownQueriesAfter(db, setNumber, after);
    const accessions = queries.map((row) => row.protein_accession);
    const { rows } = await sql<{ protein_accession: string; term_ids: number[] }>`
      select p.protein_accession, array_to_json(array_agg(p.go_term_id)) as term_ids from go_prediction p
      where p.prediction_set_number = ${setNumber} and p.protein_accession = any(${accessions}::text[]) and p.is_nearest
        and ${isListed(answerEnd)}
        and (${minProbability}::float8 is null or p.probability >= ${minProbability}::float8)
      group by p.protein_accession`.execute(db);
    const termsOf = new Map(rows.map((row) => [row.protein_accession, row.term_ids]));
    yield queries.map(({ protein_accession, known_accession, annotation_set_number }) => ({
      ...{ protein_accession, known_accession, annotation_set_number },
      term_ids: termsOf.get(protein_accession) ?? [],
    }));
    if (queries.length < proteinsPerPage) return;
    after = queries[queries.length - 1].protein_accession;
  }
}
