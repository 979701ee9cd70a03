import { type Aspect, categories, type TruthCategory } from '@kindred/contracts';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

export interface LabelledProtein {
  id: number;
  accession: string;
}

/**
 * Lists proteins with truth in NK, LK or PK of an evaluation set, by accession, if they have a vector, and
 * counts those without one.
 */
export async function labelledProteins(
  db: Queryable,
  setNumber: number,
  configNumber: number,
): Promise<{ proteins: LabelledProtein[]; withoutVector: number }> {
  const { rows } = await sql<LabelledProtein & { ready: boolean }>`
    select p.id, p.accession, exists (
      select from sequence_embedding e where e.embedding_config_number = ${configNumber} and e.sequence_id = p.sequence_id
    ) as ready
    from (select distinct protein_id from evaluation_truth
          where evaluation_set_number = ${setNumber} and category = any(${categories}::text[])) t
    join protein p on p.id = t.protein_id order by p.accession collate "C"`.execute(db);
  const proteins = rows.filter((row) => row.ready).map(({ id, accession }) => ({ id, accession }));
  return { proteins, withoutVector: rows.length - proteins.length };
}

export interface LabelRow {
  accession: string;
  category: TruthCategory;
  go_id: string;
  aspect: Aspect;
}

/** Reads truth and known terms of the proteins. */
export async function labelsOf(
  db: Queryable,
  setNumber: number,
  proteinIds: readonly number[],
): Promise<LabelRow[]> {
  const { rows } = await sql<LabelRow>`
    select p.accession, t.category, g.go_id, g.aspect
    from evaluation_truth t join protein p on p.id = t.protein_id join go_term g on g.id = t.go_term_id
    where t.evaluation_set_number = ${setNumber} and t.protein_id = any(${proteinIds}::int[])`.execute(db);
  return rows;
}

/** Maps each alternative id of one snapshot to the id of its term. */
export async function alternativeIds(db: Queryable, snapshotId: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ alt_id: string; go_id: string }>`
    select a.alt_id, g.go_id from go_term_alt_id a join go_term g on g.id = a.go_term_id
    where a.ontology_snapshot_id = ${snapshotId}`.execute(db);
  return new Map(rows.map((row) => [row.alt_id, row.go_id]));
}
