import type { Aspect } from '@kindred/contracts';
import { basisOf, type KnownAnnotation, type KnownBasis } from '@kindred/kernels/answer';
import { evidenceGroups, rootTerms } from '@kindred/kernels/vocabulary';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { negatedRow } from '../postgres/fragments/annotation-rows.js';
import { answeredBy, knownProtein } from './answers.repository.js';

/** An annotation of a protein of a run since a day. */
export interface NewAnnotation extends KnownAnnotation {
  /** The day as YYYY-MM-DD. */
  annotation_date: string;
  protein: string;
  known_accession: string;
  go_id: string;
  go_name: string;
  aspect: Aspect;
  /** The protein has no earlier annotation of this very term, and none without a day. */
  is_new_term: boolean;
  basis: KnownBasis;
}

export interface WhatsNew {
  /** The days are YYYY-MM-DD; null means that no annotation has a day. */
  since: string | null;
  newest: string | null;
  references: (string | null)[];
  proteins: number;
  known_proteins: number;
  row_count: number;
  new_proteins: number;
  older: number;
  undated: number;
  rows: NewAnnotation[];
}

interface Choice {
  /** The first day as YYYY-MM-DD; undefined means a year before the newest annotation. */
  since: string | undefined;
  electronic: boolean;
  limit: number;
}

/** The annotations of one set that count, of the proteins of a run that the set knows. */
type Counted = RawBuilder<unknown>;

/** Reads the newest annotations of the proteins of a run, with the counts of what they leave out. */
export async function whatsNewOf(db: Queryable, setNumber: number, choice: Choice): Promise<WhatsNew> {
  const { proteins, sets } = await knownBySets(db, setNumber);
  const counted = sets.map(({ number }) => countedRows(setNumber, number, choice.electronic));
  const days = new Map<string | null, number>();
  for (const rows of counted) await addDays(db, rows, days);
  const dated = [...days.keys()].filter((day) => day !== null).sort();
  const newest = dated.at(-1) ?? null;
  const first = choice.since?.replaceAll('-', '') ?? (newest === null ? null : yearBefore(newest));
  const found = { rows: [] as NewAnnotation[], new_proteins: 0 };
  if (first !== null)
    for (const rows of counted) {
      found.rows.push(...(await newestRows(db, rows, first, choice.limit)));
      found.new_proteins += await proteinsSince(db, rows, first);
    }
  const sum = (isCounted: (day: string | null) => boolean) =>
    [...days].reduce((total, [day, count]) => total + (isCounted(day) ? count : 0), 0);
  return {
    since: first === null ? null : written(first),
    newest: newest === null ? null : written(newest),
    references: sets.map(({ name }) => name),
    proteins,
    known_proteins: sets.reduce((total, set) => total + set.proteins, 0),
    row_count: sum((day) => day !== null && first !== null && day >= first),
    new_proteins: found.new_proteins,
    older: sum((day) => day !== null && first !== null && day < first),
    undated: sum((day) => day === null),
    rows: found.rows.sort(newestFirst).slice(0, choice.limit),
  };
}

/** Days are kept as YYYYMMDD, so that they sort as texts. */
const written = (day: string) => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
const yearBefore = (day: string) => `${String(Number(day.slice(0, 4)) - 1).padStart(4, '0')}${day.slice(4)}`;

function newestFirst(a: NewAnnotation, b: NewAnnotation): number {
  if (a.annotation_date !== b.annotation_date) return a.annotation_date < b.annotation_date ? 1 : -1;
  return Number(a.protein > b.protein) - Number(a.protein < b.protein);
}

interface KnowingSet {
  number: number;
  /** The name and version of its reference; null if it belongs to none. */
  name: string | null;
  proteins: number;
}

/** Counts the proteins of a run, and those that each annotation set knows. */
async function knownBySets(db: Queryable, setNumber: number) {
  const { rows } = await sql<{ number: number | null; name: string | null; proteins: number }>`
    with asked as (${proteinsOf(setNumber)})
    select s.number, (select r.name || '@' || r.version from reference r where r.annotation_set_id = s.id) as name,
      count(*)::int as proteins
    from asked left join annotation_set s on s.number = asked.set_number and asked.known_accession is not null
    group by s.id, s.number order by count(*) desc, s.number`.execute(db);
  return {
    proteins: rows.reduce((total, row) => total + row.proteins, 0),
    sets: rows.filter((row): row is KnowingSet => row.number !== null),
  };
}

/** Names the proteins of a run, each with the protein of a reference that it is. */
const proteinsOf = (setNumber: number) => sql`
  select q.protein_accession, k.known_accession, ${answeredBy} as set_number
  from prediction_set_protein q join prediction_set d on d.number = q.prediction_set_number ${knownProtein}
  where q.prediction_set_number = ${setNumber}`;

/** As in an answer, annotations that say that nothing was found do not count: ND, and the root of an aspect. */
const countedRows = (setNumber: number, annotationSet: number, electronic: boolean): Counted => sql`
  select asked.protein_accession, asked.known_accession, a.*, t.go_id, t.name, t.aspect
  from (${proteinsOf(setNumber)}) asked
  join protein p on p.accession = asked.known_accession
  join protein_go_annotation a on a.protein_id = p.id and a.annotation_set_number = ${annotationSet}
  join go_term t on t.id = a.go_term_id
  where asked.set_number = ${annotationSet} and a.evidence_code <> 'ND' and t.go_id <> all(${[...rootTerms]}::text[])
    and (${electronic} or a.evidence_code <> all(${[...evidenceGroups.electronic]}::text[]))`;

async function addDays(db: Queryable, counted: Counted, days: Map<string | null, number>): Promise<void> {
  const { rows } = await sql<{ day: string | null; count: number }>`
    select annotation_date as day, count(*)::int as count from (${counted}) a group by annotation_date`.execute(
    db,
  );
  for (const { day, count } of rows) days.set(day, (days.get(day) ?? 0) + count);
}

async function proteinsSince(db: Queryable, counted: Counted, first: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct protein_accession)::int as count from (${counted}) a where annotation_date >= ${first}`.execute(
    db,
  );
  return rows[0].count;
}

async function newestRows(db: Queryable, counted: Counted, first: string, limit: number) {
  const { rows } = await sql<Omit<NewAnnotation, 'basis'>>`
    with newest as materialized (
      select * from (${counted}) c where annotation_date >= ${first}
      order by annotation_date desc, protein_accession collate "C", go_id, evidence_code, db_reference, with_from, qualifier
      limit ${limit})
    select a.annotation_date, a.protein_accession as protein, a.known_accession, a.go_id, a.name as go_name, a.aspect,
      a.qualifier, a.evidence_code, a.db_reference, a.with_from, a.assigned_by,
      not exists (select from protein_go_annotation b
        where b.annotation_set_number = a.annotation_set_number and b.protein_id = a.protein_id and b.go_term_id = a.go_term_id
          and b.evidence_code <> 'ND' and ${sql.raw(negatedRow('b'))} = ${sql.raw(negatedRow('a'))}
          and (b.annotation_date is null or b.annotation_date < ${first})) as is_new_term
    from newest a
    order by a.annotation_date desc, a.protein_accession collate "C", a.go_id, a.evidence_code, a.db_reference,
      a.with_from, a.qualifier`.execute(db);
  return rows.map((row) => ({
    ...row,
    annotation_date: written(row.annotation_date),
    basis: basisOf(row.evidence_code),
  }));
}
