import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

/** Each (query, term) has one row, with the score of the term's nearest source. */
export interface ScoredTermRow {
  protein_accession: string;
  go_id: string;
  score: number;
}

export interface ScoredTermSelection {
  setNumber: number;
  accessions: readonly string[];
  maxDistance: number | null;
}

const proteinsPerPage = 200;

/** Reads scored terms of the given queries by accession, best term first, in pages of whole proteins. */
export async function* scoredTermPages(
  db: Queryable,
  { setNumber, accessions, maxDistance }: ScoredTermSelection,
): AsyncGenerator<ScoredTermRow[]> {
  for (let from = 0; from < accessions.length; from += proteinsPerPage) {
    const page = accessions.slice(from, from + proteinsPerPage);
    const { rows } = await sql<ScoredTermRow>`
      select p.protein_accession, t.go_id, p.score from go_prediction p join go_term t on t.id = p.go_term_id
      where p.prediction_set_number = ${setNumber} and p.protein_accession = any(${page}::text[]) and p.is_nearest
        and (${maxDistance}::float8 is null or p.distance <= ${maxDistance}::float8)
      order by p.protein_accession collate "C", p.term_rank`.execute(db);
    yield rows;
  }
}
