import type { Aspect } from '@kindred/contracts';
import { answerEnd, answerOrder, type RankedTerm } from '@kindred/kernels/combined';
import type { EmptyReason } from '@kindred/kernels/query-check';
import { sql } from 'kysely';
import { itemsPerTurn, yieldToEventLoop } from '../../event-loop.js';
import type { Queryable } from '../postgres/connection.js';
import type { KnownBy } from './prediction-writer.js';
import { type PredictionRow, predictedProteinPages, predictionsWithTerm } from './predictions.repository.js';

/** A query of a prediction set and what is known of it besides its predictions. */
export interface AnsweredQueryRow {
  protein_accession: string;
  /** Residues. */
  length: number;
  /** Predicted terms, including those below the end of the answer. */
  term_count: number;
  /** Whether its method ranked any term. */
  is_ranked: boolean;
  no_answer: EmptyReason | null;
  known_accession: string | null;
  known_by: KnownBy | null;
}

export interface KnownAnnotationRow {
  accession: string;
  go_id: string;
  name: string;
  aspect: Aspect;
  qualifier: string | null;
  evidence_code: string;
  db_reference: string | null;
  assigned_by: string | null;
  annotation_date: string | null;
  /** Number of annotations of the protein, also of those that are not listed. */
  annotation_count: number;
}

/** One query with its predictions, one row a term in the order of the answer, and what is known of it. */
export interface AnswerRows {
  query: AnsweredQueryRow;
  terms: PredictionRow[];
  known: KnownAnnotationRow[];
}

interface AnsweredSet {
  number: number;
  annotation_set_id: string | null;
}

/** Listed for one protein; the best studied ones have some hundreds. */
const maxKnown = 1000;
const proteinsPerPage = 200;

/** Null for an accession that is not a query of the set. */
export async function answerOf(
  db: Queryable,
  set: AnsweredSet,
  accession: string,
  choice: AnswerChoice = {},
): Promise<AnswerRows | null> {
  const [answer] = await answersOf(db, set, [accession], choice);
  return answer ?? null;
}

/** The answers for all queries of a set, by accession, in pages that stay small in memory. */
export async function* answerPages(
  db: Queryable,
  set: AnsweredSet,
  { onlyAnswered = false }: AnswerChoice = {},
): AsyncIterable<AnswerRows[]> {
  const most = onlyAnswered ? answeredTermsOfProtein : undefined;
  for await (const accessions of predictedProteinPages(db, set.number, proteinsPerPage, most))
    yield await answersOf(db, set, accessions, { onlyAnswered });
}

export interface AnswerChoice {
  /** Leaves out terms below the end of the answer, which are most of the rows. Default: all terms. */
  onlyAnswered?: boolean;
}

/** About as many as answers have, to choose how many proteins make a page. */
const answeredTermsOfProtein = 25;

async function answersOf(
  db: Queryable,
  set: AnsweredSet,
  accessions: readonly string[],
  { onlyAnswered = false }: AnswerChoice = {},
): Promise<AnswerRows[]> {
  const { rows: queries } = await sql<AnsweredQueryRow>`
    select protein_accession, s.length, term_count, no_answer, known_accession, known_by,
      exists (select from go_prediction p where p.prediction_set_number = q.prediction_set_number
        and p.protein_accession = q.protein_accession and p.answer_rank is not null) as is_ranked
    from prediction_set_protein q join sequence s on s.id = sequence_id
    where prediction_set_number = ${set.number} and protein_accession = any(${accessions}::text[])
    order by protein_accession collate "C"`.execute(db);
  const terms = (await predictionsWithTerm(db)
    .where('p.prediction_set_number', '=', set.number)
    .where('p.protein_accession', '=', sql<string>`any(${accessions}::text[])`)
    .where('p.is_nearest', '=', true)
    .$if(onlyAnswered, (query) => query.where(isAnswered(queries)))
    .orderBy(sql`p.answer_rank nulls last`)
    .orderBy('p.term_rank')
    .execute()) as unknown as PredictionRow[];
  const parents = await parentsAmong(db, terms);
  const proteins = queries.flatMap(({ known_accession }) => known_accession ?? []);
  const known = proteins.length === 0 ? [] : await knownAnnotations(db, set, proteins);
  const termsOf = groupedBy(terms, (row) => row.protein_accession);
  const knownOf = groupedBy(known, (row) => row.accession);
  return queries.map((query) => ({
    query,
    terms: answerOrder(termsOf.get(query.protein_accession) ?? [], parents),
    known: query.known_accession === null ? [] : (knownOf.get(query.known_accession) ?? []),
  }));
}

/** Direct parents (is_a, part_of) of the terms of some rows, by child, as far as they are among the terms, too. */
async function parentsAmong(
  db: Queryable,
  rows: readonly { go_term_id: number }[],
): Promise<Map<number, number[]>> {
  const ids = [...new Set(rows.map((row) => row.go_term_id))];
  const { rows: edges } = await sql<{ child: number; parents: number[] }>`
    select child_go_term_id as child, array_agg(parent_go_term_id) as parents from go_term_relationship
    where child_go_term_id = any(${ids}::int[]) and parent_go_term_id = any(${ids}::int[])
      and relation_type in ('is_a', 'part_of')
    group by child_go_term_id`.execute(db);
  return new Map(edges.map(({ child, parents }) => [child, parents]));
}

/** Rows of the answer; all rows of a query whose method ranks none. */
function isAnswered(queries: readonly AnsweredQueryRow[]) {
  const unranked = queries.filter((query) => !query.is_ranked).map((query) => query.protein_accession);
  return sql<boolean>`(p.protein_accession = any(${unranked}::text[]) or p.answer_rank is not null
    and case when p.probability is null then p.score >= ${answerEnd.score}::float8
             else p.probability >= ${answerEnd.probability}::float8 end)`;
}

/** Rows by key, both in their order. */
export function groupedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

/** What became of a term in the newest ontology that is loaded. */
export interface ObsoleteTermRow {
  go_id: string;
  obo_version: string;
  replaced_by: string[];
  consider: string[];
}

/** Those of the terms that are obsolete in the newest ontology (by the date of its version), or merged into another term there. */
export async function obsoleteTerms(
  db: Queryable,
  goIds: readonly string[],
): Promise<Map<string, ObsoleteTermRow>> {
  if (goIds.length === 0) return new Map();
  const { rows } = await sql<ObsoleteTermRow>`
    with newest as (
      select id, obo_version from ontology_snapshot
      order by substring(obo_version from '\\d{4}-\\d{2}-\\d{2}') desc nulls last, loaded_at desc limit 1)
    select t.go_id, n.obo_version, t.replaced_by, t.consider
    from newest n join go_term t on t.ontology_snapshot_id = n.id
    where t.is_obsolete and t.go_id = any(${goIds}::text[])
    union all
    select a.alt_id, n.obo_version, array[t.go_id], '{}'
    from newest n join go_term_alt_id a on a.ontology_snapshot_id = n.id join go_term t on t.id = a.go_term_id
    where a.alt_id = any(${goIds}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.go_id, row]));
}

/** Annotations of these proteins in the set, NOT included, by aspect, GO id, evidence and reference. */
async function knownAnnotations(
  db: Queryable,
  set: AnsweredSet,
  accessions: readonly string[],
): Promise<KnownAnnotationRow[]> {
  const { rows } = await sql<KnownAnnotationRow>`
    select * from (
      select p.accession, t.go_id, t.name, t.aspect, a.qualifier, a.evidence_code, a.db_reference, a.assigned_by, a.annotation_date,
             count(*) over (partition by p.id)::int as annotation_count,
             row_number() over (partition by p.id order by t.aspect, t.go_id, a.evidence_code, a.db_reference, a.with_from, a.qualifier) as place
      from protein p
      join protein_go_annotation a on a.protein_id = p.id
        and a.annotation_set_number = (select number from annotation_set where id = ${set.annotation_set_id})
      join go_term t on t.id = a.go_term_id
      where p.accession = any(${accessions}::text[])) numbered
    where place <= ${maxKnown} order by accession, place`.execute(db);
  return rows;
}

/** One query of an overview with the facts from its upload. */
export interface OverviewQueryRow {
  protein_accession: string;
  position: number | null;
  header: string | null;
  known_accession: string | null;
  known_by: KnownBy | null;
  no_answer: EmptyReason | null;
}
/** One term of the answer for a query. */
export interface OverviewTermRow extends RankedTerm {
  protein_accession: string;
  go_id: string;
  name: string;
  aspect: Aspect;
  source_id: string | null;
  evidence_code: string | null;
  identity: number | null;
  organism: string | null;
}

/** If a method sets no end to its answers, an overview shows this many terms of a protein. */
const unrankedTerms = 30;

/**
 * Queries of a set after an accession, in its order, with the terms of their answers: of methods that rank their answers,
 * the terms up to `end` without contradicted ones; of other methods, the first by score. Cost: the rows of `limit` proteins.
 */
export async function overviewOf(
  db: Queryable,
  set: { number: number; query_set_id: string | null },
  page: { after: string | null; limit: number },
  end: { probability: number; score: number },
): Promise<{ queries: OverviewQueryRow[]; terms: OverviewTermRow[] }> {
  const { rows: queries } = await sql<OverviewQueryRow>`
    select q.protein_accession, e.position, e.header, q.known_accession, q.known_by, q.no_answer from (
      select protein_accession, known_accession, known_by, no_answer from prediction_set_protein
      where prediction_set_number = ${set.number} and (${page.after}::text is null or protein_accession collate "C" > ${page.after})
      order by protein_accession collate "C" limit ${page.limit}) q
    left join query_set_entry e on e.query_set_id = ${set.query_set_id} and e.accession = q.protein_accession
    order by q.protein_accession collate "C"`.execute(db);
  const rows = await overviewRows(db, set, { queries, end });
  const parents = await parentsAmong(db, rows);
  const terms: OverviewTermRow[] = [];
  let inTurn = 0;
  for (const some of groupedBy(rows, (row) => row.protein_accession).values()) {
    for (const row of answerOrder(some.sort(byRank), parents)) terms.push(row);
    inTurn += some.length;
    if (inTurn < itemsPerTurn) continue;
    inTurn = 0;
    await yieldToEventLoop();
  }
  return { queries, terms };
}

type RankedRow = OverviewTermRow & { term_rank: number };

const last = Number.MAX_SAFE_INTEGER;

function byRank(a: RankedRow, b: RankedRow): number {
  return (
    (a.answer_rank ?? last) - (b.answer_rank ?? last) ||
    a.term_rank - b.term_rank ||
    (a.go_id < b.go_id ? -1 : 1)
  );
}

/** Columns of a term in the lists that the server makes, in their order. */
type ListedTerm = [
  go_term_id: number,
  probability: number | null,
  score: number,
  answer_rank: number | null,
  term_rank: number,
  is_protein: boolean,
  source_id: string | null,
  evidence_code: string | null,
  identity: number | null,
];

/**
 * The terms of the answers, in no order. One row a protein with its terms as JSON, which Node reads several times as fast as a hundred thousand rows;
 * names and organisms, which repeat, are asked for once.
 */
async function overviewRows(
  db: Queryable,
  set: { number: number },
  { queries, end }: { queries: readonly OverviewQueryRow[]; end: { probability: number; score: number } },
): Promise<RankedRow[]> {
  const accessions = queries.map((row) => row.protein_accession);
  const { rows: proteins } = await sql<{ protein_accession: string; terms: ListedTerm[] }>`
    select p.protein_accession, json_agg(json_build_array(p.go_term_id, p.probability, p.score, p.answer_rank, p.term_rank,
      p.source_kind = 'protein', p.source_id, p.evidence_code, round(coalesce(p.source_identity, p.identity_sw)::numeric, 2))) as terms
    from go_prediction p
    where p.prediction_set_number = ${set.number} and p.protein_accession = any(${accessions}::text[]) and p.is_nearest
      and p.contradiction is null
      and case when p.answer_rank is null then p.term_rank <= ${unrankedTerms}
               when p.probability is null then p.score >= ${end.score}
               else p.probability >= ${end.probability} end
    group by p.protein_accession`.execute(db);
  const { termOf, organismOf } = await namesAmong(db, proteins);
  return proteins.flatMap(({ protein_accession, terms: listed }) =>
    listed.map(
      ([
        go_term_id,
        probability,
        score,
        answer_rank,
        term_rank,
        isProtein,
        source_id,
        evidence_code,
        identity,
      ]) => {
        const { go_id, name, aspect } = termOf.get(go_term_id) as NamedTerm;
        return {
          protein_accession,
          go_term_id,
          go_id,
          name,
          aspect,
          probability,
          score,
          answer_rank,
          term_rank,
          contradiction: null,
          source_id,
          evidence_code,
          identity,
          organism: isProtein && source_id !== null ? (organismOf.get(source_id) ?? null) : null,
        };
      },
    ),
  );
}

interface NamedTerm {
  id: number;
  go_id: string;
  name: string;
  aspect: Aspect;
}

/** Names of the terms and organisms of the source proteins, each once. */
async function namesAmong(db: Queryable, proteins: readonly { terms: readonly ListedTerm[] }[]) {
  const termIds = new Set<number>();
  const sources = new Set<string>();
  for (const { terms } of proteins)
    for (const [id, , , , , isProtein, source] of terms) {
      termIds.add(id);
      if (isProtein && source !== null) sources.add(source);
    }
  const { rows: terms } = await sql<NamedTerm>`
    select id, go_id, name, aspect from go_term where id = any(${[...termIds]}::int[])`.execute(db);
  const { rows: organisms } = await sql<{ accession: string; organism: string | null }>`
    select accession, organism from protein where accession = any(${[...sources]}::text[])`.execute(db);
  return {
    termOf: new Map(terms.map((term) => [term.id, term])),
    organismOf: new Map(organisms.map(({ accession, organism }) => [accession, organism])),
  };
}
