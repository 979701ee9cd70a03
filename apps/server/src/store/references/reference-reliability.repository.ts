import { sql } from 'kysely';
import type { ReferenceReliability } from '../postgres/column-types.js';
import type { Queryable } from '../postgres/connection.js';
import { negatedRow } from '../postgres/fragments/annotation-rows.js';
import { proteinsOfSet } from '../postgres/fragments/references.js';

export type { ReferenceReliability } from '../postgres/column-types.js';

/** The row is a positive annotation by an experiment. */
export interface ExperimentalRow {
  accession: string;
  sequence_id: number;
  go_id: string;
}

const ofExperiments = (setNumber: number, evidence: readonly string[]) => sql`
  from protein_go_annotation g where g.annotation_set_number = ${setNumber} and g.evidence_code = any(${evidence})
    and not ${sql.raw(negatedRow('g'))}`;

/**
 * Reads annotations by experiments of some of the proteins that have any: at most `share` of them, and
 * `limit`. The choice depends on their accessions alone, so that every machine makes the same.
 */
export async function experimentalSample(
  db: Queryable,
  {
    setNumber,
    evidence,
    share,
    limit,
  }: { setNumber: number; evidence: readonly string[]; share: number; limit: number },
): Promise<ExperimentalRow[]> {
  const { rows } = await sql<ExperimentalRow>`
    with known as (select distinct g.protein_id ${ofExperiments(setNumber, evidence)}),
      chosen as (select p.id, p.accession, p.sequence_id from known k join ${proteinsOfSet(setNumber)} p on p.id = k.protein_id
        order by md5(p.accession), p.accession limit least(${limit}, (select floor(count(*) * ${share}::float8)::int from known)))
    select distinct c.accession, c.sequence_id, t.go_id
    from (select g.protein_id, g.go_term_id ${ofExperiments(setNumber, evidence)}) g
      join chosen c on c.id = g.protein_id join go_term t on t.id = g.go_term_id
    order by 1, 3`.execute(db);
  return rows;
}

export async function setReliability(
  db: Queryable,
  id: string,
  reliability: ReferenceReliability,
): Promise<void> {
  await db
    .updateTable('reference')
    .set({ reliability: JSON.stringify(reliability) })
    .where('id', '=', id)
    .execute();
}
