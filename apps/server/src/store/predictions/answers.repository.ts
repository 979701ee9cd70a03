import type { Aspect } from '@kindred/contracts';
import {
  type AnsweredRow,
  answeredColumns,
  type InAnswer,
  namesOfQuery,
  type ProteinNames,
} from '@kindred/kernels/answer';
import { groupedBy } from '@kindred/kernels/arrays';
import { answerEnd, answerOrder, type OrderFacts, type RankedTerm } from '@kindred/kernels/combined';
import { type ColumnsOf, predictionColumn } from '@kindred/kernels/prediction';
import type { PredictedName } from '@kindred/kernels/naming';
import { type EmptyReason, proteinBinding, rootTerms } from '@kindred/kernels/vocabulary';
import { type RawBuilder, sql } from 'kysely';
import { endOfTurn } from '../../ground/event-loop.js';
import { type KnownTerm, termsWithAncestors } from '../ontology/known-terms.repository.js';
import { termCrossReferences } from '../ontology/cross-references.js';
import {
  type NewestOntology,
  type ObsoleteTermRow,
  obsoleteTerms,
} from '../ontology/obsolete-terms.repository.js';
import { doNotAnnotateTerms } from '../ontology/slims.repository.js';
import { prepared, type Queryable } from '../postgres/connection.js';
import { transferable } from '../postgres/fragments/annotation-rows.js';
import { proteinsOfSet } from '../postgres/fragments/references.js';
import { type KnownOfProtein, knownOfProteins } from './known-annotations.repository.js';
import { isListed } from '../postgres/fragments/listed-terms.js';
import { noAnswer } from '../postgres/fragments/no-answer.js';
import { sourcesOfUnknown, predictedNames, type UnknownQuery } from './predicted-names.repository.js';
import {
  answeringSets,
  isNamesake,
  type NamedPredictionSetRow,
  termsOfSet,
} from './prediction-sets.repository.js';
import type { KnownBy } from './prediction-writer.js';
import { type PredictionRow, predictedProteinPages } from './predictions.repository.js';

/** A query of a prediction set has these facts apart from its predictions. */
export interface AnsweredQueryRow extends UnknownQuery {
  /** The upload has this line for the query, without the '>'; null without a query set. */
  header: string | null;
  /** The length counts residues. */
  length: number;
  /** The count has the predicted terms, including those below the end of the answer. */
  term_count: number;
  no_answer: EmptyReason | null;
  /** If true, no protein of the reference is similar, and the terms come from the sequence alone. */
  is_sequence_only: boolean;
  /** The nearest protein of the reference that was too distant to predict from. */
  distant_accession: string | null;
  distant_e_value: number | null;
  known_accession: string | null;
  known_by: KnownBy | null;
  known_identity: number | null;
  known_coverage: number | null;
  /** Null means that names were not compared when the set was made. */
  is_namesake: boolean | null;
  /** The answer comes from the annotation set of this number. */
  annotation_set_number: number | null;
}

/** These columns order an answer and its files, and are no fields of it. */
const orderColumns = [
  'protein_accession',
  'go_term_id',
  'answer_rank',
  'term_rank',
  'query_taxonomy_id',
] as const;

type AnsweredColumn = keyof AnsweredRow | (typeof orderColumns)[number];
type StoredColumn = AnsweredColumn & ColumnsOf<'go_prediction'>;

/** Answers are made of these columns of go_prediction. */
const storedColumns = [...orderColumns, ...answeredColumns].filter((name): name is StoredColumn =>
  predictionColumn(name).tables.includes('go_prediction'),
);

/** The row of a predicted term of a query has these columns. */
export type AnswerTermRow = Pick<PredictionRow, Exclude<AnsweredColumn, keyof InAnswer>> & InAnswer;

/**
 * An answer has one query with its predictions, one row a term in the order of the answer, and its known
 * annotations.
 */
export interface AnswerRows {
  query: AnsweredQueryRow;
  terms: AnswerTermRow[];
  known: KnownOfProtein | null;
  /** The query has these names, by its header and its reference. */
  names: ProteinNames;
  /** The names of its sources give it this product name; null if the reference knows it, or if they agree on none. */
  predicted_name: PredictedName | null;
  /** The answer comes from the reference of this name; null if its annotation set belongs to none. */
  reference: string | null;
}

type AnsweredSet = Pick<
  NamedPredictionSetRow,
  | 'number'
  | 'annotation_set_id'
  | 'more_annotation_set_ids'
  | 'ontology_snapshot_id'
  | 'ontology_relationship_count'
>;

const proteinsPerPage = 200;

/** The answer for one query has these parts. */
export interface Answered {
  rows: AnswerRows;
  /** The newest ontology no longer has these terms of the answer. */
  obsolete: ReadonlyMap<string, ObsoleteTermRow>;
  /** These annotation sets were searched; that of the set comes first. */
  annotation_set_ids: readonly string[];
}

/**
 * Reads the answer for a query; null if the set does not exist or the accession is not a query of the set.
 */
export async function answerOf(
  db: Queryable,
  setId: string,
  accession: string,
  { onlyAnswered = false }: AnswerChoice = {},
): Promise<Answered | null> {
  const [found] = await queryOf(db, setId, accession);
  if (found === undefined) return null;
  const { set, newest, ...query } = found;
  const terms = await termsOf(db, set.number, accession, onlyAnswered);
  const [rows] = await inOrder(db, set, { queries: [query], terms });
  const { annotation_set_id: first, more_annotation_set_ids: more } = set;
  const annotation_set_ids = first === null ? [] : [first, ...(more ?? [])];
  return { rows, obsolete: await obsoleteTerms(db, newest), annotation_set_ids };
}

/** The query comes with its set and the newest ontology, by the date of its version. */
interface FoundQuery extends AnsweredQueryRow {
  set: AnsweredSet;
  newest: NewestOntology;
}

const queryOf = prepared((db, setId: string, accession: string) =>
  sql<FoundQuery>`
    select ${queryColumns}, json_build_object('number', d.number, 'annotation_set_id', d.annotation_set_id,
        'more_annotation_set_ids', d.more_annotation_set_ids,
        'ontology_snapshot_id', o.id, 'ontology_relationship_count', o.relationship_count) as set,
      (select json_build_object('id', n.id, 'obo_version', n.obo_version) from ontology_snapshot n
       order by substring(n.obo_version from '\\d{4}-\\d{2}-\\d{2}') desc nulls last, n.loaded_at desc limit 1) as newest
    from prediction_set d join ontology_snapshot o on o.id = d.ontology_snapshot_id
    join prediction_set_protein q on q.prediction_set_number = d.number
    join sequence s on s.id = q.sequence_id ${uploadedEntry}${knownProtein}
    where d.id = ${setId} and q.protein_accession = ${accession}`.compile(db),
);
/** Reads the terms of a query. If the method ranks no term, all of them are the answer. */
async function termsOf(
  db: Queryable,
  setNumber: number,
  accession: string,
  onlyAnswered: boolean,
): Promise<StoredTermRow[]> {
  const answered = onlyAnswered ? await termsOfQuery(db, setNumber, accession, false) : [];
  if (answered.length > 0) return answered;
  const all = await termsOfQuery(db, setNumber, accession, true);
  return onlyAnswered && all.some((row) => row.answer_rank !== null) ? [] : all;
}

const termsOfQuery = prepared((db, setNumber: number, accession: string, all: boolean) =>
  answeredTerms(setNumber, sql`p.protein_accession = ${accession}`, sql`${all}::boolean`).compile(db),
);
/** Reads the answers for all queries of a set, by accession, in pages that stay small in memory. */
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
  /** If true, terms below the end of the answer are left out, which are most of the rows; by default, all are read. */
  onlyAnswered?: boolean;
}

/** An answer typically has this number of terms, which decides how many proteins make a page. */
const answeredTermsOfProtein = 25;

/** Reads the answers for some queries of a set, by accession. */
export async function answersOf(
  db: Queryable,
  set: AnsweredSet,
  accessions: readonly string[],
  { onlyAnswered = false }: AnswerChoice = {},
): Promise<AnswerRows[]> {
  const among = (column: string) => sql<boolean>`${sql.ref(column)} = any(${accessions}::text[])`;
  const { rows: queries } = await sql<AnsweredQueryRow & { is_ranked: boolean }>`
    select ${queryColumns}, exists (select from go_prediction p where p.prediction_set_number = q.prediction_set_number
        and p.protein_accession = q.protein_accession and p.answer_rank is not null) as is_ranked
    from prediction_set_protein q join sequence s on s.id = q.sequence_id
    join prediction_set d on d.number = q.prediction_set_number ${uploadedEntry}${knownProtein}
    where q.prediction_set_number = ${set.number} and ${among('q.protein_accession')}
    order by q.protein_accession collate "C"`.execute(db);
  const unranked = queries.filter((query) => !query.is_ranked).map((query) => query.protein_accession);
  const all = onlyAnswered
    ? sql<boolean>`p.protein_accession = any(${unranked}::text[])`
    : sql<boolean>`true`;
  const { rows: terms } = await answeredTerms(set.number, among('p.protein_accession'), all).execute(db);
  return inOrder(db, set, { queries, terms });
}

interface ReadRows {
  queries: readonly AnsweredQueryRow[];
  terms: readonly StoredTermRow[];
}

async function inOrder(db: Queryable, set: AnsweredSet, { queries, terms }: ReadRows): Promise<AnswerRows[]> {
  const [named, facts] = await orderFacts(db, set, new Set(terms.map((row) => row.go_term_id)));
  const termsOfProtein = groupedBy(terms, (row) => row.protein_accession);
  const { knownOf, referenceOf } = await ofReferences(db, set, queries);
  const crossReferencesOf = await termCrossReferences(db);
  const predicted = await predictedNames(db, queries);
  const answers: AnswerRows[] = [];
  const pause = endOfTurn();
  for (const query of queries) {
    const known = knownOf(query);
    const rows = (termsOfProtein.get(query.protein_accession) ?? []).map((row) => {
      const { go_id, name, aspect } = named.get(row.go_term_id) as KnownTerm;
      const is_known = known?.ids.has(go_id) ?? null;
      return Object.assign(row, {
        go_id,
        go_name: name,
        go_aspect: aspect,
        is_known,
        ...crossReferencesOf(go_id),
      });
    });
    answers.push({
      query,
      terms: answerOrder(rows, facts),
      known,
      names: namesOfQuery(query.header, known?.protein ?? null),
      predicted_name: predicted.get(query.protein_accession) ?? null,
      reference: referenceOf(query),
    });
    await pause();
  }
  return answers;
}

type AnsweredBy = Pick<AnsweredQueryRow, 'known_accession' | 'annotation_set_number'>;

interface OfReferences {
  /** Gives the known annotations of a query; null means that it is not a protein of the reference that answered it. */
  knownOf: (query: AnsweredBy) => KnownOfProtein | null;
  /** Gives the name of the reference that answered a query. */
  referenceOf: (query: AnsweredBy) => string | null;
}

/** Reads the facts that each query has from the reference that answered it. */
async function ofReferences(
  db: Queryable,
  set: AnsweredSet,
  queries: readonly AnsweredBy[],
): Promise<OfReferences> {
  const sets = await answeringSets(db, set);
  const known = new Map<number, ReadonlyMap<string, KnownOfProtein>>();
  for (const [number, own] of groupedBy(queries, (query) => query.annotation_set_number ?? -1)) {
    const answering = sets.get(number);
    if (answering === undefined) continue;
    const accessions = own.flatMap(({ known_accession }) => known_accession ?? []);
    const { id: annotationSetId, ontology } = answering;
    known.set(number, await knownOfProteins(db, { annotationSetId, ontology }, accessions));
  }
  return {
    knownOf: ({ known_accession, annotation_set_number: number }) =>
      known_accession === null ? null : (known.get(number ?? -1)?.get(known_accession) ?? nothing),
    referenceOf: ({ annotation_set_number: number }) => sets.get(number ?? -1)?.name ?? null,
  };
}

/** A protein of the reference may have no annotation that says something. */
const nothing: KnownOfProtein = {
  terms: [],
  ids: new Set(),
  belowRoot: new Set(),
  protein: { protein_name: null, gene_name: null, organism: null, taxonomy_id: null },
  annotation_count: 0,
};

interface TermFacts extends OrderFacts<RankedTerm> {
  /** Says of a GO id whether it says little wherever it stands in the ontology. */
  isListedAsGeneral: (goId: string) => boolean;
}

/** Reads the terms by row with all terms above them, and what they contribute to the order of an answer. */
async function orderFacts(
  db: Queryable,
  set: AnsweredSet,
  ids: Iterable<number>,
): Promise<[ReadonlyMap<number, KnownTerm>, TermFacts]> {
  const [terms, unwanted] = await Promise.all([
    termsWithAncestors(db, termsOfSet(set), ids),
    doNotAnnotateTerms(db),
  ]);
  const isListedAsGeneral = (goId: string) => goId === proteinBinding || unwanted.has(goId);
  const isTop = (id: number): boolean => rootTerms.has(terms.get(id)?.go_id ?? '');
  return [
    terms,
    {
      parents: { get: (id) => terms.get(id)?.parents },
      aspectOf: (row) => (terms.get(row.go_term_id) as KnownTerm).aspect,
      isGeneral: ({ go_term_id, go_id }) =>
        isListedAsGeneral(go_id) || (terms.get(go_term_id)?.parents.every(isTop) ?? false),
      isListedAsGeneral,
    },
  ];
}

/** The annotation set of this number answered the query `q` of the set `d`. */
export const answeredBy = sql`coalesce(q.annotation_set_number, (select a.number from annotation_set a where a.id = d.annotation_set_id))`;

/**
 * A row `q` of prediction_set_protein has these columns, with its sequence `s`, its entry `e` of the upload, and
 * the protein `k` that it is.
 */
const queryColumns = sql`q.protein_accession, e.header, s.length, q.term_count, ${noAnswer}, q.distant_accession, q.distant_e_value,
  k.known_accession, k.known_by, q.known_identity, q.known_coverage, ${isNamesake} as is_namesake, ${answeredBy} as annotation_set_number,
  ${sourcesOfUnknown}`;

/** Joins the entry `e` of the upload that the query `q` of the set `d` is. */
const uploadedEntry = sql`
    left join query_set_entry e on e.query_set_id = d.query_set_id and e.accession = q.protein_accession`;

/**
 * Joins the protein `k` of the set's annotations that the query `q` of the set `d` is. Predictions record
 * this protein. For sets from before they did, it is a protein of the set's reference with the query's
 * sequence, preferably also with its accession, if it has annotations in the set that say something.
 */
export const knownProtein = sql`
    left join annotation_set n on n.id = d.annotation_set_id
    left join lateral (
      (select q.known_accession, q.known_by where q.known_accession is not null)
      union all
      (select r.accession, case when r.accession = q.protein_accession then 'accession' else 'sequence' end
       from ${proteinsOfSet(sql`n.number`)} r
       where d.method <> 'combined' and q.known_accession is null and r.sequence_id = q.sequence_id
         and exists (select from protein_go_annotation a join go_term t on t.id = a.go_term_id
                     where a.protein_id = r.id and a.annotation_set_number = n.number and ${transferable})
       order by r.accession <> q.protein_accession, r.accession collate "C" limit 1)) k on true`;

type StoredTermRow = Pick<PredictionRow, StoredColumn>;

/** @param all true to include terms below the end of the answer */
function answeredTerms(
  setNumber: number,
  which: RawBuilder<boolean>,
  all: RawBuilder<boolean>,
): RawBuilder<StoredTermRow> {
  return sql`
    select ${sql.join(storedColumns.map((name) => sql.ref(`p.${name}`)))} from go_prediction p
    where p.prediction_set_number = ${setNumber} and ${which} and p.is_nearest and (${all} or p.answer_rank is not null
      and case when p.probability is null then p.score >= ${sql.lit(answerEnd.score)}::float8
               else p.probability >= ${sql.lit(answerEnd.probability)}::float8 end)
    order by p.answer_rank nulls last, p.term_rank`;
}

/** One query of an overview has the facts from its upload. */
export interface OverviewQueryRow extends UnknownQuery {
  position: number | null;
  header: string | null;
  length: number;
  known_accession: string | null;
  known_by: KnownBy | null;
  known_identity: number | null;
  is_namesake: boolean | null;
  no_answer: EmptyReason | null;
  is_sequence_only: boolean;
  annotation_set_number: number | null;
}
/** The row has one term of the answer for a query. */
export interface OverviewTermRow extends RankedTerm {
  protein_accession: string;
  name: string;
  aspect: Aspect;
  source_id: string | null;
  evidence_code: string | null;
  identity: number | null;
  organism: string | null;
}

export interface OverviewRows {
  queries: readonly OverviewQueryRow[];
  terms: readonly OverviewTermRow[];
  knownOf: OfReferences['knownOf'];
  referenceOf: OfReferences['referenceOf'];
  /** The names of their sources give the queries these product names, by accession. */
  predictedNames: ReadonlyMap<string, PredictedName>;
  /** The queries' proteins belong to these organisms, by accession. */
  organismOf: ReadonlyMap<string, string | null>;
  /** These terms say little, and are last in every list. */
  general: ReadonlySet<string>;
}

/**
 * Reads the queries of a set after an accession, in its order, with the terms of their answers. If a method
 * ranks its answers, these are the terms up to `end` without contradicted ones; otherwise, the first terms by
 * score. The query reads the rows of `limit` proteins.
 */
export async function overviewOf(
  db: Queryable,
  set: AnsweredSet,
  page: { after: string | null; limit: number },
  end: { probability: number; score: number },
): Promise<OverviewRows> {
  const queries = await queriesAfter(db, set.number, page.after ?? '', page.limit);
  const pause = endOfTurn();
  const { proteins, termIds, sources } = await listedTerms(db, set, { queries, end }, pause);
  const [named, facts] = await orderFacts(db, set, termIds);
  const { knownOf, referenceOf } = await ofReferences(db, set, queries);
  const organismOf = await organismsOf(db, sources);
  await pause();
  const known = new Map(queries.map((query) => [query.protein_accession, knownOf(query)]));
  const general = new Set<string>();
  for (const own of known.values()) {
    for (const goId of own?.belowRoot ?? []) general.add(goId);
    for (const { go_id } of own?.terms ?? []) if (facts.isListedAsGeneral(go_id)) general.add(go_id);
  }
  const terms: OverviewTermRow[] = [];
  for (const protein of proteins) {
    const ids = known.get(protein.protein_accession)?.ids;
    const rows = listedTermsOf(protein, { named, organismOf, known: ids }).sort(byRank);
    for (const row of answerOrder(rows, facts)) {
      terms.push(row);
      if (facts.isGeneral(row)) general.add(row.go_id);
    }
    await pause();
  }
  const names = await predictedNames(db, queries);
  return { queries, terms, knownOf, referenceOf, predictedNames: names, organismOf, general };
}

/** Reads the queries of a set after an accession, in its order. */
export const queriesAfter = prepared((db, setNumber: number, after: string, limit: number) =>
  sql<OverviewQueryRow>`
    select q.protein_accession, e.position, e.header, s.length, k.known_accession, k.known_by, q.known_identity, ${isNamesake} as is_namesake, ${noAnswer},
      ${answeredBy} as annotation_set_number, ${sourcesOfUnknown}
    from (select number, query_set_id, method, annotation_set_id, created_at from prediction_set where number = ${setNumber}) d
    cross join lateral (
      select protein_accession, sequence_id, known_accession, known_by, known_identity, is_namesake, no_answer, term_count, annotation_set_number, ${sql.ref('donors')}
      from prediction_set_protein
      where prediction_set_number = d.number and protein_accession collate "C" > ${after}
      order by protein_accession collate "C" limit ${limit}) q
    join sequence s on s.id = q.sequence_id ${uploadedEntry}${knownProtein}
    order by q.protein_accession collate "C"`.compile(db),
);

type RankedRow = OverviewTermRow & { term_rank: number };

const last = Number.MAX_SAFE_INTEGER;

function byRank(a: RankedRow, b: RankedRow): number {
  return (
    (a.answer_rank ?? last) - (b.answer_rank ?? last) ||
    a.term_rank - b.term_rank ||
    (a.go_id < b.go_id ? -1 : 1)
  );
}

/** The terms of the answer for one protein come unordered, as a list for each column. */
interface ListedTerms {
  protein_accession: string;
  go_term_id: number[];
  probability: (number | null)[];
  score: number[];
  answer_rank: (number | null)[];
  term_rank: number[];
  source_kind: string[];
  source_id: (string | null)[];
  evidence_code: (string | null)[];
  identity: (number | null)[];
}

const listedColumns = [
  'go_term_id',
  'probability',
  'score',
  'answer_rank',
  'term_rank',
  'source_kind',
  'source_id',
  'evidence_code',
] as const;

type ListedRow = Record<Exclude<keyof ListedTerms, 'protein_accession'>, string> & {
  protein_accession: string;
};

/**
 * Reads one row a protein with its terms as JSON, which Node reads several times as fast as a hundred
 * thousand rows. Each column has a list, which PostgreSQL writes in half of the time that a list for each
 * term takes. The lists come as text, because the driver would read all of them in one turn.
 */
async function overviewRows(
  db: Queryable,
  set: AnsweredSet,
  { queries, end }: { queries: readonly OverviewQueryRow[]; end: { probability: number; score: number } },
): Promise<ListedRow[]> {
  const accessions = queries.map((row) => row.protein_accession);
  const listed = (value: RawBuilder<unknown>) => sql`array_to_json(array_agg(${value}))::text`;
  const { rows } = await sql<ListedRow>`
    select p.protein_accession, ${sql.join(listedColumns.map((name) => sql`${listed(sql.ref(`p.${name}`))} as ${sql.ref(name)}`))},
      ${listed(sql`coalesce(p.source_identity, p.identity_sw)`)} as identity
    from go_prediction p
    where p.prediction_set_number = ${set.number} and p.protein_accession = any(${accessions}::text[]) and p.is_nearest
      and ${isListed(end)}
    group by p.protein_accession`.execute(db);
  return rows;
}

/** Reads the terms of the proteins, with their rows in go_term and the proteins that they or the queries come from. */
async function listedTerms(
  db: Queryable,
  set: AnsweredSet,
  asked: Parameters<typeof overviewRows>[2],
  pause: ReturnType<typeof endOfTurn>,
) {
  const proteins: ListedTerms[] = [];
  const termIds = new Set<number>();
  const sources = new Set<string>(asked.queries.flatMap(({ known_accession }) => known_accession ?? []));
  for (const row of await overviewRows(db, set, asked)) {
    const listed = {
      protein_accession: row.protein_accession,
      identity: JSON.parse(row.identity),
    } as ListedTerms;
    for (const name of listedColumns) listed[name] = JSON.parse(row[name]);
    proteins.push(listed);
    for (const id of listed.go_term_id) termIds.add(id);
    listed.source_id.forEach((source, i) => {
      if (source !== null && listed.source_kind[i] === 'protein') sources.add(source);
    });
    await pause();
  }
  return { proteins, termIds, sources };
}

interface ListedFacts {
  named: ReadonlyMap<number, KnownTerm>;
  organismOf: ReadonlyMap<string, string | null>;
  /** The protein is known to have the terms of these ids; undefined means that the reference does not know it. */
  known: ReadonlySet<string> | undefined;
}

function listedTermsOf(listed: ListedTerms, { named, organismOf, known }: ListedFacts): RankedRow[] {
  return listed.go_term_id.map((go_term_id, i) => {
    const { go_id, name, aspect } = named.get(go_term_id) as KnownTerm;
    const source_id = listed.source_id[i];
    return {
      protein_accession: listed.protein_accession,
      go_term_id,
      go_id,
      name,
      aspect,
      probability: listed.probability[i],
      score: listed.score[i],
      answer_rank: listed.answer_rank[i],
      term_rank: listed.term_rank[i],
      contradiction: null,
      is_known: known?.has(go_id) ?? null,
      source_id,
      evidence_code: listed.evidence_code[i],
      identity: hundredths(listed.identity[i]),
      organism:
        listed.source_kind[i] === 'protein' && source_id !== null
          ? (organismOf.get(source_id) ?? null)
          : null,
    };
  });
}

/** Rounds to two digits. A decimal fraction is a little more or less in binary: 0.285 must become 0.29. */
function hundredths(value: number | null): number | null {
  return value === null ? null : Math.round(value * 100 + 1e-6) / 100;
}

/** Reads the organisms of these proteins. */
async function organismsOf(
  db: Queryable,
  accessions: Iterable<string>,
): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await sql<{ accession: string; organism: string | null }>`
    select accession, organism from protein where accession = any(${[...accessions]}::text[])`.execute(db);
  return new Map(rows.map(({ accession, organism }) => [accession, organism]));
}
