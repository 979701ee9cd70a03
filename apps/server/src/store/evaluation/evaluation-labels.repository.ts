import type { Aspect, TruthCategory } from '@kindred/contracts';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

export interface AspectTruthRow {
  accession: string;
  go_id: string;
  aspect: Aspect;
}

/** Reads all pairs of one category with the aspects of their terms, by accession (byte order), then GO id. */
export async function truthWithAspects(
  db: Queryable,
  setNumber: number,
  category: TruthCategory,
): Promise<AspectTruthRow[]> {
  const { rows } = await sql<AspectTruthRow>`
    select p.accession, g.go_id, g.aspect from evaluation_truth t
    join protein p on p.id = t.protein_id join go_term g on g.id = t.go_term_id
    where t.evaluation_set_number = ${setNumber} and t.category = ${category}
    order by p.accession collate "C", g.go_id`.execute(db);
  return rows;
}
