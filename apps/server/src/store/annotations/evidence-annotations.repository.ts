import type { DatedAnnotations } from '@kindred/kernels/holdout';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { negatedRow } from '../postgres/fragments/annotation-rows.js';

const proteinsPerPage = 20_000;

/**
 * Reads rows with one of the evidence codes, and rows of any evidence that say NOT; protein by protein, in
 * pages. Proteins and terms are rows of `protein` and `go_term`.
 *
 * @param options.evidence codes of the positive rows
 */
export async function evidenceAnnotations(
  db: Queryable,
  setNumber: number,
  options: { evidence: readonly string[]; signal?: AbortSignal },
): Promise<DatedAnnotations> {
  const { rows: ends } = await sql<{ last: number | null }>`select max(id) as last from protein`.execute(db);
  const parts: AnnotationRows[] = [];
  for (let from = 0; from <= (ends[0].last ?? -1); from += proteinsPerPage) {
    options.signal?.throwIfAborted();
    const { rows } = await sql<AnnotationRows>`
      select coalesce(array_agg(protein_id order by protein_id, go_term_id, negated), '{}') as protein,
             coalesce(array_agg(go_term_id order by protein_id, go_term_id, negated), '{}') as term,
             coalesce(array_agg(negated order by protein_id, go_term_id, negated), '{}') as negated
      from (select distinct protein_id, go_term_id, negated from (
              select protein_id, go_term_id, evidence_code, ${sql.raw(negatedRow('g'))} as negated
              from protein_go_annotation g
              where annotation_set_number = ${setNumber} and protein_id >= ${from} and protein_id < ${from + proteinsPerPage}) a
            where negated or evidence_code = any(${options.evidence}::text[])) kept`.execute(db);
    parts.push(rows[0]);
  }
  const of = (pick: (part: AnnotationRows) => number[]): Int32Array => Int32Array.from(parts.flatMap(pick));
  return {
    protein: of((part) => part.protein),
    term: of((part) => part.term),
    negated: Uint8Array.from(parts.flatMap((part) => part.negated.map(Number))),
  };
}

interface AnnotationRows {
  protein: number[];
  term: number[];
  negated: boolean[];
}
