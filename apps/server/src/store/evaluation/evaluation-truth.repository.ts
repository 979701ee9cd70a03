import type { TruthCategory } from '@kindred/contracts';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

export interface TruthRow {
  accession: string;
  go_id: string;
}

type TruthSelection = { setNumber: number; categories: readonly TruthCategory[] };

async function proteinsOf(
  db: Queryable,
  { setNumber, categories }: TruthSelection,
): Promise<{ id: number; accession: string; categories: string[] }[]> {
  const { rows } = await sql<{ id: number; accession: string; categories: string[] }>`
    select p.id, p.accession, t.categories
    from (select protein_id, array_agg(distinct category order by category) as categories from evaluation_truth
          where evaluation_set_number = ${setNumber} and category = any(${categories}::text[]) group by protein_id) t
    join protein p on p.id = t.protein_id order by p.accession collate "C"`.execute(db);
  return rows;
}

/** Reads rows of one category by accession, then GO id, in pages of whole proteins. */
export async function* truthPages(
  db: Queryable,
  setNumber: number,
  category: TruthCategory,
  proteinsPerPage = 500,
): AsyncGenerator<TruthRow[]> {
  const proteins = await proteinsOf(db, { setNumber, categories: [category] });
  for (let from = 0; from < proteins.length; from += proteinsPerPage) {
    const ids = proteins.slice(from, from + proteinsPerPage).map(({ id }) => id);
    const { rows } = await sql<TruthRow>`
      select p.accession, g.go_id from evaluation_truth t join protein p on p.id = t.protein_id join go_term g on g.id = t.go_term_id
      where t.evaluation_set_number = ${setNumber} and t.category = ${category} and t.protein_id = any(${ids}::int[])
      order by p.accession collate "C", g.go_id`.execute(db);
    yield rows;
  }
}

/** A protein with truth has the fields of its FASTA record. */
export interface DeltaProteinRow {
  accession: string;
  /** Categories have the order LK, NK, PK. */
  categories: string[];
  entry_name: string | null;
  protein_name: string | null;
  organism: string | null;
  taxonomy_id: number | null;
  gene_name: string | null;
  reviewed: boolean | null;
  sequence: string;
}

/**
 * Reads proteins with truth in one of the categories, by accession, in pages. Sequence and taxon come from
 * the reference that gave the truth, else from the older reference, else from the catalogue.
 */
export async function* deltaProteinPages(
  db: Queryable,
  selection: TruthSelection,
  pageSize = 500,
): AsyncGenerator<DeltaProteinRow[]> {
  const proteins = await proteinsOf(db, selection);
  for (let from = 0; from < proteins.length; from += pageSize) {
    const page = proteins.slice(from, from + pageSize);
    const categoriesOf = new Map(page.map((row) => [row.accession, row.categories]));
    const { rows } = await sql<Omit<DeltaProteinRow, 'categories'>>`
      with made as (
        select r.number, r.annotation_set_id = e.new_annotation_set_id as is_new
        from evaluation_set e join reference r on r.annotation_set_id in (e.new_annotation_set_id, e.old_annotation_set_id)
        where e.number = ${selection.setNumber})
      select p.accession, p.entry_name, p.protein_name, p.gene_name, p.reviewed, s.sequence, own.taxonomy_id,
             case when own.taxonomy_id is not distinct from p.taxonomy_id then p.organism
                  else (select t.name from taxon t where t.id = own.taxonomy_id) end as organism
      from protein p
      left join lateral (
        select m.sequence_id, m.taxonomy_id from reference_protein m join made on made.number = m.reference_number
        where m.protein_id = p.id order by made.is_new desc limit 1) of_reference on true
      cross join lateral (
        select coalesce(of_reference.sequence_id, p.sequence_id) as sequence_id,
               case when of_reference.sequence_id is null then p.taxonomy_id else of_reference.taxonomy_id end as taxonomy_id) own
      join sequence s on s.id = own.sequence_id
      where p.id = any(${page.map(({ id }) => id)}::int[])
      order by p.accession collate "C"`.execute(db);
    yield rows.map((row) => ({ ...row, categories: categoriesOf.get(row.accession) ?? [] }));
  }
}

/**
 * The truth is given as columns: pair i says that proteins[protein[i]] has terms[term[i]]. Proteins ascend by
 * accession.
 */
export interface TruthColumns {
  proteins: string[];
  terms: string[];
  protein: Int32Array;
  term: Int32Array;
}

export async function truthColumns(
  db: Queryable,
  setNumber: number,
  category: TruthCategory,
): Promise<TruthColumns> {
  const proteins: string[] = [];
  const terms = new Map<string, number>();
  const protein: number[] = [];
  const term: number[] = [];
  for await (const page of truthPages(db, setNumber, category)) {
    for (const { accession, go_id } of page) {
      if (proteins.at(-1) !== accession) proteins.push(accession);
      let number = terms.get(go_id);
      if (number === undefined) terms.set(go_id, (number = terms.size));
      protein.push(proteins.length - 1);
      term.push(number);
    }
  }
  return {
    proteins,
    terms: [...terms.keys()],
    protein: Int32Array.from(protein),
    term: Int32Array.from(term),
  };
}
