import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { transferable } from '../postgres/fragments/annotation-rows.js';

/** The row lists the terms that may be transferred from a protein of a set: rows of go_term, each once. */
export interface ProteinTermsRow {
  protein_id: number;
  term_ids: number[];
}
const proteinsPerPage = 5000;

/** Reads proteins of a set with the terms that may be transferred from them, in pages. */
export async function* annotatedTermPages(
  db: Queryable,
  setNumber: number,
): AsyncGenerator<ProteinTermsRow[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<ProteinTermsRow>`
      select a.protein_id, array_agg(distinct a.go_term_id) as term_ids
      from protein_go_annotation a join go_term t on t.id = a.go_term_id
      where a.annotation_set_number = ${setNumber} and a.protein_id > ${after} and ${transferable}
      group by a.protein_id order by a.protein_id limit ${proteinsPerPage}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < proteinsPerPage) return;
    after = rows[rows.length - 1].protein_id;
  }
}

export interface AnnotatedProteinRow {
  accession: string;
  /** The list has each GO id once, in order. */
  go_ids: string[];
}
const accessionsPerPage = 2000;

/**
 * Reads which of the proteins the set annotates, with the terms that may be transferred from them, in pages.
 */
export async function* annotatedAmong(
  db: Queryable,
  setNumber: number,
  accessions: readonly string[],
): AsyncGenerator<AnnotatedProteinRow[]> {
  for (let from = 0; from < accessions.length; from += accessionsPerPage) {
    const page = accessions.slice(from, from + accessionsPerPage);
    const { rows } = await sql<AnnotatedProteinRow>`
      select p.accession, array_agg(distinct t.go_id order by t.go_id) as go_ids
      from protein p join protein_go_annotation a on a.protein_id = p.id join go_term t on t.id = a.go_term_id
      where p.accession = any(${page}) and a.annotation_set_number = ${setNumber} and ${transferable}
      group by p.accession`.execute(db);
    yield rows;
  }
}
