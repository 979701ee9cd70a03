import type { Aspect } from '@kindred/contracts';
import {
  type ColumnsIn,
  columnsIn,
  type ColumnsOf,
  type ColumnValue,
  predictionColumn,
} from '@kindred/kernels/prediction';
import { sql } from 'kysely';
import { type KnownTerm, termsByRow, type TermsOf } from '../ontology/known-terms.repository.js';
import { type Database, preparedCells, type Queryable } from '../postgres/connection.js';
import { namesWereCompared } from './prediction-sets.repository.js';

/** One turn reads and writes at most this many rows, because more would block other requests for too long. */
const maxRowsPerPage = 250;

export type { Aspect };

type RowColumn = ColumnsOf<'go_prediction'> | ColumnsIn<'tsv'> | ColumnsIn<'reply'>;

export type PredictionRow = { [Name in Exclude<RowColumn, 'go_aspect'>]: ColumnValue<Name> } & {
  go_aspect: Aspect;
};

export interface PredictionFilter {
  accession?: string;
  aspect?: Aspect;
  maxDistance?: number;
  /** If false, terms are left out that a taxon constraint or a NOT annotation contradicts. */
  contradicted?: boolean;
}

/**
 * Reads the rows of one query, ordered by score (highest first), GO id, distance, reference. A query has at
 * most some thousands of rows.
 */
export async function predictionsOfProtein(
  db: Queryable,
  setNumber: number,
  accession: string,
  filter: PredictionFilter = {},
): Promise<PredictionRow[]> {
  return predictionsWithTerm(db)
    .where('p.prediction_set_number', '=', setNumber)
    .where('p.protein_accession', '=', accession)
    .$if(filter.aspect !== undefined, (query) => query.where('t.aspect', '=', filter.aspect as Aspect))
    .$if(filter.maxDistance !== undefined, (query) =>
      query.where('p.distance', '<=', filter.maxDistance as number),
    )
    .$if(filter.contradicted === false, (query) => query.where('p.contradiction', 'is', null))

    .orderBy('p.term_rank')
    .orderBy('p.distance')
    .orderBy(sql`p.source_id collate "C"`)
    .execute() as unknown as Promise<PredictionRow[]>;
}

/** The source of a row `p` of go_prediction may be a reference protein. */
const referenceProtein = sql<string | null>`case when p.source_kind = 'protein' then p.source_id end`;

/**
 * Selects prediction rows `p` with their term `t`. Terms are looked up one by one: for a few hundred rows
 * PostgreSQL would read the whole ontology, and OFFSET 0 keeps it from that.
 */
export function predictionsWithTerm(db: Queryable) {
  return db
    .selectFrom('go_prediction as p')
    .innerJoinLateral(
      (from) =>
        from
          .selectFrom('go_term')
          .select(['go_id', 'name', 'aspect'])
          .whereRef('go_term.id', '=', 'p.go_term_id')
          .offset(sql.lit(0))
          .as('t'),
      (join) => join.onTrue(),
    )
    .selectAll('p')
    .select(['t.go_id', 't.name as go_name', 't.aspect as go_aspect'])
    .select(referenceProtein.as('ref_protein_accession'));
}

/**
 * Reads all rows of a set, protein by protein, in pages of whole proteins, so that a download holds one page
 * at a time, whatever the set's size.
 */
export async function* predictionPages(
  db: Queryable,
  setNumber: number,
  filter: PredictionFilter = {},
  proteinsPerPage = 200,
): AsyncIterable<PredictionRow[]> {
  if (filter.accession !== undefined) {
    yield await predictionsOfProtein(db, setNumber, filter.accession, filter);
    return;
  }
  for await (const accessions of predictedProteinPages(db, setNumber, proteinsPerPage)) {
    yield (await predictionsWithTerm(db)
      .where('p.prediction_set_number', '=', setNumber)
      .where('p.protein_accession', 'in', accessions)
      .$if(filter.aspect !== undefined, (query) => query.where('t.aspect', '=', filter.aspect as Aspect))
      .$if(filter.maxDistance !== undefined, (query) =>
        query.where('p.distance', '<=', filter.maxDistance as number),
      )
      .$if(filter.contradicted === false, (query) => query.where('p.contradiction', 'is', null))
      .orderBy(sql`p.protein_accession collate "C"`)

      .orderBy('p.term_rank')
      .orderBy('p.distance')
      .orderBy(sql`p.source_id collate "C"`)
      .execute()) as unknown as PredictionRow[];
  }
}

/** The reply about one protein has these columns of go_prediction, in its order. */
export const repliedColumns = columnsIn('reply').filter((name): name is StoredReplyColumn =>
  predictionColumn(name).tables.includes('go_prediction'),
);
type StoredReplyColumn = ColumnsIn<'reply'> & ColumnsOf<'go_prediction'>;

/** The cells have the values of one query's rows as PostgreSQL writes them, to be passed on as JSON. */
export interface PredictionCells {
  terms: readonly KnownTerm[];
  /** Each row has the values of `repliedColumns`. */
  cells: readonly (readonly (string | null)[])[];
}

/** Reads cells in the order of `predictionsOfProtein`. */
export async function predictionCells(
  db: Database,
  set: { number: number; terms: TermsOf },
  accession: string,
): Promise<PredictionCells> {
  const rows = await cellsOfProtein(db, set.number, accession);
  const ids = rows.map((row) => Number(row[repliedColumns.length]));
  const known = await termsByRow(db, set.terms, ids);
  return { terms: ids.map((id) => known.get(id) as KnownTerm), cells: rows };
}

const cellsOfProtein = preparedCells((db, setNumber: number, accession: string) =>
  db
    .selectFrom('go_prediction')
    .select([...repliedColumns, 'go_term_id'])
    .where('prediction_set_number', '=', setNumber)
    .where('protein_accession', '=', accession)
    .orderBy('term_rank')
    .orderBy('distance')
    .orderBy(sql`source_id collate "C"`)
    .compile(),
);

export interface PredictedProteinRow {
  protein_accession: string;
  term_count: number;
  prediction_count: number;
  min_distance: number | null;
}

/**
 * Reads the accessions of a set's queries in byte order, including those without predictions. The caller
 * reads at most `maxRowsOfProtein` rows of one protein; further rows do not count.
 */
export async function* predictedProteinPages(
  db: Queryable,
  setNumber: number,
  proteinsPerPage: number,
  maxRowsOfProtein = Infinity,
): AsyncIterable<string[]> {
  for (let after = ''; ; ) {
    const proteins = await predictedProteins(db, setNumber, { after, limit: proteinsPerPage });
    if (proteins.length === 0) return;
    after = proteins[proteins.length - 1].protein_accession;
    yield* pagesOfRows(proteins, maxRowsOfProtein);
  }
}

/**
 * Cuts proteins, in order, into pages with about `maxRowsPerPage` rows together, but at least one protein.
 */
function* pagesOfRows(
  proteins: readonly PredictedProteinRow[],
  maxRowsOfProtein: number,
): Generator<string[]> {
  let page: string[] = [];
  let rows = 0;
  for (const { protein_accession, prediction_count } of proteins) {
    const counted = Math.min(prediction_count, maxRowsOfProtein);
    if (page.length > 0 && rows + counted > maxRowsPerPage) {
      yield page;
      page = [];
      rows = 0;
    }
    page.push(protein_accession);
    rows += counted;
  }
  yield page;
}

async function predictedProteins(
  db: Queryable,
  setNumber: number,
  page: { after: string; limit: number },
): Promise<PredictedProteinRow[]> {
  return db
    .selectFrom('prediction_set_protein')
    .select(['protein_accession', 'term_count', 'prediction_count', 'min_distance'])
    .where('prediction_set_number', '=', setNumber)
    .where(sql<boolean>`protein_accession collate "C" > ${page.after}`)
    .orderBy(sql`protein_accession collate "C"`)
    .limit(page.limit)
    .execute();
}

export interface ProteinPage {
  total: number;
  items: (PredictedProteinRow & { in_db: boolean })[];
}

/**
 * Lists the queries of a set by accession, including those without any prediction. `search` is a part of the
 * accession, in any case.
 */
export async function listPredictedProteins(
  db: Queryable,
  setNumber: number,
  options: { search?: string; limit: number; offset: number },
): Promise<ProteinPage> {
  const pattern = `%${(options.search ?? '').replace(/[\\%_]/g, '\\$&')}%`;
  const matching = db
    .selectFrom('prediction_set_protein')
    .where('prediction_set_number', '=', setNumber)
    .$if(options.search !== undefined, (query) => query.where('protein_accession', 'ilike', pattern));
  const { total } = await matching.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
  const items = await matching
    .select(['protein_accession', 'term_count', 'prediction_count', 'min_distance'])
    .select(sql<boolean>`exists (select from protein where accession = protein_accession)`.as('in_db'))
    .orderBy(sql`protein_accession collate "C"`)
    .limit(options.limit)
    .offset(options.offset)
    .execute();
  return { total, items };
}

/** Returns true if the set was made for this query, with or without predictions. */
export async function isQueryOfSet(db: Queryable, setNumber: number, accession: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from prediction_set_protein
                   where prediction_set_number = ${setNumber} and protein_accession = ${accession}) as found`.execute(
    db,
  );
  return rows[0].found;
}

export interface TermCountRow {
  go_id: string;
  name: string;
  aspect: Aspect;
  /** The term is predicted for this number of queries. */
  count: number;
}

/** Finds the most frequent terms of a set, per aspect at most `limit`; ties by GO id. */
export async function predictedTerms(
  db: Queryable,
  setNumber: number,
  limit: number,
): Promise<TermCountRow[]> {
  const { rows } = await sql<TermCountRow>`
    select go_id, name, aspect, count from (
      select t.go_id, t.name, t.aspect, c.count, row_number() over (partition by t.aspect order by c.count desc, t.go_id) as place
      from (select go_term_id, count(*)::int as count from go_prediction
            where prediction_set_number = ${setNumber} and is_nearest group by go_term_id) c
      join go_term t on t.id = c.go_term_id) ranked
    where place <= ${limit} order by aspect, place`.execute(db);
  return rows;
}

export async function distinctTerms(db: Queryable, setNumber: number): Promise<string[]> {
  const { rows } = await sql<{ go_id: string }>`
    select go_id from go_term
    where id in (select go_term_id from go_prediction where prediction_set_number = ${setNumber} and is_nearest)
    order by go_id`.execute(db);
  return rows.map((row) => row.go_id);
}

/** Counts queries with a term of each kind: GO term `term[i]` counts as `kind[i]`. */
export async function countKinds(
  db: Queryable,
  set: { number: number; ontology_snapshot_id: string },
  { term, kind }: { term: readonly string[]; kind: readonly string[] },
): Promise<Map<string, number>> {
  const { rows } = await sql<{ kind: string; count: number }>`
    select m.kind, count(distinct p.protein_accession)::int as count
    from unnest(${term}::text[], ${kind}::text[]) m (go_id, kind)
    join go_term t on t.ontology_snapshot_id = ${set.ontology_snapshot_id} and t.go_id = m.go_id
    join go_prediction p on p.go_term_id = t.id and p.prediction_set_number = ${set.number} and p.is_nearest
    group by m.kind`.execute(db);
  return new Map(rows.map((row) => [row.kind, row.count]));
}

export interface AspectTotals {
  aspect: string;
  /** Each (query, term) pair counts once. */
  pairs: number;
  terms: number;
}

export async function predictedAspectTotals(db: Queryable, setNumber: number): Promise<AspectTotals[]> {
  const { rows } = await sql<AspectTotals>`
    select t.aspect, sum(c.count)::int as pairs, count(*)::int as terms
    from (select go_term_id, count(*) as count from go_prediction
          where prediction_set_number = ${setNumber} and is_nearest group by go_term_id) c
    join go_term t on t.id = c.go_term_id group by t.aspect order by t.aspect`.execute(db);
  return rows;
}

export interface PredictionTotals {
  with_predictions: number;
  without_predictions: number;
  /**
   * These queries are named like a reference protein of another sequence; null if names were not compared
   * when the set was made.
   */
  namesakes: number | null;
  /** Each (query, term) pair counts once. */
  pairs: number;
  min_distance: number | null;
  mean_min_distance: number | null;
}

/** Adds up the queries of a set, and reads no prediction row. */
export async function predictionTotals(db: Queryable, setNumber: number): Promise<PredictionTotals> {
  const { rows } = await sql<PredictionTotals>`
    select count(*) filter (where term_count > 0) as with_predictions, count(*) filter (where term_count = 0) as without_predictions,
           case when bool_or(is_namesake) or (select ${namesWereCompared} from prediction_set d where d.number = ${setNumber})
                then count(*) filter (where is_namesake) end as namesakes,
           coalesce(sum(term_count), 0)::bigint as pairs, min(min_distance)::float8 as min_distance,
           avg(min_distance)::float8 as mean_min_distance
    from prediction_set_protein where prediction_set_number = ${setNumber}`.execute(db);
  return rows[0];
}

export interface NearestFilter {
  aspect?: Aspect;
  /** The accessions to read, in ascending order; if absent, all of the set are read. */
  accessions?: readonly string[];
  /** The nearest source has at most this distance. */
  maxDistance?: number;
}

/** A page has few proteins, so that the API yields to its event loop often. */
const proteinsPerPage = 25;

/**
 * Reads one row per (protein, term) of a set, that of the nearest source: by protein, then GO id (byte order).
 * Pages hold whole proteins, so that a reader holds one page whatever the set's size.
 */
export async function* nearestPages(
  db: Queryable,
  setNumber: number,
  filter: NearestFilter = {},
): AsyncGenerator<PredictionRow[]> {
  const pages = filter.accessions
    ? cut(filter.accessions, proteinsPerPage)
    : predictedProteinPages(db, setNumber, proteinsPerPage);
  for await (const accessions of pages) {
    const rows = (await predictionsWithTerm(db)
      .where('p.prediction_set_number', '=', setNumber)
      .where('p.protein_accession', '=', sql<string>`any(${accessions}::text[])`)
      .where('p.is_nearest', '=', true)
      .$if(filter.aspect !== undefined, (query) => query.where('t.aspect', '=', filter.aspect as Aspect))
      .$if(filter.maxDistance !== undefined, (query) =>
        query.where('p.distance', '<=', filter.maxDistance as number),
      )
      .orderBy(sql`p.protein_accession collate "C"`)
      .orderBy(sql`t.go_id collate "C"`)
      .execute()) as unknown as PredictionRow[];
    if (rows.length > 0) yield rows;
  }
}

function* cut(values: readonly string[], size: number): Generator<readonly string[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size);
}
