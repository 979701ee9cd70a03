import { sql } from 'kysely';
import type { ReferenceReliability } from '../postgres/column-types.js';
import type { Queryable } from '../postgres/connection.js';
import { transferableRow } from '../postgres/fragments/annotation-rows.js';
import { proteinsOfSet } from '../postgres/fragments/references.js';
import type { QueryRow } from '../proteins/queries.repository.js';

export type { ReferenceReliability } from '../postgres/column-types.js';

/** A protein of a reference with its sequence there, and the samples that it belongs to. */
export interface SampledProtein extends QueryRow {
  /** The sample of all annotated proteins has it. */
  is_of_all: boolean;
  /** The sample of proteins with an annotation by an experiment has it. */
  is_of_experiments: boolean;
}

/**
 * Draws two samples of the annotated proteins that have a vector: at most `limit` of all of them, and `limit` of those with annotations by
 * the named evidence. The draw depends on their accessions alone, so that every machine makes the same.
 */
export async function sampledProteins(
  db: Queryable,
  {
    setNumber,
    configNumber,
    evidence,
    limit,
  }: { setNumber: number; configNumber: number; evidence: readonly string[]; limit: number },
): Promise<SampledProtein[]> {
  const { rows } = await sql<SampledProtein>`
    with annotated as (select a.protein_id, bool_or(a.evidence_code = any(${evidence})) as by_experiment
        from protein_go_annotation a where a.annotation_set_number = ${setNumber} and ${sql.raw(transferableRow)} group by 1),
      numbered as (select p.accession, p.sequence_id, p.taxonomy_id, n.by_experiment,
          row_number() over (order by md5(p.accession), p.accession) as place,
          row_number() over (partition by n.by_experiment order by md5(p.accession), p.accession) as place_of_kind
        from annotated n join ${proteinsOfSet(setNumber)} p on p.id = n.protein_id
        where exists (select from sequence_embedding e
          where e.embedding_config_number = ${configNumber} and e.sequence_id = p.sequence_id))
    select n.accession, n.sequence_id, n.taxonomy_id, s.length,
      n.place <= ${limit} as is_of_all, n.by_experiment and n.place_of_kind <= ${limit} as is_of_experiments
    from numbered n join sequence s on s.id = n.sequence_id
    where n.place <= ${limit} or (n.by_experiment and n.place_of_kind <= ${limit})
    order by n.place limit ${2 * limit}`.execute(db);
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
